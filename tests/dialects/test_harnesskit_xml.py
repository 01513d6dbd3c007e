"""Edits of harnesskit as XML."""

from hkgit import dialects
from hkgit.edits import Edit
from tests.support.cases import cases
from tests.support.notations import refusal_of

HASH = "0123456789ab"
CHANGE = Edit("x", "a", "b")


def xml(old: str, new: str = "b", head: str = 'file="x"') -> str:
    return f"<edit {head}><old>{old}</old><new>{new}</new></edit>"


@cases(
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
        "another name of a text": (
            '<edit file="x">\n<find>a</find>\n<new>b</new>\n</edit>',
            "line 2: expected <old>, found <find>",
        ),
        "an attribute of a text": (
            xml("a").replace("<old>", '<old line="2">'),
            'line 1: expected <old>, found <old line="2">',
        ),
        "no attribute": (
            "<edits>\n<edit>\n<file>x</file>\n<old>a</old>\n<new>b</new>\n</edit>\n</edits>",
            'line 2: expected <edit file="PATH">, found <edit>',
        ),
        "another name of an edit": (
            '<change file="x"><old>a</old><new>b</new></change>',
            'line 1: expected <edit file="PATH">, found <change file="x">',
        ),
        "no tag of an edit at all": (
            "<edit_file>\n<path>x</path>\n</edit_file>",
            'line 1: expected <edit file="PATH">, found <edit_file>',
        ),
    },
)
def test_xml_whose_tags_leave_no_one_reading_is_refused(text: str, message: str) -> None:
    assert message in refusal_of(text, "harnesskit")
    assert message in refusal_of(text, "auto")
