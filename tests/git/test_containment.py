"""Whatever a spec says, nothing outside the work tree, and nothing of git's, is touched or read."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.cli.main import main
from tests.support.properties import examples
from tests.support.repos import Repo
from tests.support.specs import search_replace

PARTS = [
    *("..", ".", "", "a\\..\\..\\outside", "\\", "C:", "nul", "x\ny", "~", "$HOME"),
    *(".git", ".GIT", "git~1", ".g\u200cit", ".git ", ".git::$DATA", ".hkgit"),
    *("hooks", "config", "pre-commit", "index", "objects", "HEAD"),
    *("link", "shadow", "nested", "secret", "outside", "repo", "a", "dir", "b", "new"),
]
LIKELY = ["a", "dir/b", "nested/b", "new", "new/x", "link", "link/secret", "shadow/a"]
PATHS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("/".join)
ROOTS = st.sampled_from(["", "", "", "/", "//", "{box}/outside/", "{box}/repo/.git/", "./"])
NAMES = st.sampled_from(LIKELY) | st.builds(str.__add__, ROOTS, PATHS)

ONE = hashlib.sha256(b"1\n").hexdigest()

CHANGED_BY_A_COMMIT = ("objects", "logs", "index", "refs", "COMMIT_EDITMSG")
"""What in the git directory git itself changes when it commits."""

OWN = ("hkgit/conflicts/", "hkgit/sessions/", "hkgit/refusals.jsonl")
"""Where hkgit keeps what it remembers of refused edits and of calls."""


def protocol(path: str, other: str) -> Iterator[str]:
    text = {"old_text": "1\n", "new_text": "2\n"}
    for operation in (
        {"op": "replace_text", "path": path, **text},
        {"op": "create_file", "path": path, "new_text": "#!/bin/sh\n"},
        {"op": "delete_file", "path": path, "expected_hash": ONE},
        {"op": "rename_file", "path": "a", "new_path": path, "expected_hash": ONE},
        {"op": "rename_file", "path": path, "new_path": other, "expected_hash": ONE},
        {"op": "insert_after", "path": path, "after_line": 0, "new_lines": ["x"]},
    ):
        yield json.dumps({"version": "1", "operations": [operation]})


def others(path: str, other: str) -> Iterator[str]:
    yield json.dumps({"file": path, "old_text": "1\n", "new_text": "2\n"})
    yield json.dumps({"file": path, "old_text": "", "new_text": "2\n"})
    yield search_replace("1", "2", path)
    yield f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-1\n+2\n"
    yield f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+2\n"
    yield f"diff --git a/{path} b/{other}\nrename from {path}\nrename to {other}\n"
    yield f"*** Begin Patch\n*** Add File: {path}\n+2\n*** End Patch\n"
    yield f"*** Begin Patch\n*** Update File: {path}\n*** Move to: {other}\n-1\n+2\n*** End Patch\n"


class Box:
    """A repository with links that lead out of it, and what lies outside."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.outside = root / "outside"
        (self.outside / "nested").mkdir(parents=True)
        for name in ("secret", "a", "nested/secret"):
            (self.outside / name).write_text("1\n")
        self.repo = Repo.init(root / "repo")
        (self.repo.path / "link").symlink_to("../outside")
        self.repo.write("nested/b", "1\n")
        (self.repo.path / "nested" / "secret").symlink_to("../../outside/secret")
        self.repo.commit({"a": "1\n", "dir/b": "1\n"})
        (self.repo.path / "shadow").symlink_to("../outside")
        self.read: list[str] = []
        self.is_watching = False
        sys.addaudithook(self._watch)

    def _watch(self, event: str, args: Sequence[Any]) -> None:
        if not self.is_watching or event not in ("open", "os.listdir", "os.scandir", "os.remove"):
            return
        # What is relative is so to a directory that shutil.rmtree holds open; hkgit's own is not.
        is_whole = isinstance(args[0], str | os.PathLike) and Path(args[0]).is_absolute()
        if is_whole and Path(args[0]).resolve().is_relative_to(self.outside):
            self.read.append(f"{event} {args[0]}")

    def contents(self) -> dict[str, bytes]:
        """What lies outside, and what git alone may change."""
        places = [self.outside, self.repo.path / ".git"]
        found = [path for place in places for path in place.rglob("*") if path.is_file()]
        names = {path.relative_to(self.root).as_posix(): path for path in found}
        freely = tuple(f"repo/.git/{name}" for name in (*CHANGED_BY_A_COMMIT, *OWN))
        return {n: p.read_bytes() for n, p in names.items() if not n.startswith(freely)}

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Stand in the repository, and watch what is opened."""
        former = Path.cwd()
        os.chdir(self.repo.path)
        self.is_watching = True
        try:
            yield
        finally:
            self.is_watching = False
            os.chdir(former)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Box:
    return Box(tmp_path_factory.mktemp("box"))


@pytest.mark.parametrize("command", ["apply", "edit"])
@pytest.mark.parametrize("specs", [protocol, others])
@examples(25)
@given(path=NAMES, other=NAMES, which=st.integers(0, 7))
def test_a_spec_changes_and_reads_nothing_outside(
    box: Box,
    command: str,
    specs: Callable[[str, str], Iterator[str]],
    path: str,
    other: str,
    which: int,
) -> None:
    texts = list(specs(path.replace("{box}", str(box.root)), other.replace("{box}", str(box.root))))
    spec = box.root / "spec"
    spec.write_text(texts[which % len(texts)])
    before, box.read[:] = box.contents(), []
    with box.entered():
        code = main([command, str(spec)], standalone_mode=False)
    assert code in (None, 0, 1, 2, 3, 4, 6, 7)
    assert box.contents() == before
    assert box.read == []


def test_the_watch_sees_what_is_read_outside(box: Box) -> None:
    box.read.clear()
    with box.entered():
        (box.repo.path / "link" / "secret").read_text()
    assert box.read == [f"open {box.repo.path}/link/secret"]
