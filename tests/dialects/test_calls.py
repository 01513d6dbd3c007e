"""The calls of edit tools, in every spelling and envelope, and the tags that name lines."""

import json
from collections.abc import Mapping

import pytest

from hkgit import (
    apply_edits,
    build_seen_hashes,
    dialects,
    line_hash,
    parse_edits,
    resolve_hash,
    tag_lines,
)
from hkgit.edits import AnyEdit, CreateFile, Edit, InsertAfter, TagEdit, WriteFile
from hkgit.errors import InvalidInput
from hkgit.text.hashes import compute_tag, compute_tags
from tests.support.cases import cases
from tests.support.notations import refusal_of, write

HASH = "0123456789ab"
CHANGE = Edit("x", "a", "b")
EVERYWHERE = Edit("x", "a", "b", replace_all=True)

EDIT = {"file": "x", "old_text": "a", "new_text": "b"}
REPLACE = {"file_path": "x", "old_string": "a", "new_string": "b"}
CAMEL = {"oldText": "a", "newText": "b"}
CALL = {"command": "str_replace", "path": "x", "old_str": "a", "new_str": "b"}
INSERT = {"command": "insert", "path": "x", "insert_line": 3, "insert_text": "a\nb"}
WHOLE = {"file_path": "x", "content": "a"}
START = {"path": "x", "hash_start": "a3"}
RANGE = {**START, "hash_stop": "Zz"}


def rid(call: Mapping[str, object], *keys: str) -> dict[str, object]:
    """A call without some of its parameters."""
    return {key: value for key, value in call.items() if key not in keys}


REPLACEMENTS = {
    "file": EDIT,
    "file_path": REPLACE,
    "path": rid(EDIT, "file") | {"path": "x"},
    "a leading dot": {**EDIT, "file": "./x"},
    "command": CALL,
    "strReplace": {"command": "strReplace", "path": "x", "oldStr": "a", "newStr": "b"},
    "before and after": {"path": "x", "before": "a", "after": "b"},
    "search and replace": {"file": "x", "search": "a", "replace": "b"},
    "original": {"file_path": "x", "original": "a", "updated": "b"},
    "oldString": {"filePath": "x", "oldString": "a", "newString": "b", "replaceAll": False},
    "a list": [EDIT],
    "edits": {"edits": [EDIT]},
    "edits of one file": {"file": "x", "edits": [rid(EDIT, "file")]},
    "old and new, in edits": {"path": "x", "edits": [{"old": "a", "new": "b"}]},
    "oldText": {"path": "x", "edits": [CAMEL]},
    "edits in a string": {"file_path": "x", "edits": json.dumps([rid(REPLACE, "file_path")])},
    "one edit in a string": {"path": "x", "edits": json.dumps(CAMEL)},
    "one edit without a list": {"file_path": "x", "edits": rid(REPLACE, "file_path")},
    "chunks": {
        "TargetFile": "x",
        "ReplacementChunks": [
            {"TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": "False"}
        ],
    },
    "nulls": {**CALL, "file_text": None, "view_range": None, "expected_hash": None},
    "parameters of other commands that are empty": (
        {**CALL, "file_text": "", "insert_line": 0, "view_range": [], "security_risk": "LOW"}
    ),
    "a view is no edit": [{"command": "view", "path": "x"}, CALL],
    "editor": {"path": "x", "old_text": "a", "new_text": "b", "insert_line": None},
    "a count of one is what every edit expects": (
        {**REPLACE, "expected_replacements": 1, "instruction": "Why"}
    ),
    "input": {"name": "edit", "input": CALL},
    "tool_use": {"type": "tool_use", "id": "1", "name": "edit", "input": CALL},
    "arguments": {"name": "edit", "arguments": CALL},
    "arguments in a string": {"name": "edit", "arguments": json.dumps(CALL)},
    "a function": {"id": "1", "function": {"name": "edit", "arguments": json.dumps(CALL)}},
    "tool_calls": {"tool_calls": [{"function": {"name": "e", "arguments": json.dumps(CALL)}}]},
    "a message": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "So:"},
            {"type": "tool_use", "name": "edit", "input": CALL},
        ],
    },
    "a message with its calls beside its parts": {
        "role": "assistant",
        "content": [{"type": "text", "text": "So:"}],
        "tool_calls": [{"function": {"name": "edit", "arguments": json.dumps(CALL)}}],
    },
    "a message that tells its call in both forms": {
        "role": "assistant",
        "content": [{"type": "tool_use", "name": "edit", "input": CALL}],
        "tool_calls": [{"function": {"name": "edit", "arguments": json.dumps(CALL)}}],
    },
}


@cases(REPLACEMENTS)
def test_a_replacement_is_one_in_every_spelling_and_envelope(call: object) -> None:
    assert dialects.parse(json.dumps(call)).edits == (CHANGE,)


def test_calls_may_stand_one_a_line() -> None:
    assert dialects.parse(f"{json.dumps(CALL)}\n{json.dumps(CALL)}\n").edits == (CHANGE, CHANGE)


@cases(
    {
        "a list": ([EDIT, EDIT], [CHANGE, CHANGE]),
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
        "an empty old text": ({**EDIT, "old_text": ""}, [Edit("x", "", "b")]),
        "a missing new_str deletes": (rid(CALL, "new_str"), [Edit("x", "a", "")]),
        "replace_all": ({**REPLACE, "replace_all": True}, [EVERYWHERE]),
        "allow_multiple": ({**REPLACE, "allow_multiple": True}, [EVERYWHERE]),
        "a flag and a count as strings": (
            {**REPLACE, "replace_all": "True", "expected_replacements": "2"},
            [Edit("x", "a", "b", replace_all=True, expected_count=2)],
        ),
        "all, and one": (
            {**REPLACE, "replace_all": True, "expected_replacements": 1},
            [Edit("x", "a", "b", replace_all=True, expected_count=1)],
        ),
        "a hash": ({**CALL, "expected_hash": HASH.upper()}, [Edit("x", "a", "b", HASH)]),
        "create with new_str": (
            {"command": "create", "path": "x", "new_str": "a", "summary": "Why"},
            [CreateFile("x", "a")],
        ),
        "write": ({"command": "write", "path": "x", "file_text": "a"}, [WriteFile("x", "a")]),
        "insert, older spelling": (
            rid(INSERT, "insert_text") | {"new_str": "a\n"},
            [InsertAfter("x", 3, ("a",))],
        ),
        "editor, before a line": (
            {"name": "editor", "input": {"path": "x", "new_text": "a\n", "insert_line": 1}},
            [InsertAfter("x", 0, ("a",))],
        ),
        "editor, before a line in a string": (
            {"path": "x", "old_text": None, "new_text": "a", "insert_line": "3"},
            [InsertAfter("x", 2, ("a",))],
        ),
        "editor, new file": ({"path": "x", "new_text": "a"}, [CreateFile("x", "a")]),
        "editor, several calls": (
            [
                {"path": "x", "old_text": "a", "new_text": "b"},
                {"path": "x", "new_text": "a", "insert_line": 1},
            ],
            [CHANGE, InsertAfter("x", 0, ("a",))],
        ),
    },
)
def test_a_call_becomes_edits(call: object, edits: list[AnyEdit]) -> None:
    assert dialects.parse(json.dumps(call)).edits == tuple(edits)


@cases(
    {
        "empty a file": ({"path": "x", "content": ""}, WriteFile("x", "")),
        "replace by nothing": ({**RANGE, "content": ""}, TagEdit("x", "a3", "Zz")),
        "null content": ({**START, "content": None}, TagEdit("x", "a3")),
        "a call": ({"name": "change_file", "input": START}, TagEdit("x", "a3")),
    },
)
def test_tags_and_content_say_what_is_meant(call: object, edit: AnyEdit) -> None:
    spec = dialects.parse(json.dumps(call))
    assert (spec.dialect, spec.edits) == ("hashline", (edit,))


@cases(
    {
        "no edits": ({"edits": []}, "empty spec"),
        "nothing but a view": ({"command": "view", "path": "x"}, "empty spec"),
        "a second name": ({"edits": [EDIT], "file": "y"}, "edits[0]: a second name of the file"),
        "a key beside edits": ({"edits": [EDIT], "note": "y"}, 'unknown key "note"'),
        "object": ({"edits": {}}, "edits: expected a list of edits, found an object"),
        "no call": ([CALL, 1], "[1]: expected a call, or its arguments, found 1"),
        "two names of a key": ({**EDIT, "path": "x"}, '"path" and another name of it'),
        "two names of a text": ({**CALL, "oldString": "a"}, '"oldString" and another name of it'),
        "no file": (rid(REPLACE, "file_path"), 'missing key "path"'),
        "no name": ({**WHOLE, "file_path": ""}, "file_path: expected a path"),
        "null": ({**EDIT, "old_text": None}, 'missing key "old_text"'),
        "nothing to do": ({"path": "x"}, 'missing key "old_text"'),
        "no new text": (rid(EDIT, "new_text"), "no new text"),
        "no new_string": (rid(REPLACE, "new_string"), "no new text"),
        "hash": ({**EDIT, "expected_hash": "1"}, "expected_hash: expected 12 to 64"),
        "mode": ({**EDIT, "mode": "x"}, 'unknown key "mode"'),
        "unknown key": ({**CALL, "line": 1}, 'unknown key "line"'),
        "str_replace of nothing": (
            {**CALL, "old_str": ""},
            'old_str: expected the text to replace, found ""',
        ),
        "undo": ({**CALL, "command": "undo_edit"}, "command: undo_edit is not an edit"),
        "another command": ({**CALL, "command": "mv"}, "command: expected view, create,"),
        "a place to append at": (
            {"command": "append", "path": "x", "new_str": "a", "insert_line": 2},
            'unknown key "insert_line"',
        ),
        "no text": ({"command": "create", "path": "x"}, 'missing key "file_text"'),
        "above the top": (
            {**INSERT, "insert_line": -1},
            "insert_line: expected an integer from 0, found -1",
        ),
        "inside edits": (
            {"file_path": "x", "edits": [{"old_string": 1}]},
            "edits[0].old_string: expected a string, found 1",
        ),
        "no replacements": (
            {**REPLACE, "expected_replacements": 0},
            "expected_replacements: expected an integer from 1",
        ),
        "no boolean": ({**REPLACE, "replace_all": "yes"}, "replace_all: expected true or false"),
        "a replacement that is an insertion too": (
            {"path": "x", "old_text": "a", "new_text": "b", "insert_line": 1},
            'unknown key "old_text"',
        ),
        "before line 0": ({"path": "x", "new_text": "b", "insert_line": 0}, "insert_line"),
        "a stop without a start": (rid(RANGE, "hash_start"), 'unknown key "hash_stop"'),
        "an offset alone": ({"path": "x", "offset": 3, "content": "a"}, 'unknown key "offset"'),
        "no lines": ({**START, "content": ""}, "content: expected lines to insert"),
        "a bar": ({**START, "hash_start": "a3|"}, "hash_start: expected a tag of two"),
        "letters": ({**START, "hash_stop": "é1"}, "hash_stop: expected a tag of two"),
        "line 0": ({**START, "offset": 0}, "offset: expected an integer from 1"),
        "unknown key beside a tag": ({**START, "lines": []}, 'unknown key "lines"'),
    },
)
def test_a_call_that_cannot_be_meant_is_refused(call: object, message: str) -> None:
    assert message in refusal_of(json.dumps(call), "harnesskit")


BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"
A_TO_B = Edit("src/x.py", "a\n", "b\n")
HUNK = "@@ -1 +1 @@\n-a\n+b\n"


def read(text: object) -> tuple[AnyEdit, ...]:
    return dialects.parse(text if isinstance(text, str) else json.dumps(text)).edits


@cases(
    {
        "a block": ({"path": "src/x.py", "diff": BLOCK}, "this is a text within a call: send it"),
        "Void's block": ({"uri": "x.py", "search_replace_blocks": BLOCK}, "a text within a call"),
        "in arguments": (
            {"name": "apply_diff", "input": {"path": "x.py", "diff": HUNK}},
            "a text within a call",
        ),
        "a sketch": ({"target_file": "x", "code_edit": "a\n"}, "this is a sketch"),
        "a cell": ({"notebook_path": "x", "new_source": "a"}, "notebook's cell"),
        "a pattern": ({"path": "x", "search": "a", "use_regex": True}, "pattern"),
        "quoted": ({"version": "1", "operations": "[]"}, "Remove the quotes around it"),
    },
)
def test_a_call_that_no_dialect_says_is_refused(call: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(call)
    assert message in str(refusal.value)


def test_what_looks_like_such_a_call_may_be_content() -> None:
    call = '{"path": "y", "diff": "1"}\n'
    assert read(f"x.json\n<<<<<<< SEARCH\na\n=======\n{call}>>>>>>> REPLACE\n") == (
        Edit("x.json", "a\n", call),
    )
    patch = f"*** Begin Patch\n*** Update File: x.json\n@@\n-a\n+{call}*** End Patch\n"
    assert read(patch) == (Edit("x.json", "a\n", call),)


@cases(
    {
        "replace_in_file": (
            "<replace_in_file>\n<path>src/x.py</path>\n<diff>\n------- SEARCH\na\n=======\nb\n"
            "+++++++ REPLACE\n</diff>\n</replace_in_file>"
        ),
        "a path in a tag": (
            f"<apply_diff>\n<path>src/x.py</path>\n<diff>\n{BLOCK}\n</diff>\n</apply_diff>\n"
        ),
        "in CDATA": (
            f"<file>\n<path>src/x.py</path>\n<diff>\n<content><![CDATA[\n{BLOCK}\n]]></content>\n"
        ),
    },
)
def test_tags_around_a_block_name_its_file(text: str) -> None:
    assert read(text) == (A_TO_B,)


@cases(
    {
        "empty": ("", "zd"),
        "a brace": ("}", "SO"),
        "code": ("def f():", "mf"),
        "indented": ("    return 1", "bg"),
        "a tab": ("\t", "lU"),
        "one unit of two bytes": ("é", "wG"),
        "two units for one letter": ("😀 x", "eG"),
        "a separator": ("\u2028", "EV"),
    },
)
def test_a_tag_is_that_of_other_readers(line: str, name: str) -> None:
    assert compute_tag(line.encode()) == name


def test_bytes_that_are_not_utf8_count_as_the_replacement_character() -> None:
    assert compute_tag(b"\xff") == compute_tag("\ufffd".encode())


def test_two_lines_that_share_a_tag_show_it_once() -> None:
    twin = next(text for i in range(10**6) if compute_tag(text := b"%d" % i) == compute_tag(b"a"))
    assert compute_tags([b"a", twin]) == [compute_tag(b"a"), None]


@cases(
    {
        "number, hash sign": (
            '{"path": "x", "edits": [{"op": "replace", "pos": "12#VK", "lines": []}]}'
        ),
        "number, colon": '{"path": "x", "hash_start": "12:a3", "content": "y"}',
        "with the line's text": '{"path": "x", "anchor": "12:a3|  return"}',
        "verbs": "[src/x.py#1F3A]\nSWAP 3-4\n+a\n",
    },
)
def test_line_tags_of_another_notation_are_refused_under_every_name(text: str) -> None:
    for name in ("auto", *dialects.DIALECTS):
        with pytest.raises(InvalidInput):
            dialects.parse(text, name)


LINES = ["one = 1", "two = 2", "}", "four = 4"]
TEXT = "".join(f"{line}\n" for line in LINES)


def call(**said: object) -> str:
    return json.dumps({"path": "f", **said})


def test_lines_to_insert_that_repeat_their_target_are_refused() -> None:
    edit = call(hash_start=line_hash("two = 2"), content="new = 0\ntwo = 2\n")
    [outcome] = apply_edits(edit, {"f": TEXT}).outcomes
    assert outcome.status == "invalid"
    assert "repeats line 2, before which they are inserted" in str(outcome.error)


def test_a_bracket_may_stand_there_twice() -> None:
    edit = call(hash_start=line_hash("}"), content="{\n}\n")
    assert apply_edits(edit, {"f": TEXT}).files == {"f": TEXT.replace("}\n", "{\n}\n}\n")}


@cases(
    {
        "the line of hash_stop goes, by default": ({}, ["new", *LINES[3:]]),
        "and where that is said": ({"inclusive": True}, ["new", *LINES[3:]]),
        "or it stays": ({"inclusive": False}, ["new", *LINES[2:]]),
    },
)
def test_a_key_says_whether_the_range_has_the_line_of_its_stop(
    inclusive: dict[str, bool], left: list[str]
) -> None:
    start, stop = line_hash(LINES[0]), line_hash(LINES[2])
    edit = call(hash_start=start, hash_stop=stop, content="new\n", **inclusive)
    result = apply_edits(edit, {"f": TEXT})
    assert result.files == {"f": "".join(f"{line}\n" for line in left)}
    edits = parse_edits(edit)
    assert parse_edits(write("hashline", edits)) == edits


def test_an_empty_exclusive_range_is_refused() -> None:
    tag = line_hash(LINES[1])
    edit = call(hash_start=tag, hash_stop=tag, content="new\n", inclusive=False)
    assert apply_edits(edit, {"f": TEXT}).outcomes[0].status == "stale"


def test_lines_are_tagged_and_found_again() -> None:
    lines = ["a", "b", "a"]
    shown = tag_lines(lines)
    assert shown == [f"{line_hash('a')}|a", f"{line_hash('b')}|b", "  |a"]
    assert tag_lines(lines[1:], build_seen_hashes(lines, 1)) == shown[1:]
    assert [resolve_hash(lines, line_hash(line)) for line in lines] == [1, 2, 1]
    assert resolve_hash(lines, "zz") is None
