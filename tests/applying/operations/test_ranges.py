"""Replacing, inserting and deleting lines by number (contract, section 3)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.edits import EXECUTABLE, File, InsertAfter
from hkgit.text.document import BOM, Document
from tests.support.planning import (
    SOURCE,
    Operation,
    delete_range,
    hash_of,
    insert_after,
    on_base,
    only,
    planned,
    refusal,
    replace_range,
    result,
)

FIVE = b"1\n2\n3\n4\n5\n"


def edited(data: bytes, *operations: Operation) -> bytes | None:
    return result(planned({"f": data}, *operations))["f"]


@pytest.mark.parametrize(
    ("data", "start", "end", "new_text", "expected"),
    [
        pytest.param(FIVE, 2, 3, "x\ny\n", b"1\nx\ny\n4\n5\n", id="as many lines"),
        pytest.param(FIVE, 2, 3, "x", b"1\nx\n4\n5\n", id="without a final newline, the same"),
        pytest.param(FIVE, 2, 2, "x\ny\nz", b"1\nx\ny\nz\n3\n4\n5\n", id="more lines"),
        pytest.param(FIVE, 2, 3, "", b"1\n4\n5\n", id="no lines"),
        pytest.param(FIVE, 2, 3, "\n", b"1\n\n4\n5\n", id="one empty line"),
        pytest.param(FIVE, 2, 3, "\n\n", b"1\n\n\n4\n5\n", id="two empty lines"),
        pytest.param(FIVE, 1, 5, "x\n", b"x\n", id="the whole file"),
        pytest.param(FIVE, 1, 5, "", b"", id="the whole file by nothing"),
        pytest.param(b"1\n2", 2, 2, "x\n", b"1\nx", id="an open last line stays open"),
        pytest.param(b"1\n2", 2, 2, "x\ny", b"1\nx\ny", id="and so does what takes its place"),
        pytest.param(b"1\n2", 1, 1, "x", b"x\n2", id="far from it too"),
        pytest.param(b"1\n2", 2, 2, "\n", b"1\n\n", id="an open empty line would be none"),
        pytest.param(b"1\n2", 2, 2, "", b"1", id="the line above becomes the open one"),
        pytest.param(b"1\n2", 1, 2, "", b"", id="nothing is left to be open"),
        pytest.param(b"1\r\n2\r\n", 1, 1, "x\ny", b"x\r\ny\r\n2\r\n", id="CRLF"),
        pytest.param(b"1\r\n2\n3\r\n", 1, 3, "x\ny\nz", b"x\r\ny\nz\r\n", id="mixed, line by line"),
        pytest.param(b"1\r\n2\n", 1, 2, "x\ny\nz", b"x\r\ny\nz\n", id="mixed, then as the last"),
        pytest.param(b"1\r\n2", 2, 2, "x\ny", b"1\r\nx\r\ny", id="an open line follows the others"),
        pytest.param(b"1\n2\r\n", 1, 1, "x\r\ny\r\n", b"x\ny\n2\r\n", id="CRLF in the spec"),
        pytest.param(BOM + b"1\n2\n", 1, 1, "x", BOM + b"x\n2\n", id="byte order mark"),
        pytest.param(BOM + b"1\n2\n", 1, 2, "", BOM, id="byte order mark of no lines"),
        pytest.param(b"a\rb\r", 1, 1, "a\rc\r", b"a\rc\r", id="lone carriage returns"),
        pytest.param(b"1\n2\r", 1, 1, "x", b"x\n2\r", id="one at the very end"),
        pytest.param(
            b"\xff\n2\n",
            2,
            2,
            "é",
            "\udcff\né\n".encode("utf-8", "surrogateescape"),
            id="bytes that are not UTF-8",
        ),
        pytest.param(b"1\f2\n3\n", 2, 2, "x", b"1\f2\nx\n", id="form feed"),
    ],
)
def test_lines_are_replaced(
    data: bytes, start: int, end: int, new_text: str, expected: bytes
) -> None:
    assert edited(data, replace_range("f", data, start, end, new_text)) == expected


@pytest.mark.parametrize(
    ("data", "start", "end", "expected"),
    [
        pytest.param(FIVE, 1, 1, b"2\n3\n4\n5\n", id="the first"),
        pytest.param(FIVE, 4, 5, b"1\n2\n3\n", id="the last"),
        pytest.param(FIVE, 1, 5, b"", id="all"),
        pytest.param(b"1\n2", 1, 1, b"2", id="above an open line"),
        pytest.param(b"1\r\n2", 2, 2, b"1", id="the open line"),
        pytest.param(BOM + b"1\n", 1, 1, BOM, id="all but the byte order mark"),
    ],
)
def test_lines_are_deleted(data: bytes, start: int, end: int, expected: bytes) -> None:
    assert edited(data, delete_range("f", data, start, end)) == expected


@pytest.mark.parametrize(
    ("data", "after", "expected"),
    [
        pytest.param(FIVE, 0, b"x\ny\n1\n2\n3\n4\n5\n", id="at the top"),
        pytest.param(FIVE, 2, b"1\n2\nx\ny\n3\n4\n5\n", id="in the middle"),
        pytest.param(FIVE, 5, b"1\n2\n3\n4\n5\nx\ny\n", id="at the end"),
        pytest.param(b"", 0, b"x\ny\n", id="into an empty file"),
        pytest.param(b"1\n2", 2, b"1\n2\nx\ny", id="behind an open line, which is open no more"),
        pytest.param(b"1", 0, b"x\ny\n1", id="above one"),
        pytest.param(b"1\r\n2\n", 1, b"1\r\nx\r\ny\r\n2\n", id="with the end of the line above"),
        pytest.param(b"1\n2\r\n", 0, b"x\ny\n1\n2\r\n", id="at the top with that of line 1"),
        pytest.param(b"1\r\n", 0, b"x\r\ny\r\n1\r\n", id="at the top of a CRLF file"),
        pytest.param(BOM + b"1\n", 0, BOM + b"x\ny\n1\n", id="behind the byte order mark"),
        pytest.param(BOM, 0, BOM + b"x\ny\n", id="behind a byte order mark alone"),
    ],
)
def test_lines_are_inserted(data: bytes, after: int, expected: bytes) -> None:
    operation = insert_after("f", data if data != BOM else b"", after, "x", "y")
    assert edited(data, operation) == expected


def test_lines_that_stand_there_already_are_inserted_again_by_their_hash_alone() -> None:
    insertion = InsertAfter("f", 2, ("3", "4"))
    assert refusal(on_base({"f": FIVE}, insertion)).startswith("already_applied: f:3: the new")
    hashed = replace(insertion, expected_hash=hash_of(FIVE, 2, 2))
    assert result(on_base({"f": FIVE}, hashed)) == {"f": b"1\n2\n3\n4\n3\n4\n5\n"}


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param(
            [insert_after("f", FIVE, 2, "a"), insert_after("f", FIVE, 2, "b")],
            b"1\n2\na\nb\n3\n4\n5\n",
            id="insertions at one place in their order",
        ),
        pytest.param(
            [insert_after("f", FIVE, 0, "a"), insert_after("f", FIVE, 0, "b")],
            b"a\nb\n1\n2\n3\n4\n5\n",
            id="at the top too",
        ),
        pytest.param(
            [
                insert_after("f", FIVE, 1, "a"),
                replace_range("f", FIVE, 2, 3, "x"),
                insert_after("f", FIVE, 3, "b"),
            ],
            b"1\na\nx\nb\n4\n5\n",
            id="insertions at the borders of a replaced range",
        ),
        pytest.param(
            [
                replace_range("f", FIVE, 2, 3, "x"),
                insert_after("f", FIVE, 3, "b"),
                insert_after("f", FIVE, 1, "a"),
            ],
            b"1\na\nx\nb\n4\n5\n",
            id="in any order",
        ),
        pytest.param(
            [
                delete_range("f", FIVE, 2, 3),
                insert_after("f", FIVE, 1, "a"),
                insert_after("f", FIVE, 3, "b"),
            ],
            b"1\na\nb\n4\n5\n",
            id="and of a deleted one",
        ),
        pytest.param(
            [replace_range("f", FIVE, 4, 5, "y"), replace_range("f", FIVE, 1, 2, "x")],
            b"x\n3\ny\n",
            id="ranges in any order",
        ),
        pytest.param(
            [replace_range("f", FIVE, 1, 2, "x"), replace_range("f", FIVE, 3, 3, "y")],
            b"x\ny\n4\n5\n",
            id="ranges that touch",
        ),
        pytest.param(
            [replace_range("f", FIVE, 1, 1, "a\nb\nc"), delete_range("f", FIVE, 3, 3)],
            b"a\nb\nc\n2\n4\n5\n",
            id="line numbers speak of the base",
        ),
        pytest.param(
            [
                {"op": "replace_text", "path": "f", "old_text": "4\n", "new_text": "x\n"},
                replace_range("f", FIVE, 1, 1, "a\nb"),
            ],
            b"a\nb\n2\n3\nx\n5\n",
            id="text and range",
        ),
        pytest.param(
            [
                replace_range("f", FIVE, 1, 1, "4"),
                {"op": "replace_text", "path": "f", "old_text": "4\n", "new_text": "x\n"},
            ],
            b"4\n2\n3\nx\n5\n",
            id="text of the base, not what another edit wrote",
        ),
    ],
)
def test_operations_compose(operations: list[Operation], expected: bytes) -> None:
    assert edited(FIVE, *operations) == expected


@pytest.mark.parametrize(
    ("operations", "where"),
    [
        pytest.param(
            [replace_range("f", FIVE, 2, 3, "x"), replace_range("f", FIVE, 3, 4, "y")],
            "f:3-4",
            id="ranges that share a line",
        ),
        pytest.param(
            [replace_range("f", FIVE, 2, 2, "x"), delete_range("f", FIVE, 2, 2)],
            "f:2-2",
            id="the same range",
        ),
        pytest.param(
            [replace_range("f", FIVE, 1, 5, "x"), delete_range("f", FIVE, 3, 3)],
            "f:3-3",
            id="one inside the other",
        ),
        pytest.param(
            [delete_range("f", FIVE, 3, 3), replace_range("f", FIVE, 1, 5, "x")],
            "f:1-5",
            id="one around the other",
        ),
        pytest.param(
            [replace_range("f", FIVE, 2, 3, "x"), insert_after("f", FIVE, 2, "y")],
            "f:3-2",
            id="an insertion between two replaced lines",
        ),
        pytest.param(
            [insert_after("f", FIVE, 2, "y"), replace_range("f", FIVE, 2, 3, "x")],
            "f:2-3",
            id="the other way round",
        ),
        pytest.param(
            [
                {"op": "replace_text", "path": "f", "old_text": "2\n", "new_text": "x\n"},
                delete_range("f", FIVE, 1, 2),
            ],
            "f:1-2",
            id="text and range",
        ),
    ],
)
def test_overlaps_are_invalid(operations: list[Operation], where: str) -> None:
    said = refusal(planned({"f": FIVE}, *operations))
    assert said.startswith(f"invalid: {where}: overlaps another edit of this spec")


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(
            {"op": "replace_range", "start_line": 5, "end_line": 6, "new_text": ""},
            id="a range that ends there",
        ),
        pytest.param({"op": "delete_range", "start_line": 7, "end_line": 7}, id="one that begins"),
        pytest.param({"op": "insert_after", "after_line": 6, "new_text": "x"}, id="an insertion"),
    ],
)
def test_lines_past_the_end_are_invalid_without_a_hash(operation: Operation) -> None:
    said = refusal(planned({"f": FIVE}, {"path": "f", **operation}))
    assert said.startswith("invalid: f:")
    assert "the file has 5 lines" in said


def test_an_edit_keeps_the_mode_of_its_file() -> None:
    made = planned({"f": File(FIVE, EXECUTABLE)}, replace_range("f", FIVE, 1, 1, "x"))
    [change] = made.files
    assert change.after == File(b"x\n2\n3\n4\n5\n", EXECUTABLE)


def test_the_outcome_says_where_the_lines_stood_just_before_and_in_the_base() -> None:
    first, second = insert_after("f", FIVE, 0, "a", "b"), replace_range("f", FIVE, 2, 3, "x")
    outcome = planned({"f": FIVE}, first, second).outcomes[1]
    assert outcome.lines == ((4, 5),)
    assert outcome.base_lines == ((2, 3),)


def test_a_range_edit_is_sure_of_itself() -> None:
    outcome = only(planned({"f": FIVE}, delete_range("f", FIVE, 1, 1)))
    assert outcome.tier == "range"
    assert outcome.similarity == 1
    assert outcome.confidence == 1


LINES = st.sampled_from(["", "a", "b", "c\rd", " x"])
ENDS = st.sampled_from(["\n", "\r\n"])


@given(st.lists(st.tuples(LINES, ENDS)), st.booleans(), st.lists(LINES, max_size=3), st.data())
def test_all_but_the_replaced_lines_stays_byte_for_byte(
    lines: list[tuple[str, str]], is_open: bool, new_lines: list[str], drawn: st.DataObject
) -> None:
    data = "".join(text + end for text, end in lines).encode()
    data = data.rstrip(b"\r\n") if is_open else data
    base = Document(data)
    assume(base.line_count)
    start = drawn.draw(st.integers(1, base.line_count))
    end = drawn.draw(st.integers(start, base.line_count))
    operation = replace_range("f", data, start, end, "".join(f"{each}\n" for each in new_lines))
    made = planned({"f": data}, operation)
    after = Document(result(made).get("f", data) or b"")
    kept = [*base.lines[: start - 1], *[each.encode() for each in new_lines], *base.lines[end:]]
    assert list(after.lines) == kept


def test_a_real_file_is_edited_in_many_places_at_once() -> None:
    count = Document(SOURCE).line_count
    operations = [
        replace_range("f", SOURCE, line, line, f"line {line}") for line in range(1, count, 7)
    ]
    lines = SOURCE.decode().splitlines()
    for line in range(1, count, 7):
        lines[line - 1] = f"line {line}"
    assert edited(SOURCE, *operations) == ("\n".join(lines) + "\n").encode()
