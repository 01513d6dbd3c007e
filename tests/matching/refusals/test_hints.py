"""Refusals say what an agent needs to succeed at the next try."""

from __future__ import annotations

import pytest

from hkgit.errors import HkgitError, NoMatch
from tests.matching.editing import edit_of, edited
from tests.support.cases import cases

TEXT = """\
def area(width, height):
    check(width)
    result = width * height
    return result
x = 1
"""


@cases(
    "old, said",
    {
        "the nearest lines": (
            "def area(width, height):\n    check(height)\n    result = 1\n    exit()\n",
            r"Nearest: lines? 1",
        ),
        "the nearest line": ("    results = width + height\n", "line 3, .. % alike"),
        "the shortest line": ("  x = 3\n", "Line 5 says 'x = 1', the edit 'x = 3'"),
        "that it is part of a word": ("are", "only inside a longer word, 'area'"),
        "that nothing is like it": ("qqq zzz\n", "No similar line was found"),
    },
)
def test_a_text_that_is_nowhere(old: str, said: str) -> None:
    with pytest.raises(NoMatch, match=said):
        edited(TEXT, edit_of(old, "x\n"))


def test_the_first_line_that_differs_is_quoted_from_both_sides() -> None:
    old = "    check(width)\n    result = width + height\n    return result\n"
    with pytest.raises(HkgitError, match=r"Line 3 says '.*\*.*', the edit '.*\+.*'"):
        edited(TEXT, edit_of(old, old.replace("result", "r")))
