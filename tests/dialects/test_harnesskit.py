"""Harnesskit edits, as JSON and as XML."""

from __future__ import annotations

import json

from hkgit import dialects
from hkgit.edits import Edit
from tests.support.cases import cases
from tests.support.notations import refusal_of

HASH = "0123456789ab"
EDIT = {"file": "x", "old_text": "a", "new_text": "b"}
CHANGE = Edit("x", "a", "b")


def xml(old: str, new: str = "b", head: str = 'file="x"') -> str:
    return f"<edit {head}><old>{old}</old><new>{new}</new></edit>"


@cases(
    "value, edits",
    {
        "one": (EDIT, [CHANGE]),
        "a list": ([EDIT, EDIT], [CHANGE, CHANGE]),
        "edits": ({"edits": [EDIT]}, [CHANGE]),
        "edits of one file": (
            {"file": "x", "edits": [{"old_text": "a", "new_text": "b"}]},
            [CHANGE],
        ),
        "path": ({"path": "x", "old_text": "a", "new_text": "b"}, [CHANGE]),
        "create": ({**EDIT, "old_text": ""}, [Edit("x", "", "b")]),
        "a hash": ({**EDIT, "expected_hash": HASH.upper()}, [Edit("x", "a", "b", HASH)]),
        "no hash, as null": ({**EDIT, "expected_hash": None}, [CHANGE]),
        "a leading dot": ({**EDIT, "file": "./x"}, [CHANGE]),
        "all places": ({**EDIT, "replace_all": True}, [Edit("x", "a", "b", replace_all=True)]),
    },
)
def test_json_becomes_edits(value: object, edits: list[Edit]) -> None:
    assert dialects.parse(json.dumps(value)).edits == tuple(edits)


@cases(
    "value, message",
    {
        "no edits": ({"edits": []}, "empty spec"),
        "a second name": ({"edits": [EDIT], "file": "y"}, "edits[0]: a second name of the file"),
        "a key beside edits": ({"edits": [EDIT], "note": "y"}, 'unknown key "note"'),
        "object": ({"edits": {}}, "edits: expected a list of edits, found an object"),
        "no edit": ([EDIT, 3], "[1]: expected a call, or its arguments, found 3"),
        "both names": ({**EDIT, "path": "x"}, '"path" and another name of it'),
        "no file": ({"old_text": "a", "new_text": "b"}, 'missing key "path"'),
        "no new text": ({"file": "x", "old_text": "a"}, "no new text"),
        "null": ({**EDIT, "old_text": None}, 'missing key "old_text"'),
        "hash": ({**EDIT, "expected_hash": "1"}, "expected_hash: expected 12 to 64"),
        "unknown key": ({**EDIT, "mode": "x"}, 'unknown key "mode"'),
    },
)
def test_json_that_cannot_be_meant_is_refused(value: object, message: str) -> None:
    assert message in refusal_of(json.dumps(value), "harnesskit")


@cases(
    "text, edits",
    {
        "one": (xml("a"), [CHANGE]),
        "several": (
            f"Here:\n<edits>\n{xml('a')}\n{xml('c')}\n</edits>\nDone.",
            [CHANGE, Edit("x", "c", "b")],
        ),
        "a fence": (f"```xml\n{xml('a')}\n```", [CHANGE]),
        "blanks and single quotes": (
            "<edit\n  path='x' >\n <old>a</old>\n <new>b</new>\n</edit>",
            [CHANGE],
        ),
        "one line end trimmed at each end": (xml("\na\n"), [CHANGE]),
        "one CRLF trimmed at each end": (xml("\r\na\r\n"), [CHANGE]),
        "no more than one": (xml("\n\n a\n\n"), [Edit("x", "\n a\n", "b")]),
        "nothing": (xml("a", ""), [Edit("x", "a", "")]),
        "raw angle brackets and ampersands": (
            xml("if a < b && c > d: <br/>"),
            [Edit("x", "if a < b && c > d: <br/>", "b")],
        ),
        "entities are left to matching": (xml("&lt;"), [Edit("x", "&lt;", "b")]),
        "CDATA": (xml("<![CDATA[</old>]]>"), [Edit("x", "</old>", "b")]),
        "CDATA on its own lines": (xml("\n<![CDATA[\na\n]]>\n"), [CHANGE]),
        "CDATA twice": (xml("<![CDATA[a]]]]><![CDATA[>]]>"), [Edit("x", "a]]>", "b")]),
        "a name": (xml("a", head='file="a&amp;b"'), [Edit("a&b", "a", "b")]),
        "a hash": (xml("a", head=f'file="x" expected_hash="{HASH}"'), [Edit("x", "a", "b", HASH)]),
    },
)
def test_xml_becomes_edits(text: str, edits: list[Edit]) -> None:
    assert dialects.parse(text).edits == tuple(edits)


@cases(
    "text, message",
    {
        "a tag in a text": (xml("a</old>"), "line 1: expected <new>, found </old>"),
        "another": (xml("a\n<new>"), "line 2: expected </old>, found <new>"),
        "cut off": ('<edit file="x">\n<old>a</old>', "line 2: expected <new>, found no more"),
        "text": (xml("a").replace("<new>", "and <new>"), "text before <new>"),
        "key": (xml("a", head='file="x" mode="y"'), 'line 1: unknown key "mode"'),
        "a key twice": (xml("a", head='file="x" file="y"'), "an attribute that is given twice"),
        "bare": (xml("a", head="file=x"), "attributes that cannot be read: 'file=x'"),
        "no file": (xml("a", head='name="x"'), 'unknown key "name"'),
        "no name": (xml("a", head='file=""'), "line 1, file: expected a path"),
        "hash": (xml("a", head='file="x" expected_hash="1"'), "expected 12 to 64"),
    },
)
def test_xml_whose_tags_leave_no_one_reading_is_refused(text: str, message: str) -> None:
    assert message in refusal_of(text, "harnesskit")
