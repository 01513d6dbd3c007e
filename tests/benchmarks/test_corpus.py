"""A hunk is one change of a file, and the others are known; archives are read whole."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from benchmarks.engines.corpus import MAX_HUNK_LINES, Hunk, file_hunks, hunks_of
from benchmarks.engines.downloads import default_cache, release_of
from benchmarks.engines.packages import PACKAGES, Package, packages_of
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


PACKAGE = Package("p", "pypi", ("1", "2"), "tune")


def put(cache: Path, name: str) -> None:
    """A release in the cache, so that nothing is downloaded."""
    home = cache / "releases" / "pypi" / "p-1"
    home.mkdir(parents=True)
    source = cache / "a.py"
    source.write_bytes(b"x = 1\r\n")
    if name.endswith(".zip"):
        with zipfile.ZipFile(home / name, "w") as opened:
            opened.write(source, "p-1/lib/a.py")
    else:
        with tarfile.open(home / name, "w:gz") as opened_tar:
            opened_tar.add(source, "p-1/lib/a.py")


@pytest.mark.parametrize("name", ["p-1.tar.gz", "p-1.zip"])
def test_a_release_that_is_kept_is_read_from_the_cache(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert release_of(PACKAGE, "1", tmp_path) == {"lib/a.py": b"x = 1\r\n"}


def test_the_cache_is_where_the_user_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "hkgit-benchmarks"


def test_the_halves_share_no_package() -> None:
    tune, report = packages_of("tune"), packages_of("report")
    assert {*tune, *report} == set(PACKAGES)
    assert not {package.name for package in tune} & {package.name for package in report}
