"""Loose file names, settled against the files that are there."""

from __future__ import annotations

import pytest

from hkgit.applying.planner import plan
from hkgit.applying.workspace import resolve_names
from hkgit.edits import AnyEdit, Edit, Spec
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.planning import snapshot

FILES = snapshot({"src/app.py": b"", "src/a/util.py": b"", "src/b/util.py": b"", "top.py": b""})


def names(*edits: AnyEdit, dialect: str = "search-replace") -> list[str]:
    spec = Spec(dialect, edits, sequential=True)
    return [edit.path for edit in resolve_names(spec, FILES).edits]


@cases(
    "name, path",
    {
        "whole": ("src/app.py", "src/app.py"),
        "the only one of that name": ("app.py", "src/app.py"),
        "the only one that ends so": ("a/util.py", "src/a/util.py"),
        "one that is there is meant itself": ("top.py", "top.py"),
        "none stays as it is": ("absent.py", "absent.py"),
    },
)
def test_a_loose_name_means_the_file_that_ends_with_it(name: str, path: str) -> None:
    assert names(Edit(name, "x", "y")) == [path]


def test_a_name_of_several_files_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"src/a/util\.py, src/b/util\.py"):
        names(Edit("util.py", "x", "y"))


def test_a_file_that_the_spec_creates_is_meant_by_its_name() -> None:
    assert names(Edit("app.py", "", "x"), Edit("app.py", "x", "y")) == ["app.py", "app.py"]


def test_a_file_that_is_not_there_is_answered_with_its_namesakes() -> None:
    edits = [Edit("lib/Util.py", "x", "y")]
    made = plan(Spec("text-editor", tuple(edits), sequential=True), FILES)
    assert "Did you mean src/a/util.py or src/b/util.py?" in str(made.first_error)


def test_other_dialects_name_files_whole() -> None:
    assert names(Edit("app.py", "x", "y"), dialect="harnesskit") == ["app.py"]
