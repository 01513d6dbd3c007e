"""Directories for a while: where they go, and that they are gone whatever is in them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from hkgit.git.transaction.worktree import make_directory, remove_directory, temporary_root

NAMES = ("TMPDIR", "TEMP", "TMP")


@pytest.mark.parametrize("named", [*NAMES, None])
def test_they_go_where_the_standard_library_puts_its_own(
    named: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    if named is not None:
        monkeypatch.setenv(named, str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert str(temporary_root()) == os.path.realpath(tempfile.gettempdir())


def test_a_named_directory_that_is_not_there_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    monkeypatch.setenv("TEMP", str(tmp_path))
    assert temporary_root() == tmp_path


def test_a_directory_is_its_owners_alone() -> None:
    one, other = make_directory("hkgit-try-"), make_directory("hkgit-try-")
    try:
        assert one != other
        assert one.parent == temporary_root()
        assert one.stat().st_mode & 0o777 == 0o700
    finally:
        remove_directory(one)
        remove_directory(other)


def test_it_goes_with_all_that_is_in_it_and_nothing_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("mine")
    folder = tmp_path / "folder"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_text("x")
    (folder / "to_file").symlink_to(outside / "kept")
    (folder / "to_folder").symlink_to(outside)
    (folder / "to_nowhere").symlink_to("missing")
    remove_directory(folder)
    assert not os.path.lexists(folder)
    assert (outside / "kept").read_text() == "mine"


def test_what_is_gone_already_is_no_fault() -> None:
    remove_directory(Path(tempfile.gettempdir(), "hkgit-was-never-there"))
