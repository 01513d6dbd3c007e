"""Of a line quoted without its indentation, the new lines say whether they have lost theirs."""

from __future__ import annotations

import pytest

from hkgit.errors import HkgitError
from tests.matching.editing import edit_of, edited
from tests.support.cases import cases

PYTHON = "class A:\n    def f(self):\n        foo()\n        baz()\n"
GO = "func f() {\n\tfoo()\n\tbaz()\n}\n"
TAILS = {"no end": "", "end": "\n"}


@cases("tail", TAILS)
@pytest.mark.parametrize("is_left_out", [False, True], ids=["its line alone", "all lines"])
@cases(
    "text, lines",
    {
        "an if": (PYTHON, ["if x:", "    foo()"]),
        "two": (PYTHON, ["if x:", "    if y:", "        foo()"]),
        "a try": (PYTHON, ["try:", "    foo()", "except E:", "    pass"]),
        "arguments": (PYTHON, ["foo(", "    x,", ")"]),
        "braces": (GO, ["if x {", "\tfoo()", "}"]),
        "a case at the edge": (GO, ["switch x {", "case 1:", "\tfoo()", "}"]),
    },
)
def test_new_lines_are_indented_once(
    text: str, lines: list[str], is_left_out: bool, tail: str
) -> None:
    margin = "        " if text == PYTHON else "\t"
    wanted = [margin + line for line in lines]
    new = "\n".join(lines if is_left_out else [lines[0], *wanted[1:]])
    after = text.replace(f"{margin}foo()", "\n".join(wanted)).encode()
    assert edited(text, edit_of(f"foo(){tail}", new + tail)) == after


@cases(
    "old, new, after",
    {
        "a head without brace": ("go(a, b)", "if (a)\n\tgo(b)", "\tif (a)\n\t\tgo(b)"),
        "names of a let": ("go(a, b)", "let x = 1,\n\ty = 2", "\tlet x = 1,\n\t\ty = 2"),
        "two calls": ("go(a, b)", "go(a)\n\tgo(b)", "\tgo(a)\n\tgo(b)"),
    },
)
def test_what_opens_a_block_has_a_deeper_line_below(old: str, new: str, after: str) -> None:
    text = "f() {\n\tgo(a, b)\n\tend()\n}\n"
    assert edited(text, edit_of(old, new)) == text.replace("\tgo(a, b)", after).encode()


@cases(
    "new",
    {
        "an else of no if": "foo()\nelse:\n    bar()",
        "a brace of no block": "foo()\n}",
        "one at the file's depth, one at the margin": "foo()\n        a()\nb()",
        "less deep than the lines on both sides": "foo() and\n    more()",
    },
)
def test_what_can_be_read_in_two_ways_is_refused(new: str) -> None:
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of("foo()", new))


@cases("tail", TAILS)
@pytest.mark.parametrize("blanks", ["", " "], ids=["as it stands", "with other blanks"])
def test_a_line_that_stays_is_not_moved_to_the_margin(blanks: str, tail: str) -> None:
    """Its new neighbour is as deep as the file; the line itself is quoted without that depth."""
    old = f"foo({blanks}){tail}"
    with pytest.raises(HkgitError, match="cannot be told"):
        edited(PYTHON, edit_of(old, f"        bar()\n{old}"))


def test_a_block_may_end_behind_new_lines_as_deep_as_the_file() -> None:
    after = PYTHON.replace("        baz()\n", "        bar()\n\nclass B:\n    pass\n").encode()
    assert edited(PYTHON, edit_of("baz( )\n", "        bar()\n\nclass B:\n    pass\n")) == after
