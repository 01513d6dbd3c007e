"""The protocol's own spec: what each operation means, and what is refused by JSON path."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
)
from hkgit.errors import InvalidInput
from tests.support.notations import write

HASH = "0123456789ab"
RANGE = {"op": "replace_range", "path": "a.py", "start_line": 10, "end_line": 12}


def spec(*operations: object, **about: object) -> str:
    return json.dumps({"version": "1", "operations": operations, **about})


@pytest.mark.parametrize(
    ("operation", "edit"),
    [
        pytest.param(
            {**RANGE, "expected_hash": HASH, "new_text": "x\n"},
            ReplaceRange("a.py", 10, 12, ("x",), HASH),
            id="replace_range",
        ),
        pytest.param(
            {**RANGE, "expected_hash": HASH.upper() * 5, "new_lines": ["x", ""]},
            ReplaceRange("a.py", 10, 12, ("x", ""), HASH * 5),
            id="new_lines, long hash",
        ),
        pytest.param(
            {**RANGE, "new_text": "x"}, ReplaceRange("a.py", 10, 12, ("x",)), id="without a hash"
        ),
        pytest.param(
            {**RANGE, "op": "delete_range", "expected_hash": HASH},
            ReplaceRange("a.py", 10, 12, (), HASH),
            id="delete_range",
        ),
        pytest.param(
            {
                "op": "insert_after",
                "path": "a.py",
                "after_line": 0,
                "expected_hash": HASH,
                "new_lines": ["x", "y"],
            },
            InsertAfter("a.py", 0, ("x", "y"), HASH),
            id="insert_after the top",
        ),
        pytest.param(
            {"op": "create_file", "path": "b/b.py", "new_text": "x\r\ny"},
            CreateFile("b/b.py", "x\r\ny"),
            id="create_file byte for byte",
        ),
        pytest.param(
            {"op": "delete_file", "path": "c", "expected_hash": HASH},
            DeleteFile("c", HASH),
            id="delete_file",
        ),
        pytest.param(
            {"op": "rename_file", "path": "d", "new_path": "e", "expected_hash": HASH},
            RenameFile("d", "e", HASH),
            id="rename_file",
        ),
        pytest.param(
            {"op": "replace_text", "path": "f", "old_text": "x", "new_text": ""},
            Edit("f", "x", ""),
            id="replace_text",
        ),
        pytest.param(
            {"op": "delete_file", "path": "a\\b"},
            DeleteFile("a\\b"),
            id="a backslash stays as it is",
        ),
    ],
)
def test_an_operation_becomes_an_edit(operation: dict[str, object], edit: AnyEdit) -> None:
    assert dialects.parse(spec(operation)).edits == (edit,)


@pytest.mark.parametrize(
    ("new_text", "lines"),
    [
        pytest.param("", (), id="no lines"),
        pytest.param("\n", ("",), id="one empty line"),
        pytest.param("a", ("a",), id="without a final newline"),
        pytest.param("a\n", ("a",), id="with one"),
        pytest.param("a\n\n", ("a", ""), id="with two"),
        pytest.param("a\r\nb\r\n", ("a", "b"), id="CRLF"),
        pytest.param("a\rb\r", ("a\rb\r",), id="a lone carriage return is text"),
        pytest.param("a\f\u2028b", ("a\f\u2028b",), id="other separators are text"),
    ],
)
def test_new_text_is_lines(new_text: str, lines: tuple[str, ...]) -> None:
    [edit] = dialects.parse(spec({**RANGE, "new_text": new_text})).edits
    assert edit == ReplaceRange("a.py", 10, 12, lines)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"start_line": "12"},
            'start_line: expected an integer from 1, found "12"',
            id="a string for a line",
        ),
        pytest.param(
            {"start_line": True},
            "start_line: expected an integer from 1, found true",
            id="a boolean for a line",
        ),
        pytest.param(
            {"start_line": 0}, "start_line: expected an integer from 1, found 0", id="line 0"
        ),
        pytest.param(
            {"end_line": 9}, "end_line: expected an integer from 10, found 9", id="end before start"
        ),
        pytest.param(
            {"expected_hash": "0123456789a"},
            "expected_hash: expected 12 to 64 hex",
            id="a short hash",
        ),
        pytest.param(
            {"expected_hash": "z" * 12}, "expected_hash: expected 12 to 64 hex", id="no hex"
        ),
        pytest.param(
            {"expected_hash": "0" * 65}, "expected_hash: expected 12 to 64 hex", id="a long hash"
        ),
        pytest.param(
            {"expected_hash": None},
            "expected_hash: expected a hash, found null",
            id="null for a hash",
        ),
        pytest.param({"path": ""}, 'path: expected a path, found ""', id="no path"),
        pytest.param({"path": "./a"}, "path: expected a path from the root", id="dot"),
        pytest.param({"path": "a//b"}, "path: expected a path from the root", id="two slashes"),
        pytest.param({"path": "a/../b"}, "path: expected a path from the root", id="dots"),
        pytest.param({"path": "/a"}, "path: expected a path from the root", id="absolute"),
        pytest.param({"path": "a/"}, "path: expected a path from the root", id="directory"),
        pytest.param(
            {"new_lines": ["a"]},
            ' expected either "new_text" or "new_lines", found both',
            id="both texts",
        ),
        pytest.param({"lines": 1}, ' unknown key "lines"', id="unknown key"),
        pytest.param(
            {"op": "replace"},
            'op: expected the name of an operation, found "replace"',
            id="unknown operation",
        ),
        pytest.param({"op": 1}, "op: expected a string, found 1", id="a number for an operation"),
        pytest.param({"new_text": 1}, "new_text: expected a string, found 1", id="text"),
    ],
)
def test_a_wrong_value_is_refused_at_its_path(change: dict[str, object], message: str) -> None:
    good = {**RANGE, "new_text": "x"}
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(spec(good, {**good, **change}))
    where, _, what = message.partition(":") if not message.startswith(" ") else ("", "", message)
    path = f"operations[1].{where}" if where else "operations[1]"
    assert str(refusal.value).startswith(f"{path}:{what}")


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        pytest.param(
            {**RANGE}, 'expected either "new_text" or "new_lines", found neither', id="no text"
        ),
        pytest.param(
            {**RANGE, "new_lines": ["a\nb"]},
            "[0].new_lines[0]: expected a line without",
            id="a line end in a line",
        ),
        pytest.param({**RANGE, "new_lines": [1]}, "new_lines[0]: expected a line", id="line"),
        pytest.param({**RANGE, "new_lines": "a"}, 'expected a list of lines, found "a"', id="list"),
        pytest.param({"op": "delete_range", "path": "a"}, 'missing key "start_line"', id="missing"),
        pytest.param(
            {**RANGE, "op": "delete_range", "new_text": ""},
            'unknown key "new_text"',
            id="a deletion with text",
        ),
        pytest.param(
            {"op": "create_file", "path": "a", "new_text": "", "expected_hash": HASH},
            'unknown key "expected_hash"',
            id="a new file has no hash",
        ),
        pytest.param(
            {"op": "rename_file", "path": "a", "new_path": "/b"},
            "operations[0].new_path: expected a path from the root",
            id="new_path",
        ),
        pytest.param(
            {"op": "replace_text", "path": "a", "old_text": "", "new_text": "b"},
            "operations[0].old_text: expected the text to replace",
            id="nothing to find",
        ),
        pytest.param(
            {"op": "insert_after", "path": "a", "after_line": -1, "new_text": "b"},
            "after_line: expected an integer from 0, found -1",
            id="before the top",
        ),
        pytest.param({"path": "a"}, 'operations[0]: missing key "op"', id="no operation"),
        pytest.param([], "operations[0]: expected an operation, found a list", id="no object"),
    ],
)
def test_an_operation_that_cannot_be_meant_is_refused(operation: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(spec(operation))
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(spec(), "empty spec", id="no operations"),
        pytest.param(spec(RANGE, version="2"), 'version: expected "1", found "2"', id="version 2"),
        pytest.param(spec(RANGE, version=1), 'version: expected "1", found 1', id="a number"),
        pytest.param('{"operations": [{"op": 1}]}', 'missing key "version"', id="no version"),
        pytest.param('{"version": "1", "op": 1}', 'unknown key "op"', id="no operations key"),
        pytest.param(spec(RANGE, extra=1), 'the document: unknown key "extra"', id="unknown key"),
        pytest.param(spec(RANGE, agent="a\nb"), "agent: expected one line", id="two lines"),
        pytest.param(spec(RANGE, agent="a\u2028"), "agent: expected one line", id="separator"),
        pytest.param(spec(RANGE, summary="\x1b[1m"), "summary: expected one line", id="escape"),
        pytest.param(spec(RANGE, base=""), "base: expected one line", id="no base"),
        pytest.param(spec(RANGE, base=7), "base: expected one line", id="base that is no text"),
        pytest.param(spec(RANGE) + "\n" + spec(RANGE), "found 2", id="two specs"),
    ],
)
def test_a_document_that_is_no_spec_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(text, "protocol")
    assert message in str(refusal.value)


def test_what_a_spec_says_about_itself_is_kept() -> None:
    about = {"base": "main~1", "agent": "x/1", "summary": "Say é"}
    found = dialects.parse(spec({**RANGE, "new_text": ""}, **about))
    assert found.base == "main~1"
    assert found.agent == "x/1"
    assert found.summary == "Say é"


def test_all_operations_speak_of_the_base() -> None:
    assert not dialects.parse(spec({**RANGE, "new_text": ""})).sequential


@pytest.mark.parametrize(
    "edit",
    [
        CreateFile("a", "x"),
        DeleteFile("a"),
        DeleteFile("a", HASH),
        RenameFile("a", "b", HASH),
        Edit("a", "x", "y", HASH),
        InsertAfter("a", 0, ()),
        ReplaceRange("a", 1, 2, ("\r",)),
    ],
    ids=repr,
)
def test_every_operation_reads_as_it_was_rendered(edit: AnyEdit) -> None:
    assert dialects.parse(write("protocol", [edit])).edits == (edit,)
