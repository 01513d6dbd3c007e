"""What no longer stands where it was read, and where it stands now."""

from __future__ import annotations

import pytest

from tests.support.cases import cases
from tests.support.planning import (
    Operation,
    delete_range,
    hash_of,
    insert_after,
    only,
    planned,
    refusal,
    replace_range,
    result,
)

OLD = b"a\nb\nc\nd\n"
NEW = b"x\ny\na\nb\nc\nd\n"
"""The file that was read, and what it is now: two lines more at the top."""


@cases(
    "now, operation, where, fix",
    {
        "a range that moved": (
            NEW,
            replace_range("f", OLD, 2, 3, "z"),
            "f:2-3",
            "The range is now at lines 4-5: use those, or pass --relocate.",
        ),
        "a deletion": (NEW, delete_range("f", OLD, 4, 4), "f:4-4", "The range is now at lines 6-6"),
        "an insertion by its line above": (
            NEW,
            insert_after("f", OLD, 4, "z"),
            "f:4-4",
            "The range is now at lines 6-6",
        ),
        "one at the top by line 1": (
            NEW,
            insert_after("f", OLD, 0, "z"),
            "f:1-1",
            "The range is now at lines 3-3",
        ),
        "one line below": (
            b"a\nx\na\n",
            replace_range("f", b"x\na\n", 1, 1, "z"),
            "f:1-1",
            "The range is now at lines 2-2",
        ),
        "two places": (
            b"x\na\nb\na\nb\n",
            replace_range("f", b"a\nb\n", 1, 2, "z"),
            "f:1-2",
            "The range is now at lines 2, 4: say which.",
        ),
        "no place": (
            b"x\ny\n",
            replace_range("f", b"a\nb\n", 1, 2, "z"),
            "f:1-2",
            "Read the lines again (`hkgit read f`)",
        ),
        "past the end of what is left": (
            b"a\n",
            replace_range("f", b"a\nb\nc\n", 3, 3, "z"),
            "f:3-3",
            "Read the lines again",
        ),
        "past the end, but found": (
            b"c\n",
            replace_range("f", b"a\nb\nc\n", 3, 3, "z"),
            "f:3-3",
            "The range is now at lines 1-1",
        ),
        "the file was emptied": (
            b"",
            insert_after("f", b"a\n", 0, "z"),
            "f:1-0",
            "Read the lines again",
        ),
        "the file was filled": (
            b"a\n",
            insert_after("f", b"", 0, "z"),
            "f:1-1",
            "Read the lines again",
        ),
    },
)
def test_a_hash_that_does_not_hold_is_stale_and_says_where_the_range_is(
    now: bytes, operation: Operation, where: str, fix: str
) -> None:
    said = refusal(planned({"f": now}, operation))
    assert said.startswith(f"stale: {where}: expected hash ")
    assert fix in said


def test_one_stale_operation_stops_the_whole_spec() -> None:
    good, bad = replace_range("f", NEW, 1, 1, "z"), replace_range("g", OLD, 2, 3, "z")
    made = planned({"f": NEW, "g": NEW}, good, bad)
    assert [outcome.status for outcome in made.outcomes] == ["applied", "stale"]
    assert made.files == ()


def test_the_first_refusal_decides_and_every_edit_is_looked_at() -> None:
    stale, invalid = replace_range("f", OLD, 2, 3, "z"), {**delete_range("f", OLD, 1, 1)}
    del invalid["expected_hash"]
    made = planned({"f": NEW}, {**invalid, "end_line": 9}, stale)
    assert [outcome.status for outcome in made.outcomes] == ["invalid", "stale"]


@cases(
    "now, operation, lines, expected",
    {
        "a range": (NEW, replace_range("f", OLD, 2, 3, "z"), (4, 5), b"x\ny\na\nz\nd\n"),
        "deletion": (NEW, delete_range("f", OLD, 4, 4), (6, 6), b"x\ny\na\nb\nc\n"),
        "insertion": (NEW, insert_after("f", OLD, 4, "z"), (7, 6), NEW + b"z\n"),
        "insertion at the top stays above what was line 1": (
            NEW,
            insert_after("f", OLD, 0, "z"),
            (3, 2),
            b"x\ny\nz\na\nb\nc\nd\n",
        ),
        "past the end of what is left": (
            b"c\n",
            delete_range("f", b"a\nb\nc\n", 3, 3),
            (1, 1),
            b"",
        ),
    },
)
def test_relocate_accepts_the_one_place_and_records_it(
    now: bytes, operation: Operation, lines: tuple[int, int], expected: bytes
) -> None:
    made = planned({"f": now}, operation, relocate=True)
    assert result(made)["f"] == expected
    assert only(made).is_relocated is True
    assert only(made).base_lines == (lines,)


def test_what_stands_where_it_was_read_is_not_relocated() -> None:
    made = planned({"f": b"a\nb\na\n"}, delete_range("f", b"a\n", 1, 1), relocate=True)
    assert not only(made).is_relocated


@cases(
    "now, operation",
    {
        "two places": (b"x\na\nb\na\nb\n", replace_range("f", b"a\nb\n", 1, 2, "z")),
        "no place": (b"x\n", replace_range("f", b"a\n", 1, 1, "z")),
        "the empty range is everywhere": (b"a\n", insert_after("f", b"", 0, "z")),
    },
)
def test_relocate_does_not_guess(now: bytes, operation: Operation) -> None:
    assert refusal(planned({"f": now}, operation, relocate=True)).startswith("stale: ")


@pytest.mark.parametrize("digits", [12, 40, 64])
def test_a_prefix_of_the_hash_will_do(digits: int) -> None:
    prefix = hash_of(OLD, 2, 3)[:digits]
    made = planned({"f": OLD}, {**replace_range("f", OLD, 2, 3, "z"), "expected_hash": prefix})
    assert only(made).evidence.expected_hash == hash_of(OLD, 2, 3)


def test_the_hash_may_be_in_capitals() -> None:
    operation = replace_range("f", OLD, 2, 3, "z")
    assert planned({"f": OLD}, {**operation, "expected_hash": hash_of(OLD, 2, 3).upper()}).ok


def test_the_hash_of_a_range_is_not_that_of_the_whole_file() -> None:
    operation = {**replace_range("f", OLD, 2, 3, "z"), "expected_hash": hash_of(OLD, 1, 4)}
    assert refusal(planned({"f": OLD}, operation)).startswith("stale: f:2-3")


def test_a_file_that_is_gone_is_stale_where_a_hash_was_expected() -> None:
    said = refusal(planned({}, replace_range("f", OLD, 1, 1, "z")))
    assert said.startswith("stale: f: there is no such file, but a hash of it was expected")


def test_a_file_that_is_gone_is_no_match_otherwise() -> None:
    operation: Operation = {"op": "insert_after", "path": "f", "after_line": 0, "new_text": "x"}
    assert refusal(planned({}, operation)).startswith("no_match: f: there is no such file")


@cases(
    "operation, corrected",
    {
        "a range": (replace_range("f", OLD, 2, 3, "z"), '"start_line": 4'),
        "an insertion": (insert_after("f", OLD, 2, "z"), '"after_line": 4'),
    },
)
def test_an_edit_whose_lines_moved_is_said_again_in_its_dialect(
    operation: Operation, corrected: str
) -> None:
    [outcome] = planned({"f": NEW}, operation).outcomes
    assert corrected in (outcome.corrected or "")
