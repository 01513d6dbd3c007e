"""Files below a directory: read and written without following a link or leaving the root."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hkgit.applying.files import DirectorySnapshot, write_files
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File
from hkgit.errors import GitRefused, InvalidInput


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


@pytest.mark.parametrize(
    ("path", "file"),
    [
        pytest.param("d/file", File(b"a\r\nb", REGULAR), id="a file, byte for byte"),
        pytest.param("tool", File(b"#!\n", EXECUTABLE), id="an executable one"),
        pytest.param("d", File(b"", DIRECTORY), id="a directory"),
        pytest.param("module", File(b"", SUBMODULE), id="a repository in it"),
        pytest.param("link", File(b"../outside/secret", SYMLINK), id="a link as a link"),
        pytest.param("way-out", File(b"../outside", SYMLINK), id="a link to a directory too"),
        pytest.param("absent", None, id="nothing"),
        pytest.param("d/absent/x", None, id="nothing in nothing"),
        pytest.param("tool/x", None, id="nothing below a file"),
        pytest.param("way-out/secret", None, id="nothing beyond a link"),
    ],
)
def test_what_stands_at_a_path(root: Path, path: str, file: File | None) -> None:
    assert DirectorySnapshot(root).get(path) == file


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("../outside/secret", id="outside"),
        pytest.param("d/../../outside/secret", id="outside, by a detour"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param(".git/config", id="git's own"),
        pytest.param("pipe", id="no file to read"),
    ],
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


@pytest.mark.parametrize(
    ("before", "mode", "after"),
    [
        pytest.param(0o640, REGULAR, 0o640, id="kept"),
        pytest.param(0o750, EXECUTABLE, 0o750, id="kept executable"),
        pytest.param(0o640, EXECUTABLE, 0o750, id="executable for those who may read"),
        pytest.param(0o751, REGULAR, 0o640, id="executable for nobody"),
        pytest.param(None, REGULAR, 0o644, id="new"),
        pytest.param(None, EXECUTABLE, 0o755, id="new and executable"),
    ],
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


REFUSALS = [
    pytest.param("way-out/secret", File(b"x"), id="a file beyond a link"),
    pytest.param("way-out/new", File(b"x"), id="a new file beyond a link"),
    pytest.param("way-out/secret", None, id="removing beyond a link"),
    pytest.param("link", File(b"x"), id="a link itself"),
    pytest.param("d", File(b"x"), id="a directory"),
    pytest.param("tool/x", File(b"x"), id="below a file"),
]


@pytest.mark.parametrize(("path", "file"), REFUSALS)
def test_nothing_is_written_through_a_link_or_in_anothers_place(
    root: Path, path: str, file: File | None
) -> None:
    with pytest.raises(GitRefused, match="in the way"):
        write_files(root, {"d/file": File(b"new"), path: file})
    assert (root.parent / "outside" / "secret").read_bytes() == b"secret"


@pytest.mark.parametrize(("path", "file"), REFUSALS)
def test_a_refusal_leaves_everything_as_it_was(root: Path, path: str, file: File | None) -> None:
    before = _listing(root.parent)
    with pytest.raises(GitRefused):
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
