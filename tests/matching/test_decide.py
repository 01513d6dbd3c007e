"""What chooses between equal places: an expected hash that holds, a line hint, nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hkgit.edits import END_OF_FILE, Edit
from hkgit.errors import Ambiguous
from hkgit.matching.ladder import locate
from hkgit.matching.place import THRESHOLD
from tests.matching.editing import document_of, placed
from tests.support.cases import cases

TEXT = "one\na\nb\ntwo\na\nb\nthree\na\nb\n"
EDIT = Edit("f.py", "a\nb\n", "c\n")


def line_of(edit: Edit, held: set[int] | None = None) -> int:
    """The line where an edit lands, if the hash holds at the lines `held`."""
    document = document_of(TEXT)
    holds = None if held is None else lambda place: document.line_at(place.start) in held
    return document.line_at(locate(document, edit, THRESHOLD, holds).places[0].start)


@cases(
    "hint, line",
    {
        "at the first": (2, 2),
        "at the second": (5, 5),
        "nearest to the third": (9, 8),
        "before the file": (0, 2),
        "at the end of the file": (END_OF_FILE, 8),
    },
)
def test_a_line_hint_chooses_the_place_that_it_is_at(hint: int, line: int) -> None:
    assert line_of(replace(EDIT, line_hint=hint)) == line


@cases(
    "text, old, hint",
    {
        "between two places": (TEXT, "a\nb\n", 7),
        "behind the file": (TEXT, "a\nb\n", 80),
        "at the end, where no place is": (f"{TEXT}end\n", "a\nb\n", END_OF_FILE),
        "further off than it reaches": ("a\nb\n" + "\n" * 9 + "a\nb\n", "a\nb\n", 4),
        "near a blank line": ("a\n\nb\n" + "c\n" * 9 + "\n", "\n", 3),
    },
)
def test_a_line_hint_that_does_not_tell_leaves_the_edit_ambiguous(
    text: str, old: str, hint: int
) -> None:
    with pytest.raises(Ambiguous):
        placed(text, Edit("f.py", old, "c\n", line_hint=hint))


def test_a_hash_that_holds_at_one_place_chooses_it_and_outweighs_a_hint() -> None:
    assert line_of(EDIT, {5}) == 5
    assert line_of(replace(EDIT, line_hint=2), {8}) == 8


@cases("held", {"at two": {2, 5}, "at none": set()})
def test_a_hash_that_does_not_tell_leaves_the_edit_ambiguous(held: set[int]) -> None:
    with pytest.raises(Ambiguous):
        line_of(EDIT, held)


def test_the_refusal_shows_how_the_places_differ() -> None:
    with pytest.raises(Ambiguous, match="at lines 2, 5, 8") as refusal:
        line_of(EDIT)
    assert [near.start_line for near in refusal.value.near] == [1, 4, 7]


def test_places_that_have_no_line_in_common_are_rivals() -> None:
    """Of the old text only its last line is there, twice but for its indentation."""
    text = "g(a, b) rest\n    g(a, b) rest\n        n = 1(q)\n"
    edit = Edit("f.py", "rest\n\n    g(a, b) rest", "rest\n    g(a, b) rest\n    ADD")
    with pytest.raises(Ambiguous):
        placed(text, edit)
