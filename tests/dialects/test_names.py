"""From names as agents write them to paths below the root."""

from __future__ import annotations

import pytest

from hkgit.applying.workspace import resolve_path
from hkgit.dialects.file_names import parse_expect, relative_path
from hkgit.edits import Read
from hkgit.errors import InvalidInput

FILES = ["app.py", "src/main.py", "src/util/io.py", "lib/util/io.py", "lib/io.py", "x.yio.py"]
HASH = "0123456789ab"


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        pytest.param("a.py", "/r", "a.py", id="relative"),
        pytest.param("./a.py", None, "a.py", id="leading dot"),
        pytest.param(".//./a.py", None, "a.py", id="leading dots and slashes"),
        pytest.param("/r/s/a.py", "/r/s", "a.py", id="below the root"),
        pytest.param("/r/s/./a.py", "/r/s/", "a.py", id="root with a slash"),
        pytest.param("/rs/a.py", "/r", "/rs/a.py", id="beside the root"),
        pytest.param("/r", "/r", "/r", id="the root itself"),
        pytest.param("/r/a.py", None, "/r/a.py", id="without a root"),
        pytest.param("C:\\r\\a\\b.py", "c:\\r", "a/b.py", id="a drive"),
        pytest.param("C:/r/a.py", "C:\\r", "a.py", id="a drive with slashes"),
        pytest.param("D:\\r\\a.py", "C:\\r", "D:\\r\\a.py", id="another drive"),
        pytest.param("../a.py", "/r", "../a.py", id="above the root"),
        pytest.param("..a", None, "..a", id="a name of dots"),
        pytest.param("a\\b.py", "/r", "a\\b.py", id="a backslash"),
    ],
)
def test_a_path_below_the_root_becomes_relative(path: str, root: str | None, expected: str) -> None:
    assert relative_path(path, root) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("app.py", "app.py", id="exact"),
        pytest.param("main.py", "src/main.py", id="a unique basename"),
        pytest.param("src/util/io.py", "src/util/io.py", id="exact, though others end alike"),
        pytest.param("lib/util/io.py", "lib/util/io.py", id="exact below"),
        pytest.param("new.py", "new.py", id="unknown"),
        pytest.param("rc/main.py", "rc/main.py", id="only whole parts count"),
        pytest.param("a/src/main.py", "src/main.py", id="the prefix of a diff"),
        pytest.param("b/main.py", "src/main.py", id="that of a unique basename"),
        pytest.param("Src/Main.py", "src/main.py", id="another case"),
        pytest.param("src\\main.py", "src/main.py", id="other slashes"),
    ],
)
def test_a_name_finds_its_file(name: str, expected: str) -> None:
    assert resolve_path(name, FILES.__contains__, lambda: FILES) == expected


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        pytest.param("io.py", "fits 3 files: lib/io.py, lib/util/io.py, src/util/io.py", id="base"),
        pytest.param("util/io.py", "fits 2 files: lib/util/io.py, src/util/io.py", id="suffix"),
    ],
)
def test_a_name_of_several_files_lists_them(name: str, listed: str) -> None:
    with pytest.raises(InvalidInput, match=listed):
        resolve_path(name, FILES.__contains__, lambda: FILES)


def test_a_name_that_exists_needs_no_list_of_files() -> None:
    assert resolve_path("a", lambda _: True, lambda: pytest.fail("listed")) == "a"


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        pytest.param(f"a.py={HASH}", Read("a.py", None, None, HASH), id="whole file"),
        pytest.param(f"a.py:3-5={HASH}", Read("a.py", 3, 5, HASH), id="range"),
        pytest.param(f"a.py:3={HASH}", Read("a.py", 3, 3, HASH), id="one line"),
        pytest.param(f"a.py:1-0={HASH}", Read("a.py", 1, 0, HASH), id="empty range"),
        pytest.param(f"a:b=c:1-2={HASH.upper()}", Read("a:b=c", 1, 2, HASH), id="odd path"),
        pytest.param(f"a:1-2:3-4={HASH}", Read("a:1-2", 3, 4, HASH), id="a range in the name"),
        pytest.param(f"a={HASH}={HASH}", Read(f"a={HASH}", None, None, HASH), id="a hash in it"),
        pytest.param("a=" + "f" * 64, Read("a", None, None, "f" * 64), id="all 64 digits"),
    ],
)
def test_an_expectation_is_a_path_a_range_and_a_hash(argument: str, expected: Read) -> None:
    assert parse_expect(argument) == expected


@pytest.mark.parametrize(
    "argument",
    [
        "a.py",
        "a.py=",
        f"={HASH}",
        f"a.py={HASH[:-1]}",
        "a.py=" + "f" * 65,
        "a.py=0123456789ag",
        "",
        f"a.py:5-3={HASH}",
        f"a.py:0-3={HASH}",
        f":1-2={HASH}",
        f":1={HASH}",
        f"a.py:0={HASH}",
    ],
)
def test_what_is_no_expectation_is_refused(argument: str) -> None:
    with pytest.raises(InvalidInput, match="--expect: expected"):
        parse_expect(argument)
