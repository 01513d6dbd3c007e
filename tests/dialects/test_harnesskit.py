"""Harnesskit edits, as JSON and as XML."""

from __future__ import annotations

import json

import pytest

from hkgit import dialects
from hkgit.edits import Edit
from hkgit.errors import InvalidInput

HASH = "0123456789ab"
EDIT = {"file": "x", "old_text": "a", "new_text": "b"}
CHANGE = Edit("x", "a", "b")


def xml(old: str, new: str = "b", head: str = 'file="x"') -> str:
    return f"<edit {head}><old>{old}</old><new>{new}</new></edit>"


@pytest.mark.parametrize(
    ("value", "edits"),
    [
        pytest.param(EDIT, [CHANGE], id="one"),
        pytest.param([EDIT, EDIT], [CHANGE, CHANGE], id="a list"),
        pytest.param({"edits": [EDIT]}, [CHANGE], id="edits"),
        pytest.param(
            {"file": "x", "edits": [{"old_text": "a", "new_text": "b"}]},
            [CHANGE],
            id="edits of one file",
        ),
        pytest.param({"path": "x", "old_text": "a", "new_text": "b"}, [CHANGE], id="path"),
        pytest.param({**EDIT, "old_text": ""}, [Edit("x", "", "b")], id="create"),
        pytest.param(
            {**EDIT, "expected_hash": HASH.upper()}, [Edit("x", "a", "b", HASH)], id="a hash"
        ),
        pytest.param({**EDIT, "expected_hash": None}, [CHANGE], id="no hash, as null"),
        pytest.param({**EDIT, "file": "./x"}, [CHANGE], id="a leading dot"),
        pytest.param(
            {**EDIT, "replace_all": True}, [Edit("x", "a", "b", replace_all=True)], id="all places"
        ),
    ],
)
def test_json_becomes_edits(value: object, edits: list[Edit]) -> None:
    assert dialects.parse(json.dumps(value)).edits == tuple(edits)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param({"edits": []}, "empty spec", id="no edits"),
        pytest.param(
            {"edits": [EDIT], "file": "y"},
            "edits[0]: a second name of the file",
            id="a second name",
        ),
        pytest.param({"edits": [EDIT], "note": "y"}, 'unknown key "note"', id="a key beside edits"),
        pytest.param(
            {"edits": {}}, "edits: expected a list of edits, found an object", id="object"
        ),
        pytest.param([EDIT, 3], "[1]: expected a call, or its arguments, found 3", id="no edit"),
        pytest.param({**EDIT, "path": "x"}, '"path" and another name of it', id="both names"),
        pytest.param({"old_text": "a", "new_text": "b"}, 'missing key "path"', id="no file"),
        pytest.param({"file": "x", "old_text": "a"}, "no new text", id="no new text"),
        pytest.param({**EDIT, "old_text": None}, 'missing key "old_text"', id="null"),
        pytest.param({**EDIT, "expected_hash": "1"}, "expected_hash: expected 12 to 64", id="hash"),
        pytest.param({**EDIT, "mode": "x"}, 'unknown key "mode"', id="unknown key"),
    ],
)
def test_json_that_cannot_be_meant_is_refused(value: object, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(json.dumps(value), "harnesskit")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        pytest.param(xml("a"), [CHANGE], id="one"),
        pytest.param(
            f"Here:\n<edits>\n{xml('a')}\n{xml('c')}\n</edits>\nDone.",
            [CHANGE, Edit("x", "c", "b")],
            id="several",
        ),
        pytest.param(f"```xml\n{xml('a')}\n```", [CHANGE], id="a fence"),
        pytest.param(
            "<edit\n  path='x' >\n <old>a</old>\n <new>b</new>\n</edit>",
            [CHANGE],
            id="blanks and single quotes",
        ),
        pytest.param(xml("\na\n"), [CHANGE], id="one line end trimmed at each end"),
        pytest.param(xml("\r\na\r\n"), [CHANGE], id="one CRLF trimmed at each end"),
        pytest.param(xml("\n\n a\n\n"), [Edit("x", "\n a\n", "b")], id="no more than one"),
        pytest.param(xml("a", ""), [Edit("x", "a", "")], id="nothing"),
        pytest.param(
            xml("if a < b && c > d: <br/>"),
            [Edit("x", "if a < b && c > d: <br/>", "b")],
            id="raw angle brackets and ampersands",
        ),
        pytest.param(xml("&lt;"), [Edit("x", "&lt;", "b")], id="entities are left to matching"),
        pytest.param(xml("<![CDATA[</old>]]>"), [Edit("x", "</old>", "b")], id="CDATA"),
        pytest.param(xml("\n<![CDATA[\na\n]]>\n"), [CHANGE], id="CDATA on its own lines"),
        pytest.param(
            xml("<![CDATA[a]]]]><![CDATA[>]]>"), [Edit("x", "a]]>", "b")], id="CDATA twice"
        ),
        pytest.param(xml("a", head='file="a&amp;b"'), [Edit("a&b", "a", "b")], id="a name"),
        pytest.param(
            xml("a", head=f'file="x" expected_hash="{HASH}"'),
            [Edit("x", "a", "b", HASH)],
            id="a hash",
        ),
    ],
)
def test_xml_becomes_edits(text: str, edits: list[Edit]) -> None:
    assert dialects.parse(text).edits == tuple(edits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(xml("a</old>"), "line 1: expected <new>, found </old>", id="a tag in a text"),
        pytest.param(xml("a\n<new>"), "line 2: expected </old>, found <new>", id="another"),
        pytest.param(
            '<edit file="x">\n<old>a</old>', "line 2: expected <new>, found no more", id="cut off"
        ),
        pytest.param(xml("a").replace("<new>", "and <new>"), "text before <new>", id="text"),
        pytest.param(xml("a", head='file="x" mode="y"'), 'line 1: unknown key "mode"', id="key"),
        pytest.param(
            xml("a", head='file="x" file="y"'),
            "an attribute that is given twice",
            id="a key twice",
        ),
        pytest.param(
            xml("a", head="file=x"), "attributes that cannot be read: 'file=x'", id="bare"
        ),
        pytest.param(xml("a", head='name="x"'), 'unknown key "name"', id="no file"),
        pytest.param(xml("a", head='file=""'), "line 1, file: expected a path", id="no name"),
        pytest.param(xml("a", head='file="x" expected_hash="1"'), "expected 12 to 64", id="hash"),
    ],
)
def test_xml_whose_tags_leave_no_one_reading_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        dialects.parse(text, "harnesskit")
    assert message in str(refusal.value)
