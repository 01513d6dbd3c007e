"""Of a line quoted without its indentation, the new lines say whether they have lost theirs."""

from __future__ import annotations

import pytest

from hkgit.errors import HkgitError
from tests.matching.editing import edit_of, edited

PYTHON = "class A:\n    def f(self):\n        foo()\n        baz()\n"
GO = "func f() {\n\tfoo()\n\tbaz()\n}\n"
TAILS = [pytest.param("", id="no end"), pytest.param("\n", id="end")]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("is_left_out", [False, True], ids=["its line alone", "all lines"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(PYTHON, ["if x:", "    foo()"], id="an if"),
        pytest.param(PYTHON, ["if x:", "    if y:", "        foo()"], id="two"),
        pytest.param(PYTHON, ["try:", "    foo()", "except E:", "    pass"], id="a try"),
        pytest.param(PYTHON, ["foo(", "    x,", ")"], id="arguments"),
        pytest.param(GO, ["if x {", "\tfoo()", "}"], id="braces"),
        pytest.param(GO, ["switch x {", "case 1:", "\tfoo()", "}"], id="a case at the edge"),
    ],
)
def test_new_lines_are_indented_once(
    text: str, lines: list[str], is_left_out: bool, tail: str
) -> None:
    margin = "        " if text == PYTHON else "\t"
    wanted = [margin + line for line in lines]
    new = "\n".join(lines if is_left_out else [lines[0], *wanted[1:]])
    after = text.replace(f"{margin}foo()", "\n".join(wanted)).encode()
    assert edited(text, edit_of(f"foo(){tail}", new + tail)) == after


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        pytest.param(
            "go(a, b)", "if (a)\n\tgo(b)", "\tif (a)\n\t\tgo(b)", id="a head without brace"
        ),
        pytest.param(
            "go(a, b)", "let x = 1,\n\ty = 2", "\tlet x = 1,\n\t\ty = 2", id="names of a let"
        ),
        pytest.param("go(a, b)", "go(a)\n\tgo(b)", "\tgo(a)\n\tgo(b)", id="two calls"),
    ],
)
def test_what_opens_a_block_has_a_deeper_line_below(old: str, new: str, after: str) -> None:
    text = "f() {\n\tgo(a, b)\n\tend()\n}\n"
    assert edited(text, edit_of(old, new)) == text.replace("\tgo(a, b)", after).encode()


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("foo()\nelse:\n    bar()", id="an else of no if"),
        pytest.param("foo()\n}", id="a brace of no block"),
        pytest.param("foo()\n        a()\nb()", id="one at the file's depth, one at the margin"),
        pytest.param("foo() and\n    more()", id="less deep than the lines on both sides"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(new: str) -> None:
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of("foo()", new))


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("blanks", ["", " "], ids=["as it stands", "with other blanks"])
def test_a_line_that_stays_is_not_moved_to_the_margin(blanks: str, tail: str) -> None:
    """Its new neighbour is as deep as the file; the line itself is quoted without that depth."""
    old = f"foo({blanks}){tail}"
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of(old, f"        bar()\n{old}"))


def test_a_block_may_end_behind_new_lines_as_deep_as_the_file() -> None:
    after = PYTHON.replace("        baz()\n", "        bar()\n\nclass B:\n    pass\n").encode()
    assert edited(PYTHON, edit_of("baz( )\n", "        bar()\n\nclass B:\n    pass\n")) == after
