"""Names of files as agents write them: what each means, and the answer where none is."""

from __future__ import annotations

import pytest

from hkgit.applying.planner import plan
from hkgit.applying.workspace import resolve_names, resolve_path
from hkgit.edits import AnyEdit, Edit, Spec
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
    "name, expected",
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
    "name, listed",
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
    "path, meant",
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
