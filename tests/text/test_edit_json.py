"""The one written form of an edit: every kind and field of it, and what is refused."""

import json

import pytest

from hkgit.edits import (
    EXECUTABLE,
    NOTATIONS,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.errors import InvalidInput
from hkgit.text.edit_json import OPERATIONS, expect_sayable, parse_edit, write_edit
from hkgit.text.strict_json import ROOT, Node
from tests.support.cases import cases

HASH = "0123456789ab"
EDITS: list[AnyEdit] = [
    Edit("a", "", ""),
    Edit("a\udcff", "x\udcfe", "\u2028é\r", HASH, 0, replace_all=True, expected_count=2),
    Edit("a", "x", "y", anchors=("f", ""), final_newline=False, at_end=True, heading="h"),
    Edit("a", "x\n", "y\n", whole_lines=True),
    ReplaceRange("a", 1, 2, ()),
    ReplaceRange("a", 1, 1, ("x", "\udcff"), HASH),
    InsertAfter("a", 0, ("x",)),
    TagEdit("a", "ab", "cd", ("x",), 3, HASH, is_exclusive=True),
    TagEdit("a", "ab"),
    CreateFile("a", "x", EXECUTABLE),
    WriteFile("a", "x", HASH),
    DeleteFile("a", old_text=""),
    RenameFile("a", "b", HASH),
    SetMode("a", EXECUTABLE),
]


@pytest.mark.parametrize("edit", EDITS, ids=repr)
def test_an_edit_is_read_as_it_was_written(edit: AnyEdit) -> None:
    written = json.loads(json.dumps(write_edit(edit), ensure_ascii=False).encode())
    assert repr(parse_edit(Node(ROOT, written))) == repr(edit)


def test_every_kind_has_its_operation() -> None:
    assert {type(edit) for edit in EDITS} == {*OPERATIONS.values()}


def test_a_field_that_says_nothing_is_left_out() -> None:
    said = {"op": "replace_text", "path": "a", "old_text": "x", "new_text": "y"}
    assert write_edit(Edit("a", "x", "y", suspects=("=====",))) == said


GOOD = {"op": "replace_range", "path": "a", "start_line": 2, "end_line": 3, "new_lines": []}


@cases(
    {
        "what is never written": ({"suspects": ["x"]}, ROOT),
        "needless": ({"new_lines": [{"base64": "eA=="}]}, "new_lines[0].base64"),
        "bytes of two lines": ({"new_lines": [{"base64": "/wo="}]}, "new_lines[0]"),
    },
)
def test_what_is_no_edit_is_refused_at_its_place(change: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_edit(Node(ROOT, GOOD | change))
    assert refusal.value.where == where


@pytest.mark.parametrize("name", NOTATIONS)
def test_only_the_protocol_names_lines_by_number_and_replaces_them(name: str) -> None:
    edit = ReplaceRange("a", 1, 1, ())
    if name == "protocol":
        expect_sayable(name, [edit])
        return
    with pytest.raises(InvalidInput, match=f"{name} cannot express this ReplaceRange"):
        expect_sayable(name, [edit])
