"""Files below a directory: read and written without following a link or leaving the root."""

import os
import stat
from pathlib import Path

import pytest

from hkgit.applying.files import DirectorySnapshot, restore_all, take_place, write_files
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import GitRefused, InvalidInput
from tests.support.cases import cases


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with a file of each sort, and something outside it to be left alone."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"secret")
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    (root / "d" / "file").write_bytes(b"a\r\nb")
    (root / "tool").write_bytes(b"#!\n")
    (root / "tool").chmod(0o755)
    (root / "link").symlink_to("../outside/secret")
    (root / "way-out").symlink_to("../outside")
    (root / "module" / ".git").mkdir(parents=True)
    os.mkfifo(root / "pipe")
    return root


@cases(
    "path, file",
    {
        "a file, byte for byte": ("d/file", File(b"a\r\nb", REGULAR)),
        "an executable one": ("tool", File(b"#!\n", EXECUTABLE)),
        "a directory": ("d", File(b"", DIRECTORY)),
        "a repository in it": ("module", File(b"", SUBMODULE)),
        "a link as a link": ("link", File(b"../outside/secret", SYMLINK)),
        "a link to a directory too": ("way-out", File(b"../outside", SYMLINK)),
        "nothing": ("absent", None),
        "nothing in nothing": ("d/absent/x", None),
        "nothing below a file": ("tool/x", None),
        "nothing beyond a link": ("way-out/secret", None),
    },
)
def test_what_stands_at_a_path(root: Path, path: str, file: File | None) -> None:
    assert DirectorySnapshot(root).get(path) == file


@cases(
    "path",
    {
        "outside": "../outside/secret",
        "outside, by a detour": "d/../../outside/secret",
        "absolute": "/etc/passwd",
        "git's own": ".git/config",
        "no file to read": "pipe",
    },
)
def test_what_must_not_be_read_is_invalid(root: Path, path: str) -> None:
    with pytest.raises(InvalidInput):
        DirectorySnapshot(root).get(path)


def test_the_paths_are_those_of_files(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"")
    found = set(DirectorySnapshot(root).paths())
    assert found == {"d/file", "tool", "link", "pipe"}


def test_files_are_made_changed_and_removed(root: Path) -> None:
    write_files(root, {"n/e/w": File(b"1"), "d/file": File(b"2"), "tool": None})
    assert {path: (root / path).exists() for path in ("n/e/w", "d/file", "tool")} == {
        "n/e/w": True,
        "d/file": True,
        "tool": False,
    }
    assert (root / "d/file").read_bytes() == b"2"


@cases(
    "before, mode, after",
    {
        "kept": (0o640, REGULAR, 0o640),
        "kept executable": (0o750, EXECUTABLE, 0o750),
        "executable for those who may read": (0o640, EXECUTABLE, 0o750),
        "executable for nobody": (0o751, REGULAR, 0o640),
        "new": (None, REGULAR, 0o644),
        "new and executable": (None, EXECUTABLE, 0o755),
    },
)
def test_the_permissions_of_a_written_file(
    root: Path, before: int | None, mode: int, after: int
) -> None:
    if before is not None:
        (root / "f").write_bytes(b"")
        (root / "f").chmod(before)
    umask = os.umask(0o022)
    try:
        write_files(root, {"f": File(b"x", mode)})
    finally:
        os.umask(umask)
    assert stat.S_IMODE((root / "f").stat().st_mode) == after


@cases(
    "path, file",
    {
        "a file beyond a link": ("way-out/secret", File(b"x")),
        "a new file beyond a link": ("way-out/new", File(b"x")),
        "removing beyond a link": ("way-out/secret", None),
        "a link itself": ("link", File(b"x")),
        "a directory": ("d", File(b"x")),
        "below a file": ("tool/x", File(b"x")),
    },
)
def test_nothing_is_written_through_a_link_or_in_anothers_place(
    root: Path, path: str, file: File | None
) -> None:
    before = _listing(root.parent)
    with pytest.raises(GitRefused, match="in the way"):
        write_files(root, {"d/file": File(b"new"), path: file})
    assert _listing(root.parent) == before


def _listing(directory: Path) -> dict[str, bytes]:
    regular = (path for path in directory.rglob("*") if stat.S_ISREG(path.lstat().st_mode))
    return {str(path): path.read_bytes() for path in regular}


def test_what_was_written_before_a_failure_is_taken_back(root: Path) -> None:
    (root / "d/file").chmod(0o750)
    before, names = _listing(root.parent), sorted(root.rglob("*"))
    inode = (root / "d/file").stat().st_ino
    files = {"d/file": File(b"new"), "n/e/w": File(b"1"), "tool": None, "absent": None}
    with pytest.raises(GitRefused, match="absent: could not be written"):
        write_files(root, files)
    assert _listing(root.parent) == before
    assert sorted(root.rglob("*")) == names
    assert (root / "d/file").stat().st_ino == inode


@pytest.mark.parametrize("path", ["../x", "/x", ".git/config", "d/.GIT/x"])
def test_nothing_is_written_outside_or_into_git(root: Path, path: str) -> None:
    with pytest.raises(InvalidInput):
        write_files(root, {path: File(b"x")})


@pytest.mark.parametrize("is_known", [True, False], ids=["what was read", "somebody's"])
def test_what_cannot_be_put_back_is_kept_under_a_name_that_is_seen(
    is_known: bool, tmp_path: Path
) -> None:
    """Unless it is just what the change was computed from: that is nobody's work."""
    place, new, was = tmp_path / "a.txt", tmp_path / "new", b"saved\n"
    place.write_bytes(was)
    new.write_bytes(b"ours\n")
    known = File(was if is_known else b"read\n")
    taken = take_place(place, new, File(b"ours\n"), known)
    place.unlink()
    place.mkdir()
    left = restore_all([taken])
    assert place.is_dir()
    assert [each.read_bytes() for each in left] == ([] if is_known else [was])
    assert all(each.name.startswith("a.txt.kept-") for each in left)
    assert {*tmp_path.iterdir()} == {place, *left}
