"""`hkgit apply`: where commits land, and that no local change is lost."""

from __future__ import annotations

import os

import pytest

from tests.support.cases import cases
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


UNSTAGED = f"echo '# mine' >>{SOURCE}"
UNTRACKED = "mkdir new; echo mine >new/file.py"
MERGING = """\
git checkout -q -b side; echo 1 >side; git add side; git commit -qm Side
git checkout -q main; git merge -q --no-commit --no-ff side
"""


@pytest.mark.sampled
@cases(
    "disturb, spec, named",
    {
        "unstaged": (UNSTAGED, search_replace(), SOURCE),
        "staged": (f"{UNSTAGED}; git add {SOURCE}", search_replace(), SOURCE),
        "staged for removal": (f"git rm -q --cached {SOURCE}", search_replace(), SOURCE),
        "a link, not a directory": (
            "mv src ../scratch/src; ln -s ../scratch/src src",
            search_replace(),
            "src",
        ),
        "untracked": (UNTRACKED, protocol(CREATE), "new/file.py"),
        "ignored": (f"{UNTRACKED}; echo new/ >.git/info/exclude", protocol(CREATE), "new/file.py"),
        "a file, not a directory": ("echo mine >new", protocol(CREATE), "new"),
        "a lock": ("touch .git/index.lock", search_replace(), "index.lock"),
        "in the middle of a merge": (MERGING, search_replace(), "merge"),
    },
)
def test_what_is_in_the_way_is_named_and_nothing_moves(
    bench: Bench, disturb: str, spec: str, named: str
) -> None:
    bench.sh(disturb)
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


@cases(
    "make",
    {
        "with CRLF": f"git config core.autocrlf true; rm {SOURCE}; git checkout -q {SOURCE}",
        "with a split index": "git update-index --split-index",
        "that ignores the ledger": "echo .hkgit >.gitignore; git add .; git commit -qm Ignore",
        "with its git directory elsewhere": (
            """git init -q --separate-git-dir "$(printf '../odd "name\\n é')" """
        ),
    },
)
def test_an_unusual_checkout_follows_too(bench: Bench, make: str) -> None:
    bench.sh(make)
    result = bench.apply(search_replace())
    assert result.code == 0, result.err
    assert bench.repo.status() == [], result.err
    assert NEW in bench.repo.read(SOURCE).decode().splitlines()
