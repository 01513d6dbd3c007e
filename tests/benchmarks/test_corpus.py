"""A hunk is one change of a file, and the others are known."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from benchmarks.engines.corpus import MAX_HUNK_LINES, Hunk, file_hunks, hunks_of
from benchmarks.engines.packages import packages_of
from tests.benchmarks.hunks import AFTER, BEFORE, lines_of, small_corpus
from tests.support.cases import cases


def carried_out(hunk: Hunk) -> tuple[str, ...]:
    """The file with the hunk and all the others of its file."""
    lines = hunk.lines
    for start, end, new in sorted([(hunk.start, hunk.end, hunk.new), *hunk.others], reverse=True):
        lines = (*lines[:start], *new, *lines[end:])
    return lines


def test_a_hunk_and_the_others_make_the_new_file() -> None:
    made = {carried_out(hunk) for hunk in small_corpus() if hunk.path == "shop.py"}
    assert made == {lines_of(AFTER)}


@cases(
    "old, new, spans",
    {
        "one line between: one change": ("abcde", "aXcYe", [(1, 4)]),
        "two lines between: two changes": ("abcdef", "aXcdYf", [(1, 2), (4, 5)]),
        "an insertion": ("abc", "abXc", [(2, 2)]),
        "no change": ("abc", "abc", []),
    },
)
def test_what_one_change_is(old: str, new: str, spans: list[tuple[int, int]]) -> None:
    hunks = file_hunks("p", "f", tuple(old), tuple(new))
    assert [(hunk.start, hunk.end) for hunk in hunks] == spans


def test_a_change_too_large_for_an_edit_is_left_out() -> None:
    long = tuple(str(n) for n in range(MAX_HUNK_LINES + 1))
    assert file_hunks("p", "f", ("a",), ("a", *long)) == []


def keep(cache: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    """A release in the cache as its registry would have given it."""
    home = cache / "releases" / "npm" / f"{name}-{version}"
    home.mkdir(parents=True)
    with tarfile.open(home / "archive.tgz", "w:gz") as opened:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size = len(data)
            opened.addfile(entry, io.BytesIO(data))


def test_the_changed_files_of_two_releases_give_hunks_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    immer = next(package for package in packages_of("tune") if package.name == "immer")
    monkeypatch.setattr("benchmarks.engines.corpus.packages_of", lambda half: (immer,))
    for version, text in zip(immer.versions, (BEFORE, AFTER), strict=True):
        data = {"a.py": text.encode(), "b.bin": text.encode(), "same.py": b"x = 1\n"}
        keep(tmp_path, "immer", version, data)
    first = hunks_of("tune", tmp_path)
    assert {hunk.path for hunk in first} == {"a.py"}
    for archive in tmp_path.glob("releases/*/*/*"):
        archive.unlink()
    assert hunks_of("tune", tmp_path) == first
