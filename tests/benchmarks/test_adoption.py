"""The measure of `hkgit adopt`: who wrote which line is followed rightly, and wrong is found."""

import pytest

from benchmarks.adoption.__main__ import Findings, judge_line, measure, slice_edits
from benchmarks.adoption.modelling import FORMS, RealEdit, model_session
from benchmarks.adoption.truth import (
    BASE,
    HAND,
    LineTruth,
    bring_back,
    start_truth,
    take_change,
    take_edit,
)

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def edit(before: str, old: str, new: str, *, is_all: bool = False) -> RealEdit:
    after = before.replace(old, new, -1 if is_all else 1)
    return RealEdit("a.txt", old, new, is_all, before, after)


def three_edits() -> list[RealEdit]:
    first = edit(TEXT, "line 3\n", "line 3\nmore\n")
    by_hand = first.after.replace("line 20\n", "somebody's\n")
    second = edit(by_hand, "line 9", "LINE 9")
    return [first, second, edit(second.after, "line 2", "Line 2", is_all=True)]


def authors(truth: list[LineTruth]) -> dict[str, int]:
    return {line.text: line.author for line in truth if line.author != BASE}


def test_each_line_is_of_the_edit_that_wrote_it_last() -> None:
    session = model_session(three_edits(), "whole", "/r", None)
    found = authors(session.truths["a.txt"])
    assert found["more"] == 0
    assert found["LINE 9"] == 1
    assert found["Line 2"] == 2
    assert found["Line 21"] == 2
    assert found["somebody's"] == HAND


def test_a_line_that_an_edit_writes_as_it_was_stays_whose_it_is() -> None:
    truth = take_edit(start_truth("a\nb\nc\n"), "a\nb\nc\n", "a\nb\nB\nc\n", ("a\nb\n", False), 7)
    assert [line.author for line in truth] == [BASE, BASE, 7, BASE]
    assert [line.again for line in truth] == [{7}, {7}, set(), set()]


def test_lines_that_come_back_are_theirs_who_wrote_them() -> None:
    written = take_edit(start_truth("a\nb\n"), "a\nb\n", "a\nnew\nb\n", ("a\n", False), 4)
    gone = take_change(written, "a\nb\n", HAND)
    back = take_change(gone, "a\nnew\nb\n", HAND)
    assert authors(back) == {"new": HAND}
    assert authors(bring_back(back, [written], HAND)) == {"new": 4}


@pytest.mark.parametrize("form", FORMS)
def test_a_session_is_explained_and_nothing_is_wrong(form: str) -> None:
    found = measure(three_edits(), form, None)
    assert found.counts["explained"] == found.counts["written"] == 12
    assert found.wrong == []


def test_lines_that_somebody_changed_in_the_end_are_nobodys() -> None:
    session = model_session(three_edits(), "whole", "/r", 3)
    by_hand = [line for line in session.truths["a.txt"] if line.author == HAND]
    assert len(by_hand) > 1
    found = measure(three_edits(), "whole", 3)
    assert found.counts["explained"] > 0
    assert found.wrong == []


def test_a_wrong_explanation_is_found() -> None:
    edits = three_edits()
    session = model_session(edits, "whole", "/r", None)
    line = next(each for each in session.truths["a.txt"] if each.text == "LINE 9")
    assert judge_line(session, edits, "a.txt", line, 0) == "wrong: another edit"
    by_hand = LineTruth("typed", HAND)
    assert judge_line(session, edits, "a.txt", by_hand, 0) == "wrong: by hand"
    assert Findings().wrong == []


def test_slices_have_all_edits_in_order() -> None:
    edits = three_edits()
    slices = slice_edits(edits, 2)
    assert [len(each) for each in slices] == [2, 1]
    assert [each for part in slices for each in part] == edits
