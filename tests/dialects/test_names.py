"""From names as agents write them to paths below the root."""

from __future__ import annotations

import pytest

from hkgit.dialects.file_names import parse_expect, relative_path
from hkgit.edits import Read
from hkgit.errors import InvalidInput
from tests.support.cases import cases

HASH = "0123456789ab"


@cases(
    "path, root, expected",
    {
        "relative": ("a.py", "/r", "a.py"),
        "leading dot": ("./a.py", None, "a.py"),
        "leading dots and slashes": (".//./a.py", None, "a.py"),
        "below the root": ("/r/s/a.py", "/r/s", "a.py"),
        "root with a slash": ("/r/s/./a.py", "/r/s/", "a.py"),
        "beside the root": ("/rs/a.py", "/r", "/rs/a.py"),
        "the root itself": ("/r", "/r", "/r"),
        "without a root": ("/r/a.py", None, "/r/a.py"),
        "a drive": ("C:\\r\\a\\b.py", "c:\\r", "a/b.py"),
        "a drive with slashes": ("C:/r/a.py", "C:\\r", "a.py"),
        "another drive": ("D:\\r\\a.py", "C:\\r", "D:\\r\\a.py"),
        "above the root": ("../a.py", "/r", "../a.py"),
        "a name of dots": ("..a", None, "..a"),
        "a backslash": ("a\\b.py", "/r", "a\\b.py"),
    },
)
def test_a_path_below_the_root_becomes_relative(path: str, root: str | None, expected: str) -> None:
    assert relative_path(path, root) == expected


@cases(
    "argument, expected",
    {
        "whole file": (f"a.py={HASH}", Read("a.py", None, None, HASH)),
        "range": (f"a.py:3-5={HASH}", Read("a.py", 3, 5, HASH)),
        "one line": (f"a.py:3={HASH}", Read("a.py", 3, 3, HASH)),
        "empty range": (f"a.py:1-0={HASH}", Read("a.py", 1, 0, HASH)),
        "odd path": (f"a:b=c:1-2={HASH.upper()}", Read("a:b=c", 1, 2, HASH)),
        "a range in the name": (f"a:1-2:3-4={HASH}", Read("a:1-2", 3, 4, HASH)),
        "a hash in it": (f"a={HASH}={HASH}", Read(f"a={HASH}", None, None, HASH)),
        "all 64 digits": ("a=" + "f" * 64, Read("a", None, None, "f" * 64)),
    },
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
