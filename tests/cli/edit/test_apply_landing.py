"""`hkgit apply`: where commits land, and that no local change is lost."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import Bench
from tests.support.specs import CREATE, NEW, SOURCE, protocol, search_replace

EDITED = NEW.encode()


def rename(bench: Bench, new_path: str) -> str:
    operation: dict[str, object] = {
        "op": "rename_file",
        "path": SOURCE,
        "new_path": new_path,
        "expected_hash": bench.hash(SOURCE, 1, 900),
    }
    return protocol(operation)


# Local changes


def dirty(bench: Bench) -> None:
    """Staged, unstaged and untracked changes, in other files than the edited one."""
    bench.repo.write("src/document.py", "staged\n")
    bench.repo.git("add", "src/document.py")
    bench.repo.write("src/document.py", "staged\nand more\n")
    bench.repo.write("README.md", "unstaged\n")
    bench.repo.write("untracked", "untracked\n")
    bench.repo.write("vendor/added.py", "added\n")
    bench.repo.git("add", "vendor/added.py")
    (bench.repo.path / "vendor/click/core.py").unlink()


def test_local_changes_elsewhere_are_kept_and_not_committed(bench: Bench) -> None:
    dirty(bench)
    before, status = bench.state(), bench.repo.status()
    assert bench.apply(search_replace()).code == 0
    after = bench.state()
    assert bench.repo.status() == status
    kept = [path for path in before.files if path != SOURCE]
    assert [after.files[path] for path in kept] == [before.files[path] for path in kept]
    assert bench.repo.git("show", ":src/document.py") == "staged"
    assert EDITED in after.files[SOURCE]
    changed = bench.repo.git("diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    assert [path for path in changed if not path.startswith(".hkgit/")] == [SOURCE]


def unstaged(bench: Bench) -> None:
    bench.repo.write(SOURCE, bench.repo.read(SOURCE) + b"# mine\n")


def staged(bench: Bench) -> None:
    unstaged(bench)
    bench.repo.git("add", SOURCE)


def removed(bench: Bench) -> None:
    bench.repo.git("rm", "-q", "--cached", SOURCE)


def untracked(bench: Bench) -> None:
    bench.repo.write("new/file.py", "mine\n")


def ignored(bench: Bench) -> None:
    untracked(bench)
    bench.repo.write(".git/info/exclude", "new/\n")


def file_for_directory(bench: Bench) -> None:
    bench.repo.write("new", "mine\n")


def link_for_directory(bench: Bench) -> None:
    (bench.repo.path / "src").rename(bench.scratch / "src")
    (bench.repo.path / "src").symlink_to(bench.scratch / "src")


def committing_elsewhere(bench: Bench) -> None:
    bench.repo.write(".git/index.lock", "")


def merging(bench: Bench) -> None:
    bench.repo.git("checkout", "-q", "-b", "side")
    bench.repo.commit({"side": "1"})
    bench.repo.git("checkout", "-q", "main")
    bench.repo.git("merge", "-q", "--no-commit", "--no-ff", "side")


@pytest.mark.sampled
@cases(
    "disturb, spec, named",
    {
        "unstaged": (unstaged, search_replace(), SOURCE),
        "staged": (staged, search_replace(), SOURCE),
        "staged for removal": (removed, search_replace(), SOURCE),
        "a link, not a directory": (link_for_directory, search_replace(), "src"),
        "untracked": (untracked, protocol(CREATE), "new/file.py"),
        "ignored": (ignored, protocol(CREATE), "new/file.py"),
        "a file, not a directory": (file_for_directory, protocol(CREATE), "new"),
        "a lock": (committing_elsewhere, search_replace(), "index.lock"),
        "in the middle of a merge": (merging, search_replace(), "merge"),
    },
)
def test_what_is_in_the_way_is_named_and_nothing_moves(
    bench: Bench, disturb: Callable[[Bench], None], spec: str, named: str
) -> None:
    disturb(bench)
    with bench.untouched():
        result = bench.apply(spec)
    assert result.code == 7, result.err
    assert named in result.err, result.err


def test_a_file_that_was_only_touched_is_not_in_the_way(bench: Bench) -> None:
    os.utime(bench.repo.path / SOURCE, (1, 1))
    assert bench.apply(search_replace()).code == 0


def test_what_a_sparse_checkout_leaves_out_is_not_in_the_way(bench: Bench) -> None:
    bench.repo.git("sparse-checkout", "set", "vendor")
    assert bench.apply(search_replace()).code == 0
    assert bench.repo.status() == []
    assert not (bench.repo.path / SOURCE).exists()


def test_a_renamed_file_moves_in_the_checkout(bench: Bench) -> None:
    content = bench.repo.read(SOURCE)
    assert bench.apply(rename(bench, "lib/errors.py")).code == 0
    assert bench.repo.read("lib/errors.py") == content
    assert bench.repo.status() == []
    assert not (bench.repo.path / SOURCE).exists()


def test_modes_and_line_ends_survive(bench: Bench) -> None:
    bench.repo.write("run.sh", b"\xef\xbb\xbfone\r\ntwo\r\nthree").chmod(0o755)
    bench.repo.commit()
    assert bench.apply(search_replace("two", "2", "run.sh")).code == 0
    assert bench.repo.show("HEAD", "run.sh") == b"\xef\xbb\xbfone\r\n2\r\nthree"
    assert bench.repo.git("ls-tree", "HEAD", "run.sh").startswith("100755 ")


# Checkouts of other kinds


def with_crlf(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    (repo.path / SOURCE).unlink()
    repo.git("checkout", "-q", SOURCE)


def with_a_split_index(repo: Repo) -> None:
    repo.git("update-index", "--split-index")


def ignoring_the_ledger(repo: Repo) -> None:
    repo.commit({".gitignore": ".hkgit\n"})


def with_its_git_directory_elsewhere(repo: Repo) -> None:
    repo.git("init", "-q", "--separate-git-dir", str(repo.path.parent / 'odd "name\n é'))


@pytest.mark.parametrize(
    "make", [with_crlf, with_a_split_index, ignoring_the_ledger, with_its_git_directory_elsewhere]
)
def test_an_unusual_checkout_follows_too(bench: Bench, make: Callable[[Repo], None]) -> None:
    make(bench.repo)
    result = bench.apply(search_replace())
    assert result.code == 0, result.err
    assert bench.repo.status() == [], result.err
    assert NEW in bench.repo.read(SOURCE).decode().splitlines()
