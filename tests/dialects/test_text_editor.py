"""The calls of edit tools, in every spelling, out of every envelope."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, WriteFile
from hkgit.errors import InvalidInput

HASH = "0123456789ab"
CALL = {"command": "str_replace", "path": "x", "old_str": "a", "new_str": "b"}
CHANGE = Edit("x", "a", "b")


def read(value: object) -> tuple[AnyEdit, ...]:
    return dialects.parse(json.dumps(value)).edits


@pytest.mark.parametrize(
    ("call", "edits"),
    [
        pytest.param(CALL, [CHANGE], id="str_replace"),
        pytest.param({**CALL, "file_text": None, "view_range": None}, [CHANGE], id="nulls"),
        pytest.param(
            {"command": "str_replace", "path": "x", "old_str": "a"},
            [Edit("x", "a", "")],
            id="a missing new_str deletes",
        ),
        pytest.param(
            {"command": "create", "path": "x", "file_text": "a"},
            [CreateFile("x", "a")],
            id="create",
        ),
        pytest.param(
            {"command": "insert", "path": "x", "insert_line": 0, "insert_text": "a\nb"},
            [InsertAfter("x", 0, ("a", "b"))],
            id="insert at the top",
        ),
        pytest.param(
            {"command": "insert", "path": "x", "insert_line": 3, "new_str": "a\n"},
            [InsertAfter("x", 3, ("a",))],
            id="insert, older spelling",
        ),
        pytest.param(
            {"command": "create", "path": "x", "new_str": "a", "summary": "Why"},
            [CreateFile("x", "a")],
            id="create with new_str",
        ),
        pytest.param(
            {"command": "write", "path": "x", "file_text": "a"}, [WriteFile("x", "a")], id="write"
        ),
        pytest.param(
            {"command": "append", "path": "x", "new_str": "a"},
            [Edit("x", "", "a", at_end=True)],
            id="append",
        ),
        pytest.param(
            {**CALL, "file_text": "", "insert_line": 0, "view_range": [], "security_risk": "LOW"},
            [CHANGE],
            id="parameters of other commands that are empty",
        ),
        pytest.param(
            {"command": "strReplace", "path": "x", "oldStr": "a", "newStr": "b"},
            [CHANGE],
            id="oldStr",
        ),
        pytest.param({"path": "x", "before": "a", "after": "b"}, [CHANGE], id="before and after"),
        pytest.param(
            {
                "explanation": "Why",
                "replacements": [
                    {"filePath": "x", "oldString": "a", "newString": "b", "explanation": "Why"},
                    {"filePath": "y", "oldString": "a", "newString": "b"},
                ],
            },
            [CHANGE, Edit("y", "a", "b")],
            id="edits that name their files",
        ),
        pytest.param(
            {"file_path": "x", "edits": '[{"old_string": "a", "new_string": "b"}]'},
            [CHANGE],
            id="edits in a string",
        ),
        pytest.param(
            {"path": "x", "edits": json.dumps({"oldText": "a", "newText": "b"})},
            [CHANGE],
            id="one edit in a string",
        ),
        pytest.param(
            {"file_path": "x", "edits": {"old_string": "a", "new_string": "b"}},
            [CHANGE],
            id="one edit without a list",
        ),
        pytest.param(
            {
                "TargetFile": "x",
                "ReplacementChunks": [
                    {"TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": "False"}
                ],
            },
            [CHANGE],
            id="chunks",
        ),
        pytest.param(
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "replace_all": "True",
                "expected_replacements": "2",
            },
            [Edit("x", "a", "b", replace_all=True, expected_count=2)],
            id="a flag and a count as strings",
        ),
        pytest.param([{"command": "view", "path": "x"}, CALL], [CHANGE], id="a view is no edit"),
        pytest.param(
            {"file_path": "x", "old_string": "a", "new_string": "b"}, [CHANGE], id="old_string"
        ),
        pytest.param(
            {"file_path": "x", "old_string": "", "new_string": "b"},
            [Edit("x", "", "b")],
            id="an empty old_string",
        ),
        pytest.param(
            {"filePath": "x", "oldString": "a", "newString": "b", "replaceAll": False},
            [CHANGE],
            id="oldString",
        ),
        pytest.param(
            {"path": "x", "edits": [{"oldText": "a", "newText": "b"}]}, [CHANGE], id="oldText"
        ),
        pytest.param(
            {
                "file_path": "x",
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "b", "new_string": "c", "replace_all": True},
                ],
            },
            [CHANGE, Edit("x", "b", "c", replace_all=True)],
            id="edits in sequence",
        ),
        pytest.param({"file_path": "x", "content": "a"}, [WriteFile("x", "a")], id="whole file"),
        pytest.param(
            {"name": "editor", "input": {"path": "x", "new_text": "a\n", "insert_line": 1}},
            [InsertAfter("x", 0, ("a",))],
            id="editor, before a line",
        ),
        pytest.param(
            {"path": "x", "old_text": None, "new_text": "a", "insert_line": "3"},
            [InsertAfter("x", 2, ("a",))],
            id="editor, before a line in a string",
        ),
        pytest.param({"path": "x", "new_text": "a"}, [CreateFile("x", "a")], id="editor, new file"),
        pytest.param(
            {"path": "x", "old_text": "a", "new_text": "b", "insert_line": None},
            [CHANGE],
            id="editor, replacement",
        ),
        pytest.param(
            [
                {"path": "x", "old_text": "a", "new_text": "b"},
                {"path": "x", "new_text": "a", "insert_line": 1},
            ],
            [CHANGE, InsertAfter("x", 0, ("a",))],
            id="editor, several calls",
        ),
        pytest.param(
            {"file_path": "x", "old_string": "a", "new_string": "b", "replace_all": True},
            [Edit("x", "a", "b", replace_all=True)],
            id="replace_all",
        ),
        pytest.param(
            {"path": "x", "old_string": "a", "new_string": "b", "allow_multiple": True},
            [Edit("x", "a", "b", replace_all=True)],
            id="allow_multiple",
        ),
        pytest.param(
            {"file_path": "x", "old_string": "a", "new_string": "b", "expected_replacements": 3},
            [Edit("x", "a", "b", replace_all=True, expected_count=3)],
            id="a count",
        ),
        pytest.param(
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "expected_replacements": 1,
                "instruction": "Why",
            },
            [CHANGE],
            id="a count of one is what every edit expects",
        ),
        pytest.param(
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "replace_all": True,
                "expected_replacements": 1,
            },
            [Edit("x", "a", "b", replace_all=True, expected_count=1)],
            id="all, and one",
        ),
        pytest.param(
            {**CALL, "expected_hash": HASH.upper()}, [Edit("x", "a", "b", HASH)], id="a hash"
        ),
        pytest.param(
            {"file_path": "x", "content": "a", "expected_hash": HASH},
            [WriteFile("x", "a", HASH)],
            id="a hash of a whole file",
        ),
        pytest.param(
            {
                "command": "insert",
                "path": "x",
                "insert_line": 1,
                "insert_text": "a",
                "expected_hash": HASH,
            },
            [InsertAfter("x", 1, ("a",), HASH)],
            id="a hash of a line",
        ),
    ],
)
def test_a_call_becomes_edits(call: object, edits: list[AnyEdit]) -> None:
    assert read(call) == tuple(edits)


@pytest.mark.parametrize(
    "envelope",
    [
        pytest.param({"name": "edit", "input": CALL}, id="input"),
        pytest.param({"type": "tool_use", "id": "1", "name": "edit", "input": CALL}, id="tool_use"),
        pytest.param({"name": "edit", "arguments": CALL}, id="arguments"),
        pytest.param({"name": "edit", "arguments": json.dumps(CALL)}, id="arguments in a string"),
        pytest.param(
            {"id": "1", "function": {"name": "edit", "arguments": json.dumps(CALL)}},
            id="a function",
        ),
        pytest.param(
            {"tool_calls": [{"function": {"name": "e", "arguments": json.dumps(CALL)}}]},
            id="tool_calls",
        ),
        pytest.param([CALL], id="a list"),
        pytest.param(
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "So:"},
                    {"type": "tool_use", "name": "edit", "input": CALL},
                ],
            },
            id="a message",
        ),
    ],
)
def test_an_envelope_is_opened(envelope: object) -> None:
    assert read(envelope) == (CHANGE,)


def test_calls_may_stand_one_a_line() -> None:
    assert len(dialects.parse(f"{json.dumps(CALL)}\n{json.dumps(CALL)}\n").edits) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            {**CALL, "old_str": ""},
            'old_str: expected the text to replace, found ""',
            id="str_replace of nothing",
        ),
        pytest.param(
            {**CALL, "command": "undo_edit"}, "command: undo_edit is not an edit", id="undo"
        ),
        pytest.param({**CALL, "command": "mv"}, "command: expected view, create,", id="another"),
        pytest.param({"file_path": "x", "old_string": "a"}, "no new text", id="no new_string"),
        pytest.param(
            {"command": "append", "path": "x", "new_str": "a", "insert_line": 2},
            'unknown key "insert_line"',
            id="a place to append at",
        ),
        pytest.param({**CALL, "oldString": "a"}, '"oldString" and another name of it', id="twice"),
        pytest.param({**CALL, "line": 1}, 'unknown key "line"', id="unknown key"),
        pytest.param({"command": "create", "path": "x"}, 'missing key "file_text"', id="no text"),
        pytest.param(
            {"command": "insert", "path": "x", "insert_line": -1, "insert_text": "a"},
            "insert_line: expected an integer from 0, found -1",
            id="above the top",
        ),
        pytest.param({"old_string": "a", "new_string": "b"}, 'missing key "path"', id="no path"),
        pytest.param({"file_path": "", "content": ""}, "file_path: expected a path", id="no name"),
        pytest.param(
            {"file_path": "x", "edits": [{"old_string": 1}]},
            "edits[0].old_string: expected a string, found 1",
            id="inside edits",
        ),
        pytest.param(
            {"file_path": "x", "old_string": "a", "expected_replacements": 0},
            "expected_replacements: expected an integer from 1",
            id="no replacements",
        ),
        pytest.param(
            {"file_path": "x", "old_string": "a", "replace_all": "yes"},
            "replace_all: expected true or false",
            id="no boolean",
        ),
        pytest.param(
            {"path": "x", "edits": [{"path": "y", "oldText": "a", "newText": "b"}]},
            "edits[0]: a second name of the file",
            id="two names",
        ),
        pytest.param([CALL, 1], "[1]: expected a call", id="no call"),
        pytest.param(
            {"path": "x", "old_text": "a", "new_text": "b", "insert_line": 1},
            'unknown key "old_text"',
            id="a replacement that is an insertion too",
        ),
        pytest.param(
            {"path": "x", "new_text": "b", "insert_line": 0}, "insert_line", id="before line 0"
        ),
        pytest.param({"command": "view", "path": "x"}, "empty spec", id="nothing but a view"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused(call: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(json.dumps(call), "text-editor")
    assert message in str(refusal.value)
