"""Names of files as agents write them: what each means, and the answer where none is."""

import pytest

from hkgit.applying.planner import plan
from hkgit.applying.workspace import resolve_names, resolve_path
from hkgit.dialects.file_names import parse_expect, relative_path
from hkgit.edits import AnyEdit, Edit, Read, Spec
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.planning import snapshot

FILES = snapshot(
    dict.fromkeys(
        ["app.py", "src/main.py", "src/util/io.py", "lib/util/io.py", "lib/io.py", "x.yio.py"], b""
    )
)


def names(*edits: AnyEdit, dialect: str = "search-replace") -> list[str]:
    spec = Spec(dialect, edits, sequential=True)
    return [edit.path for edit in resolve_names(spec, FILES).edits]


@cases(
    {
        "exact": ("app.py", "app.py"),
        "a unique basename": ("main.py", "src/main.py"),
        "exact, though others end alike": ("src/util/io.py", "src/util/io.py"),
        "exact below": ("lib/util/io.py", "lib/util/io.py"),
        "unknown": ("new.py", "new.py"),
        "only whole parts count": ("rc/main.py", "rc/main.py"),
        "the prefix of a diff": ("a/src/main.py", "src/main.py"),
        "that of a unique basename": ("b/main.py", "src/main.py"),
        "another case": ("Src/Main.py", "src/main.py"),
        "other slashes": ("src\\main.py", "src/main.py"),
    },
)
def test_a_loose_name_means_the_file_that_ends_with_it(name: str, expected: str) -> None:
    assert names(Edit(name, "x", "y")) == [expected]


@cases(
    {
        "base": ("io.py", "fits 3 files: lib/io.py, lib/util/io.py, src/util/io.py"),
        "suffix": ("util/io.py", "fits 2 files: lib/util/io.py, src/util/io.py"),
    },
)
def test_a_name_of_several_files_lists_them(name: str, listed: str) -> None:
    with pytest.raises(InvalidInput, match=listed):
        names(Edit(name, "x", "y"))


def test_a_file_that_the_spec_creates_is_meant_by_its_name() -> None:
    assert names(Edit("main.py", "", "x"), Edit("main.py", "x", "y")) == ["main.py", "main.py"]


def test_other_dialects_name_files_whole() -> None:
    assert names(Edit("main.py", "x", "y"), dialect="harnesskit") == ["main.py"]


def test_a_name_that_exists_needs_no_list_of_files() -> None:
    assert resolve_path("a", lambda _: True, lambda: pytest.fail("listed")) == "a"


@cases(
    {
        "another case": ("src/Main.py", "src/main.py"),
        "elsewhere": ("lib/main.py", "src/main.py"),
        "a letter more": ("src/maain.py", "src/main.py"),
        "several of one name": ("Util/IO.py", "lib/io.py or lib/util/io.py or src/util/io.py"),
    },
)
def test_a_path_that_is_not_there_is_answered_with_those_like_it(path: str, meant: str) -> None:
    made = plan(Spec("text-editor", (Edit(path, "x", "y"),), sequential=True), FILES)
    assert f"Did you mean {meant}?" in str(made.first_error)


HASH = "0123456789ab"


@cases(
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
