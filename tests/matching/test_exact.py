"""The strictest tier: byte for byte, in whole lines or at token borders."""

from __future__ import annotations

import pytest

from hkgit.edits import Edit
from hkgit.errors import (
    AlreadyApplied,
    Ambiguous,
    Conflict,
    HkgitError,
    InvalidInput,
    NoMatch,
)
from tests.matching.editing import edit_of, edited, placed


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        pytest.param("a\nb\nc\n", "b\n", "x\n", b"a\nx\nc\n", id="a whole line"),
        pytest.param("a\nb\nc\n", "b", "x", b"a\nx\nc\n", id="a whole line without its end"),
        pytest.param("a\nb\nc\n", "a\nb\n", "x\n", b"x\nc\n", id="several lines"),
        pytest.param("a\nb", "b\n", "x\n", b"a\nx", id="the last line has no end"),
        pytest.param("a\nb\nc\n", "b\n", "x", b"a\nx\nc\n", id="the new text lost its line end"),
        pytest.param("a\nb\nc\n", "b", "x\n", b"a\nx\nc\n", id="the new text has a line end more"),
        pytest.param("a\nb\nc\n", "b\n", "", b"a\nc\n", id="a line removed"),
        pytest.param("a\nb\nc\n", "b", "", b"a\nc\n", id="a line removed, quoted without its end"),
        pytest.param("f(a, b)\n", "a", "x", b"f(x, b)\n", id="a word inside a line"),
        pytest.param("f(a, b)\n", "a, b", "", b"f()\n", id="words removed inside a line"),
        pytest.param("f(a)\ng()\n", "(a)\ng", "(b)\nh", b"f(b)\nh()\n", id="across a line end"),
        pytest.param("x = a + b\n", " + b", "", b"x = a\n", id="with the blank before"),
        pytest.param(
            "\ufeffa\nb\n", "a\n", "x\n", b"\xef\xbb\xbfx\nb\n",
            id="below a byte order mark",
        ),
        pytest.param("\ufeffa\n", "\ufeffa\n", "\ufeffx\n", b"\xef\xbb\xbfx\n", id="with the mark"),
        pytest.param(b"a\0b\nc\n", "a\0b\n", "x\n", b"x\nc\n", id="a NUL byte"),
        pytest.param(b"\xff\nb\n", "\udcff\n", "x\n", b"x\nb\n", id="a byte that is not UTF-8"),
        pytest.param(
            b"\xff\nb\n", "b\n", "\udcfe\n", b"\xff\n\xfe\n",
            id="written as it was given",
        ),
    ],
)  # fmt: skip
def test_text_that_stands_once_is_replaced(
    text: str | bytes, old: str, new: str, after: bytes
) -> None:
    assert edited(text, edit_of(old, new)) == after


@pytest.mark.parametrize(
    ("text", "old"),
    [
        pytest.param("a\nb\nc\n", "b\n", id="a whole line"),
        pytest.param("total = 1\n", "total", id="a word"),
        pytest.param(
            "    return x\n        return x\n", "    return x\n",
            id="not by another depth",
        ),
        pytest.param("x = 1\nself.x = 1\n", "x = 1\n", id="not inside a longer line"),
    ],
)  # fmt: skip
def test_an_exact_place_is_of_the_exact_tier(text: str, old: str) -> None:
    assert placed(text, edit_of(old, "new\n")).tier == "exact"


@pytest.mark.parametrize(
    ("text", "old"),
    [
        pytest.param("food\n", "foo", id="the beginning of a word"),
        pytest.param("barfoo\n", "foo", id="the end of a word"),
        pytest.param("café\n", "caf", id="before a letter that is not ASCII"),
        pytest.param("max = 1\n", "x = 1\n", id="a line that ends a longer one"),
        pytest.param("self.x = 1\n", "x = 1\n", id="a line behind other text"),
    ],
)
def test_a_stretch_of_a_longer_word_or_line_is_no_place(text: str, old: str) -> None:
    with pytest.raises(NoMatch):
        placed(text, edit_of(old, "y"))


def test_two_exact_places_are_ambiguous_and_both_lines_are_named() -> None:
    with pytest.raises(Ambiguous, match=r"2 places, at lines 1, 3"):
        placed("a\nx\na\n", edit_of("a\n", "b\n"))


def test_places_that_overlap_are_two() -> None:
    with pytest.raises(Ambiguous):
        placed("x\nx\nx\n", edit_of("x\nx\n", "y\n"))


def test_an_edit_that_changes_nothing_is_invalid() -> None:
    with pytest.raises(InvalidInput):
        placed("a\n", edit_of("a\n", "a\n"))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        pytest.param(
            "    if a:\n        b()\n", "if a:", "if a:\n    c()",
            "    if a:\n        c()\n        b()\n",
            id="all lines have lost the indentation: the new one is a child",
        ),
        pytest.param(
            "    a = 1\n    c = 3\n", "a = 1", "a = 1\nb = 2",
            "    a = 1\n    b = 2\n    c = 3\n",
            id="all lines have lost the indentation: the new one is a sibling",
        ),
        pytest.param(
            "    a = 1\n", "a = 1", "a = 1\n    b = 2", "    a = 1\n    b = 2\n",
            id="only the first line has lost it",
        ),
        pytest.param(
            "    if a:\n", "if a:", "if a:\n        b()", "    if a:\n        b()\n",
            id="only the first line has lost it, and the next one is a child",
        ),
        pytest.param(
            "        a = 1\n", "a = 1", "a = 1\n\n    def f(self):\n        b()",
            "        a = 1\n\n    def f(self):\n        b()\n",
            id="the next line is further out",
        ),
        pytest.param(
            "    a = 1\n", "a = 1", "/**\n * b\n */\na = 1",
            "    /**\n     * b\n     */\n    a = 1\n",
            id="the old line shows that all have lost it",
        ),
        pytest.param(
            "    a = 1\n    c()\n", "a = 1", "if b:\n    a = 1\nelse:\n    a = 2",
            "    if b:\n        a = 1\n    else:\n        a = 2\n    c()\n",
            id="the old line is a child of the new one",
        ),
        pytest.param(
            "  if a:\n    b()\n  c()\n", "b()", "b()\nd()", "  if a:\n    b()\n    d()\n  c()\n",
            id="what follows is indented, though less",
        ),
        pytest.param(
            "    a = 1  # why\n", "a = 1", "a = 1\n    b = 2", "    a = 1  # why\n    b = 2\n",
            id="a comment stays with its line",
        ),
    ],
)  # fmt: skip
def test_further_lines_are_indented_as_the_first_one_stands(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


def test_further_lines_that_may_mean_either_depth_are_refused() -> None:
    with pytest.raises(Conflict, match="indented"):
        edited("    a = 1\n", edit_of("a = 1", "a = 1\n\n\ndef f():\n    b()"))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        pytest.param("a\n\nb\n", "a\n", "a\n\nx", "a\n\nx\nb\n", id="below"),
        pytest.param("a\n\nb\n", "\nb", "", "a\n\n", id="above what goes"),
        pytest.param("a\n\nb\nc\n", "a\n\nb", "a\n", "a\n\nc\n", id="below what stays"),
        pytest.param("a\n\nb\n", "a\n", "x", "x\n\nb\n", id="not where it does not go on"),
        pytest.param("a\nb\n", "a\n", "a\n\nx", "a\n\nx\nb\n", id="not where there is none"),
    ],
)
def test_a_blank_line_at_an_end_may_be_quoted_by_its_line_end(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        pytest.param("foo food foo\n", "foo", "bar", b"bar food bar\n", id="words"),
        pytest.param("a\nx\na\n", "a\n", "b\nc\n", b"b\nc\nx\nb\nc\n", id="lines"),
        pytest.param("a\r\nx\r\na\r\n", "a", "b\nc", b"b\r\nc\r\nx\r\nb\r\nc\r\n", id="CRLF"),
        pytest.param("a\nx\na\n", "a", "", b"x\n", id="lines removed"),
        pytest.param("aa\n" * 3, "aa\naa\n", "b\n", b"b\naa\n", id="overlapping ones count once"),
        pytest.param("x\n" * 1500, "x\n", "y\n", b"y\n" * 1500, id="very many"),
        pytest.param("if a:\n    x\n    y\nif b:\n        x\n    y\n", "x", "z\nw",
                     b"if a:\n    z\n    w\n    y\nif b:\n        z\n        w\n    y\n",
                     id="each with its indentation"),
    ],
)
def test_all_places_are_replaced_if_that_is_asked_for(
    text: str, old: str, new: str, after: bytes
) -> None:
    assert edited(text, Edit("f.py", old, new, replace_all=True)) == after


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        pytest.param("a.b.c = 1\na.b.c = 2\n", AlreadyApplied, id="at all of them"),
        pytest.param("a.b.c = 1\na.b = 2\n", Ambiguous, id="at some of them"),
    ],
)
def test_places_that_the_new_text_stands_around_are_not_changed_again(
    text: str, refusal: type[HkgitError]
) -> None:
    with pytest.raises(refusal, match="the new text stands"):
        placed(text, Edit("f.py", "a.b", "a.b.c", replace_all=True))


def test_the_number_of_places_is_held_to() -> None:
    with pytest.raises(Ambiguous, match="2 places, not 3"):
        placed("a\nx\na\n", Edit("f.py", "a\n", "b\n", expected_count=3))


def test_one_expected_place_is_an_edit_as_any_other() -> None:
    edit = Edit("f.py", "    alpha\n", "    beta\n", expected_count=1)
    assert edited("  alpha\nb\n", edit) == b"  beta\nb\n"


FIELDS = "  kind: 1,\n  size: 2,\n"


@pytest.mark.parametrize(
    ("new", "after"),
    [
        pytest.param("  kind: 3,", "  kind: 1,\n  kind: 3,\n", id="a line in its place"),
        pytest.param("\n  size: 3,", "  kind: 1,\n  size: 3,\n", id="the line end too"),
        pytest.param(" // why\n  size: 2,", "  kind: 1, // why\n  size: 2,\n", id="a remark"),
        pytest.param("", "  kind: 1,\n", id="nothing"),
    ],
)
def test_a_line_is_not_written_behind_another_for_a_line_end_above_it(new: str, after: str) -> None:
    assert edited(FIELDS, edit_of("\n  size: 2,", new)) == after.encode()
