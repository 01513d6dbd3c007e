"""An edit of all places is taken at its word; what it leaves is told."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import HkgitError, NoMatch
from tests.matching.editing import edited, placed
from tests.support.cases import cases

PLACE = "start(a)\nmiddle(b)\nend(c)\n"


def edit_of_all(old: str, new: str) -> Edit:
    return Edit("f.py", old, new, replace_all=True)


@cases(
    {
        "a line of the context is another": (f"{PLACE}\n" * 3, PLACE.replace("(a)", "(aa)")),
        "the file has a line more": (PLACE.replace("middle", "more(1)\nmiddle") * 2, PLACE),
        "blanks": ("if a:\n    f( x )\nelse:\n        f( x )\n", "f(x)\n"),
        "typography": ("say('x')\nsay('x')\n", "say(\u2018x\u2019)\n"),
        "escapes": ("a\n\tb(1)\na\n\tb(1)\n", "a\n\\tb(1)\n"),
        "dots": ("if a:\n    b(1)\n    c(2)\n", "if a:\n    # ... existing code ...\n    c(2)\n"),
    },
)
def test_all_places_are_never_found_by_likeness_or_a_repair(text: str, old: str) -> None:
    with pytest.raises(NoMatch):
        edited(text, edit_of_all(old, f"{old}more(1)\n"))


@cases(
    {
        "a changed line": (f"{PLACE}\n" * 2, "start(a)\nmiddle(b)\nend(d)\n"),
        "nothing": ("x(1)\ny(2)\n" * 2, "q(1)\nw(3)\n"),
        "left out twice": ("if a:\n  b(1)\n  c(2)\n" * 2, "if a:\n...\n  c(2)\n"),
    },
)
def test_nothing_is_called_absent_and_all_alike(text: str, old: str) -> None:
    with pytest.raises(HkgitError) as refusal:
        edited(text, edit_of_all(old, old.replace("(", "s(")))
    said = str(refusal.value)
    assert not ("not in the file" in said and "100 %" in said)


@cases(
    {
        "blanks inside": (
            "f(a, b)\nf(a,b)\nf(a, b)\n",
            "f(a, b)",
            "1 place that differs in blanks stayed: line 2",
        ),
        "indentation, where the old text is no part of the line": (
            "if a:\n    go()\nif b:\n        go()\n\tgo()\n",
            "    go()\n",
            "1 place that differs in blanks stayed: line 5",
        ),
        "typography, of many the first": (
            "say 'x'\nsay \u2018x\u2019\n" * 9,
            "say 'x'\n",
            "9 places that differ in typography stayed: lines 2, 4, 6, 8, 10, ...",
        ),
    },
)
def test_places_that_stay_since_they_differ_in_blanks_are_told(
    text: str, old: str, note: str
) -> None:
    assert placed(text, edit_of_all(old, "new\n")).notes == (note,)


def test_nothing_is_told_where_no_place_stays() -> None:
    assert placed("f(a, b)\nf(ab)\nf(a, b)\n", edit_of_all("f(a, b)", "g()")).notes == ()
