"""The calls of edit tools, in every spelling, out of every envelope."""

from __future__ import annotations

import json

from hkgit import dialects
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, WriteFile
from tests.support.cases import cases
from tests.support.notations import refusal_of

HASH = "0123456789ab"
CALL = {"command": "str_replace", "path": "x", "old_str": "a", "new_str": "b"}
CHANGE = Edit("x", "a", "b")


def read(value: object) -> tuple[AnyEdit, ...]:
    return dialects.parse(json.dumps(value)).edits


@cases(
    "call, edits",
    {
        "str_replace": (CALL, [CHANGE]),
        "nulls": ({**CALL, "file_text": None, "view_range": None}, [CHANGE]),
        "a missing new_str deletes": (
            {"command": "str_replace", "path": "x", "old_str": "a"},
            [Edit("x", "a", "")],
        ),
        "create": ({"command": "create", "path": "x", "file_text": "a"}, [CreateFile("x", "a")]),
        "insert at the top": (
            {"command": "insert", "path": "x", "insert_line": 0, "insert_text": "a\nb"},
            [InsertAfter("x", 0, ("a", "b"))],
        ),
        "insert, older spelling": (
            {"command": "insert", "path": "x", "insert_line": 3, "new_str": "a\n"},
            [InsertAfter("x", 3, ("a",))],
        ),
        "create with new_str": (
            {"command": "create", "path": "x", "new_str": "a", "summary": "Why"},
            [CreateFile("x", "a")],
        ),
        "write": ({"command": "write", "path": "x", "file_text": "a"}, [WriteFile("x", "a")]),
        "append": (
            {"command": "append", "path": "x", "new_str": "a"},
            [Edit("x", "", "a", at_end=True)],
        ),
        "parameters of other commands that are empty": (
            {**CALL, "file_text": "", "insert_line": 0, "view_range": [], "security_risk": "LOW"},
            [CHANGE],
        ),
        "oldStr": ({"command": "strReplace", "path": "x", "oldStr": "a", "newStr": "b"}, [CHANGE]),
        "before and after": ({"path": "x", "before": "a", "after": "b"}, [CHANGE]),
        "edits that name their files": (
            {
                "explanation": "Why",
                "replacements": [
                    {"filePath": "x", "oldString": "a", "newString": "b", "explanation": "Why"},
                    {"filePath": "y", "oldString": "a", "newString": "b"},
                ],
            },
            [CHANGE, Edit("y", "a", "b")],
        ),
        "edits in a string": (
            {"file_path": "x", "edits": '[{"old_string": "a", "new_string": "b"}]'},
            [CHANGE],
        ),
        "one edit in a string": (
            {"path": "x", "edits": json.dumps({"oldText": "a", "newText": "b"})},
            [CHANGE],
        ),
        "one edit without a list": (
            {"file_path": "x", "edits": {"old_string": "a", "new_string": "b"}},
            [CHANGE],
        ),
        "chunks": (
            {
                "TargetFile": "x",
                "ReplacementChunks": [
                    {"TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": "False"}
                ],
            },
            [CHANGE],
        ),
        "a flag and a count as strings": (
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "replace_all": "True",
                "expected_replacements": "2",
            },
            [Edit("x", "a", "b", replace_all=True, expected_count=2)],
        ),
        "a view is no edit": ([{"command": "view", "path": "x"}, CALL], [CHANGE]),
        "old_string": ({"file_path": "x", "old_string": "a", "new_string": "b"}, [CHANGE]),
        "an empty old_string": (
            {"file_path": "x", "old_string": "", "new_string": "b"},
            [Edit("x", "", "b")],
        ),
        "oldString": (
            {"filePath": "x", "oldString": "a", "newString": "b", "replaceAll": False},
            [CHANGE],
        ),
        "oldText": ({"path": "x", "edits": [{"oldText": "a", "newText": "b"}]}, [CHANGE]),
        "edits in sequence": (
            {
                "file_path": "x",
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "b", "new_string": "c", "replace_all": True},
                ],
            },
            [CHANGE, Edit("x", "b", "c", replace_all=True)],
        ),
        "whole file": ({"file_path": "x", "content": "a"}, [WriteFile("x", "a")]),
        "editor, before a line": (
            {"name": "editor", "input": {"path": "x", "new_text": "a\n", "insert_line": 1}},
            [InsertAfter("x", 0, ("a",))],
        ),
        "editor, before a line in a string": (
            {"path": "x", "old_text": None, "new_text": "a", "insert_line": "3"},
            [InsertAfter("x", 2, ("a",))],
        ),
        "editor, new file": ({"path": "x", "new_text": "a"}, [CreateFile("x", "a")]),
        "editor, replacement": (
            {"path": "x", "old_text": "a", "new_text": "b", "insert_line": None},
            [CHANGE],
        ),
        "editor, several calls": (
            [
                {"path": "x", "old_text": "a", "new_text": "b"},
                {"path": "x", "new_text": "a", "insert_line": 1},
            ],
            [CHANGE, InsertAfter("x", 0, ("a",))],
        ),
        "replace_all": (
            {"file_path": "x", "old_string": "a", "new_string": "b", "replace_all": True},
            [Edit("x", "a", "b", replace_all=True)],
        ),
        "allow_multiple": (
            {"path": "x", "old_string": "a", "new_string": "b", "allow_multiple": True},
            [Edit("x", "a", "b", replace_all=True)],
        ),
        "a count": (
            {"file_path": "x", "old_string": "a", "new_string": "b", "expected_replacements": 3},
            [Edit("x", "a", "b", replace_all=True, expected_count=3)],
        ),
        "a count of one is what every edit expects": (
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "expected_replacements": 1,
                "instruction": "Why",
            },
            [CHANGE],
        ),
        "all, and one": (
            {
                "file_path": "x",
                "old_string": "a",
                "new_string": "b",
                "replace_all": True,
                "expected_replacements": 1,
            },
            [Edit("x", "a", "b", replace_all=True, expected_count=1)],
        ),
        "a hash": ({**CALL, "expected_hash": HASH.upper()}, [Edit("x", "a", "b", HASH)]),
        "a hash of a whole file": (
            {"file_path": "x", "content": "a", "expected_hash": HASH},
            [WriteFile("x", "a", HASH)],
        ),
        "a hash of a line": (
            {
                "command": "insert",
                "path": "x",
                "insert_line": 1,
                "insert_text": "a",
                "expected_hash": HASH,
            },
            [InsertAfter("x", 1, ("a",), HASH)],
        ),
    },
)
def test_a_call_becomes_edits(call: object, edits: list[AnyEdit]) -> None:
    assert read(call) == tuple(edits)


@cases(
    "envelope",
    {
        "input": {"name": "edit", "input": CALL},
        "tool_use": {"type": "tool_use", "id": "1", "name": "edit", "input": CALL},
        "arguments": {"name": "edit", "arguments": CALL},
        "arguments in a string": {"name": "edit", "arguments": json.dumps(CALL)},
        "a function": {"id": "1", "function": {"name": "edit", "arguments": json.dumps(CALL)}},
        "tool_calls": {"tool_calls": [{"function": {"name": "e", "arguments": json.dumps(CALL)}}]},
        "a list": [CALL],
        "a message": (
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "So:"},
                    {"type": "tool_use", "name": "edit", "input": CALL},
                ],
            }
        ),
    },
)
def test_an_envelope_is_opened(envelope: object) -> None:
    assert read(envelope) == (CHANGE,)


def test_calls_may_stand_one_a_line() -> None:
    assert len(dialects.parse(f"{json.dumps(CALL)}\n{json.dumps(CALL)}\n").edits) == 2


@cases(
    "call, message",
    {
        "str_replace of nothing": (
            {**CALL, "old_str": ""},
            'old_str: expected the text to replace, found ""',
        ),
        "undo": ({**CALL, "command": "undo_edit"}, "command: undo_edit is not an edit"),
        "another": ({**CALL, "command": "mv"}, "command: expected view, create,"),
        "no new_string": ({"file_path": "x", "old_string": "a"}, "no new text"),
        "a place to append at": (
            {"command": "append", "path": "x", "new_str": "a", "insert_line": 2},
            'unknown key "insert_line"',
        ),
        "twice": ({**CALL, "oldString": "a"}, '"oldString" and another name of it'),
        "unknown key": ({**CALL, "line": 1}, 'unknown key "line"'),
        "no text": ({"command": "create", "path": "x"}, 'missing key "file_text"'),
        "above the top": (
            {"command": "insert", "path": "x", "insert_line": -1, "insert_text": "a"},
            "insert_line: expected an integer from 0, found -1",
        ),
        "no path": ({"old_string": "a", "new_string": "b"}, 'missing key "path"'),
        "no name": ({"file_path": "", "content": ""}, "file_path: expected a path"),
        "inside edits": (
            {"file_path": "x", "edits": [{"old_string": 1}]},
            "edits[0].old_string: expected a string, found 1",
        ),
        "no replacements": (
            {"file_path": "x", "old_string": "a", "expected_replacements": 0},
            "expected_replacements: expected an integer from 1",
        ),
        "no boolean": (
            {"file_path": "x", "old_string": "a", "replace_all": "yes"},
            "replace_all: expected true or false",
        ),
        "two names": (
            {"path": "x", "edits": [{"path": "y", "oldText": "a", "newText": "b"}]},
            "edits[0]: a second name of the file",
        ),
        "no call": ([CALL, 1], "[1]: expected a call"),
        "a replacement that is an insertion too": (
            {"path": "x", "old_text": "a", "new_text": "b", "insert_line": 1},
            'unknown key "old_text"',
        ),
        "before line 0": ({"path": "x", "new_text": "b", "insert_line": 0}, "insert_line"),
        "nothing but a view": ({"command": "view", "path": "x"}, "empty spec"),
    },
)
def test_a_call_that_cannot_be_meant_is_refused(call: object, message: str) -> None:
    assert message in refusal_of(json.dumps(call), "text-editor")
