"""The protocol's own spec: what each operation means, and what is refused by JSON path."""

import json

import pytest

from hkgit import dialects
from hkgit.edits import AnyEdit, ReplaceRange
from hkgit.errors import InvalidInput
from tests.support.cases import cases
from tests.support.notations import refusal_of

HASH = "0123456789ab"
RANGE = {"op": "replace_range", "path": "a.py", "start_line": 10, "end_line": 12}


def spec(*operations: object, **about: object) -> str:
    return json.dumps({"version": "1", "operations": operations, **about})


@cases(
    {
        "replace_range": (
            {**RANGE, "expected_hash": HASH, "new_text": "x\n"},
            ReplaceRange("a.py", 10, 12, ("x",), HASH),
        ),
        "new_lines, long hash": (
            {**RANGE, "expected_hash": HASH.upper() * 5, "new_lines": ["x", ""]},
            ReplaceRange("a.py", 10, 12, ("x", ""), HASH * 5),
        ),
        "without a hash": ({**RANGE, "new_text": "x"}, ReplaceRange("a.py", 10, 12, ("x",))),
        "delete_range": (
            {**RANGE, "op": "delete_range", "expected_hash": HASH},
            ReplaceRange("a.py", 10, 12, (), HASH),
        ),
    },
)
def test_an_operation_becomes_an_edit(operation: dict[str, object], edit: AnyEdit) -> None:
    assert dialects.parse(spec(operation)).edits == (edit,)


@cases(
    {
        "no lines": ("", ()),
        "one empty line": ("\n", ("",)),
        "without a final newline": ("a", ("a",)),
        "with one": ("a\n", ("a",)),
        "with two": ("a\n\n", ("a", "")),
        "CRLF": ("a\r\nb\r\n", ("a", "b")),
        "a lone carriage return is text": ("a\rb\r", ("a\rb\r",)),
        "other separators are text": ("a\f\u2028b", ("a\f\u2028b",)),
    },
)
def test_new_text_is_lines(new_text: str, lines: tuple[str, ...]) -> None:
    [edit] = dialects.parse(spec({**RANGE, "new_text": new_text})).edits
    assert edit == ReplaceRange("a.py", 10, 12, lines)


@cases(
    {
        "a string for a line": ({"start_line": "12"}, ".start_line", 'from 1, found "12"'),
        "end before start": ({"end_line": 9}, ".end_line", "expected an integer from 10, found 9"),
        "a short hash": ({"expected_hash": "0123456789a"}, ".expected_hash", "12 to 64 hex"),
        "no hex": ({"expected_hash": "z" * 12}, ".expected_hash", "12 to 64 hex"),
        "a long hash": ({"expected_hash": "0" * 65}, ".expected_hash", "12 to 64 hex"),
        "null for a hash": ({"expected_hash": None}, ".expected_hash", "a hash, found null"),
        "no path": ({"path": ""}, ".path", 'expected a path, found ""'),
        "dot": ({"path": "./a"}, ".path", "expected a path from the root"),
        "two slashes": ({"path": "a//b"}, ".path", "expected a path from the root"),
        "dots": ({"path": "a/../b"}, ".path", "expected a path from the root"),
        "absolute": ({"path": "/a"}, ".path", "expected a path from the root"),
        "directory": ({"path": "a/"}, ".path", "expected a path from the root"),
        "both texts": ({"new_lines": ["a"]}, "", 'either "new_text" or "new_lines", found both'),
        "unknown key": ({"lines": 1}, "", 'unknown key "lines"'),
        "unknown operation": ({"op": "replace"}, ".op", 'an operation, found "replace"'),
        "a number for an operation": ({"op": 1}, ".op", "expected a string, found 1"),
        "text": ({"new_text": 1}, ".new_text", "expected a string, found 1"),
    },
)
def test_a_wrong_value_is_refused_at_its_path(
    change: dict[str, object], where: str, what: str
) -> None:
    good = {**RANGE, "new_text": "x"}
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(spec(good, {**good, **change}))
    assert refusal.value.where == f"operations[1]{where}"
    assert what in refusal.value.what


@cases(
    {
        "no text": ({**RANGE}, 'expected either "new_text" or "new_lines", found neither'),
        "a line end in a line": (
            {**RANGE, "new_lines": ["a\nb"]},
            "[0].new_lines[0]: expected a line without",
        ),
        "line": ({**RANGE, "new_lines": [1]}, "new_lines[0]: expected a line"),
        "list": ({**RANGE, "new_lines": "a"}, 'expected a list of lines, found "a"'),
        "missing": ({"op": "delete_range", "path": "a"}, 'missing key "start_line"'),
        "a deletion with text": (
            {**RANGE, "op": "delete_range", "new_text": ""},
            'unknown key "new_text"',
        ),
        "a new file has no hash": (
            {"op": "create_file", "path": "a", "new_text": "", "expected_hash": HASH},
            'unknown key "expected_hash"',
        ),
        "new_path": (
            {"op": "rename_file", "path": "a", "new_path": "/b"},
            "operations[0].new_path: expected a path from the root",
        ),
        "nothing to find": (
            {"op": "replace_text", "path": "a", "old_text": "", "new_text": "b"},
            "operations[0].old_text: expected the text to replace",
        ),
        "before the top": (
            {"op": "insert_after", "path": "a", "after_line": -1, "new_text": "b"},
            "after_line: expected an integer from 0, found -1",
        ),
        "no operation": ({"path": "a"}, 'operations[0]: missing key "op"'),
        "no object": ([], "operations[0]: expected an operation, found a list"),
    },
)
def test_an_operation_that_cannot_be_meant_is_refused(operation: object, message: str) -> None:
    assert message in refusal_of(spec(operation))


@cases(
    {
        "no operations": (spec(), "empty spec"),
        "version 2": (spec(RANGE, version="2"), 'version: expected "1", found "2"'),
        "a number": (spec(RANGE, version=1), 'version: expected "1", found 1'),
        "no version": ('{"operations": [{"op": 1}]}', 'missing key "version"'),
        "no operations key": ('{"version": "1", "op": 1}', 'unknown key "op"'),
        "unknown key": (spec(RANGE, extra=1), 'the document: unknown key "extra"'),
        "two lines": (spec(RANGE, agent="a\nb"), "agent: expected one line"),
        "separator": (spec(RANGE, agent="a\u2028"), "agent: expected one line"),
        "escape": (spec(RANGE, summary="\x1b[1m"), "summary: expected one line"),
        "no base": (spec(RANGE, base=""), "base: expected one line"),
        "base that is no text": (spec(RANGE, base=7), "base: expected one line"),
        "two specs": (spec(RANGE) + "\n" + spec(RANGE), "found 2"),
    },
)
def test_a_document_that_is_no_spec_is_refused(text: str, message: str) -> None:
    assert message in refusal_of(text, "protocol")


def test_what_a_spec_says_about_itself_is_kept() -> None:
    about = {"base": "main~1", "agent": "x/1", "summary": "Say é"}
    found = dialects.parse(spec({**RANGE, "new_text": ""}, **about))
    assert {name: getattr(found, name) for name in about} == about
    assert not found.sequential
