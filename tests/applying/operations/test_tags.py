"""Edits that name lines by tag; what becomes of the final newline."""

from __future__ import annotations

from hkgit.edits import Edit, TagEdit
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
