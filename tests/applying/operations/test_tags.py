"""Edits that name lines by tag, or by the lines they stand below."""

from __future__ import annotations

import re

import pytest

from hkgit.edits import AnyEdit, Edit, TagEdit
from hkgit.text.document import BOM
from hkgit.text.hashes import compute_tag
from tests.support.cases import cases
from tests.support.planning import in_sequence, only, refusal, result

ABCB = b"a\nb\nc\nb\n"
A, B, C = compute_tag(b"a"), compute_tag(b"b"), compute_tag(b"c")


@cases(
    "data, edit, expected",
    {
        "inserted before the line": (
            ABCB,
            TagEdit("f", A, None, ("x", "y")),
            b"x\ny\na\nb\nc\nb\n",
        ),
        "the first such line": (ABCB, TagEdit("f", B, B, ("x",)), b"a\nx\nc\nb\n"),
        "a range, inclusive": (ABCB, TagEdit("f", A, C, ("x",)), b"x\nb\n"),
        "one line deleted": (ABCB, TagEdit("f", A), b"b\nc\nb\n"),
        "a range deleted": (ABCB, TagEdit("f", B, C), b"a\nb\n"),
        "the first such line from an offset on": (
            ABCB,
            TagEdit("f", B, B, ("x",), offset=3),
            b"a\nb\nc\nx\n",
        ),
        "both from an offset on": (ABCB, TagEdit("f", C, B, offset=3), b"a\nb\n"),
        "what looks like a tag in the file": (
            b"ab|1\n",
            TagEdit("f", compute_tag(b"ab|1"), compute_tag(b"ab|1"), ("ab|2",)),
            b"ab|2\n",
        ),
        "line ends": (b"a\r\nb", TagEdit("f", B, B, ("x", "y")), b"a\r\nx\r\ny"),
        "behind a byte order mark": (BOM + b"a\n", TagEdit("f", A, None, ("x",)), BOM + b"x\na\n"),
    },
)
def test_a_tag_names_a_line(data: bytes, edit: TagEdit, expected: bytes) -> None:
    assert result(in_sequence({"f": data}, edit)) == {"f": expected}


@cases(
    "edit, said",
    {
        "new lines with tags": (
            TagEdit("f", A, B, (f"{A}|x", "  |y")),
            "every line of the new text begins",
        ),
        "a remark instead of lines": (
            TagEdit("f", A, B, ("# ... existing code ...",)),
            "instead of code",
        ),
    },
)
def test_new_lines_that_nobody_means_are_refused(edit: TagEdit, said: str) -> None:
    assert said in refusal(in_sequence({"f": ABCB}, edit))


@cases(
    "edit, said",
    {
        "unknown": (
            TagEdit("f", compute_tag(b"x")),
            f"stale: f: no line has the tag {compute_tag(b'x')}",
        ),
        "a stop whose first line is above the start": (
            TagEdit("f", C, B),
            f"stale: f: the tag {B} is that of line 2, above line 3",
        ),
        "none from the offset on": (
            TagEdit("f", C, C, offset=4),
            f"stale: f: no line has the tag {C} from line 4",
        ),
        "no file": (TagEdit("g", A), "no_match: g: there is no such file"),
    },
)
def test_a_tag_that_names_no_line_is_stale(edit: TagEdit, said: str) -> None:
    assert refusal(in_sequence({"f": ABCB}, edit)).startswith(said)


@cases(
    "edit, expected",
    {
        "below one": (Edit("f", "", "x\n", anchors=("a",)), b"a\nx\n  b\nc\n  b\n"),
        "without the blanks around it": (
            Edit("f", "", "x", anchors=("  c ",)),
            b"a\n  b\nc\nx\n  b\n",
        ),
        "one below the other": (Edit("f", "", "x\n", anchors=("c", "b")), b"a\n  b\nc\n  b\nx\n"),
        "text below an anchor": (Edit("f", "  b\n", "  x\n", anchors=("c",)), b"a\n  b\nc\n  x\n"),
        "the first such text below it": (
            Edit("f", "  b\n", "  x\n", anchors=("a",)),
            b"a\n  x\nc\n  b\n",
        ),
        "the last one, if that is said": (
            Edit("f", "  b\n", "  x\n", anchors=("a",), line_hint=10**9),
            b"a\n  b\nc\n  x\n",
        ),
    },
)
def test_an_anchor_says_below_which_line(edit: Edit, expected: bytes) -> None:
    assert result(in_sequence({"f": b"a\n  b\nc\n  b\n"}, edit)) == {"f": expected}


@cases(
    "edit, said",
    {
        "nowhere": (
            Edit("f", "", "x\n", anchors=("z",)),
            "no_match: f: the anchor 'z' is nowhere in the file",
        ),
        "not below the other": (
            Edit("f", "", "x\n", anchors=("c", "a")),
            "no_match: f: the anchor 'a' is nowhere below line 3",
        ),
        "more than one line": (
            Edit("f", "", "x\n", anchors=("b",)),
            "ambiguous: f: the anchor 'b' names",
        ),
        "text that is only above": (
            Edit("f", "a\n", "x\n", anchors=("c",)),
            "no_match: f: the old text",
        ),
        "text that is twice in its block": (
            Edit("g", " b\n", " x\n", anchors=("a (1)",)),
            "ambiguous: g: the old text",
        ),
        "new lines below the beginning of a line": (
            Edit("g", "", "x\n", anchors=("a",)),
            "ambiguous: g: the anchor 'a' names",
        ),
        "text that is twice below the beginning of a line": (
            Edit("g", " b\n", " x\n", anchors=("a",)),
            "ambiguous: g: the old text",
        ),
        "a beginning that is no word": (
            Edit("g", " e\n", " x\n", anchors=("d (",)),
            "no_match: g: the anchor 'd (",
        ),
    },
)
def test_an_anchor_that_does_not_lead_there_is_refused(edit: AnyEdit, said: str) -> None:
    files = {"f": ABCB, "g": b"a (1)\n b\n c\n b\nd (1)\n e\nd (2)\n"}
    assert refusal(in_sequence(files, edit)).startswith(said)


@pytest.mark.parametrize("anchors", [("class C",), ("class C", "def f")])
def test_an_anchor_may_be_the_beginning_of_a_line(anchors: tuple[str, ...]) -> None:
    block = b"    def f(self):\n        x = 1\n"
    data = b"class A(B):\n" + block + b"class C(B):\n" + block
    edit = Edit("f", "        x = 1\n", "        x = 2\n", anchors=anchors)
    assert result(in_sequence({"f": data}, edit)) == {"f": data[:-2] + b"2\n"}


TWO = b"""\
def a():
    total = width * height
    return total
def b():
    total = width * height
    done()
    log(total)
    done()
"""


@cases(
    "old, new, words",
    {
        "nowhere": (
            "    total = width + height\n",
            "    total = 0\n",
            r"Nearest: line 5, .* Line 5 says 'total = width \*",
        ),
        "at two places": ("    done()\n", "    stop()\n", "at lines 6, 8\n"),
        "made already": ("    note()\n", "    log(total)\n", "^f:7: .* is already at line 7"),
    },
)
def test_a_refusal_below_an_anchor_counts_lines_from_the_top(
    old: str, new: str, words: str
) -> None:
    edit = Edit("f", old, new, anchors=("def b():",))
    [outcome] = in_sequence({"f": TWO}, edit).outcomes
    assert re.search(words, str(outcome.error), re.DOTALL), str(outcome.error)


@cases(
    "data, final_newline, expected",
    {
        "stays as it is": (b"a\nb", None, b"a\nx"),
        "is given": (b"a\nb", True, b"a\nx\n"),
        "is taken away": (b"a\nb\n", False, b"a\nx"),
        "is given as the others": (b"a\r\nb", True, b"a\r\nx\r\n"),
    },
)
def test_an_edit_may_say_what_becomes_of_the_final_newline(
    data: bytes, final_newline: bool | None, expected: bytes
) -> None:
    edit = Edit("f", "b", "x", final_newline=final_newline)
    assert result(in_sequence({"f": data}, edit)) == {"f": expected}


def test_an_edit_by_tag_lands_at_its_own_tier() -> None:
    outcome = only(in_sequence({"f": ABCB}, TagEdit("f", C)))
    assert outcome.tier == "tag"
    assert outcome.confidence == 1
    assert outcome.matched_text == "c\n"
