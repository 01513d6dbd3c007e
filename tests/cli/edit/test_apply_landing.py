"""`hkgit apply`: where commits land, and that no local change is lost."""

from __future__ import annotations

from tests.support.cases import cases
from tests.support.running import Bench
from tests.support.specs import CREATE, NEW, SOURCE, protocol, search_replace

EDITED = NEW.encode()


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


@cases(
    "disturb, spec, named",
    {
        "unstaged": (f"echo '# mine' >>{SOURCE}", search_replace(), SOURCE),
        "a link, not a directory": (
            "mv src ../scratch/src; ln -s ../scratch/src src",
            search_replace(),
            "src",
        ),
        "untracked": ("mkdir new; echo mine >new/file.py", protocol(CREATE), "new/file.py"),
        "in the middle of a revert": (
            "git revert --no-commit HEAD; git reset -q --hard; git update-ref REVERT_HEAD HEAD",
            search_replace(),
            "a revert is under way",
        ),
    },
)
def test_what_is_in_the_way_is_named_and_nothing_moves(
    bench: Bench, disturb: str, spec: str, named: str
) -> None:
    bench.repo.shell(disturb)
    with bench.untouched():
        result = bench.apply(spec)
    assert result.code == 7, result.err
    assert named in result.err, result.err


def test_a_renamed_file_moves_in_the_checkout(bench: Bench) -> None:
    content, whole = bench.repo.read(SOURCE), bench.hash(SOURCE, 1, 900)
    rename = {"op": "rename_file", "path": SOURCE, "new_path": "lib/errors.py"}
    assert bench.apply(protocol({**rename, "expected_hash": whole})).code == 0
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
        "that ignores the ledger": "echo .hkgit >.gitignore; git add .; git commit -qm Ignore",
        "with its git directory elsewhere": (
            """git init -q --separate-git-dir "$(printf '../odd "name\\n é')" """
        ),
    },
)
def test_an_unusual_checkout_follows_too(bench: Bench, make: str) -> None:
    bench.repo.shell(make)
    result = bench.apply(search_replace())
    assert result.code == 0, result.err
    assert bench.repo.status() == [], result.err
    assert NEW in bench.repo.read(SOURCE).decode().splitlines()
