"""Refusals say what an agent needs to succeed at the next try."""

from __future__ import annotations

import pytest

from hkgit.errors import HkgitError, NoMatch
from tests.matching.editing import edit_of, edited

TEXT = """\
def area(width, height):
    check(width)
    result = width * height
    return result
x = 1
"""


@pytest.mark.parametrize(
    ("old", "said"),
    [
        pytest.param(
            "def area(width, height):\n    check(height)\n    result = 1\n    exit()\n",
            r"Nearest: lines? 1",
            id="the nearest lines",
        ),
        pytest.param("    results = width + height\n", "line 3, .. % alike", id="the nearest line"),
        pytest.param("  x = 3\n", "Line 5 says 'x = 1', the edit 'x = 3'", id="the shortest line"),
        pytest.param("are", "only inside a longer word, 'area'", id="that it is part of a word"),
        pytest.param("qqq zzz\n", "No similar line was found", id="that nothing is like it"),
    ],
)
def test_a_text_that_is_nowhere(old: str, said: str) -> None:
    with pytest.raises(NoMatch, match=said):
        edited(TEXT, edit_of(old, "x\n"))


def test_the_first_line_that_differs_is_quoted_from_both_sides() -> None:
    old = "    check(width)\n    result = width + height\n    return result\n"
    with pytest.raises(HkgitError, match=r"Line 3 says '.*\*.*', the edit '.*\+.*'"):
        edited(TEXT, edit_of(old, old.replace("result", "r")))
