"""Replacing, inserting and deleting lines by number (contract, section 3)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.edits import EXECUTABLE, File, InsertAfter
from hkgit.text.document import BOM, Document
from tests.support.cases import cases
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
from tests.support.properties import examples

FIVE = b"1\n2\n3\n4\n5\n"


def edited(data: bytes, *operations: Operation) -> bytes | None:
    return result(planned({"f": data}, *operations))["f"]


@cases(
    "data, start, end, new_text, expected",
    {
        "as many lines": (FIVE, 2, 3, "x\ny\n", b"1\nx\ny\n4\n5\n"),
        "without a final newline, the same": (FIVE, 2, 3, "x", b"1\nx\n4\n5\n"),
        "more lines": (FIVE, 2, 2, "x\ny\nz", b"1\nx\ny\nz\n3\n4\n5\n"),
        "no lines": (FIVE, 2, 3, "", b"1\n4\n5\n"),
        "one empty line": (FIVE, 2, 3, "\n", b"1\n\n4\n5\n"),
        "two empty lines": (FIVE, 2, 3, "\n\n", b"1\n\n\n4\n5\n"),
        "the whole file": (FIVE, 1, 5, "x\n", b"x\n"),
        "the whole file by nothing": (FIVE, 1, 5, "", b""),
        "an open last line stays open": (b"1\n2", 2, 2, "x\n", b"1\nx"),
        "and so does what takes its place": (b"1\n2", 2, 2, "x\ny", b"1\nx\ny"),
        "far from it too": (b"1\n2", 1, 1, "x", b"x\n2"),
        "an open empty line would be none": (b"1\n2", 2, 2, "\n", b"1\n\n"),
        "the line above becomes the open one": (b"1\n2", 2, 2, "", b"1"),
        "nothing is left to be open": (b"1\n2", 1, 2, "", b""),
        "CRLF": (b"1\r\n2\r\n", 1, 1, "x\ny", b"x\r\ny\r\n2\r\n"),
        "mixed, line by line": (b"1\r\n2\n3\r\n", 1, 3, "x\ny\nz", b"x\r\ny\nz\r\n"),
        "mixed, then as the last": (b"1\r\n2\n", 1, 2, "x\ny\nz", b"x\r\ny\nz\n"),
        "an open line follows the others": (b"1\r\n2", 2, 2, "x\ny", b"1\r\nx\r\ny"),
        "CRLF in the spec": (b"1\n2\r\n", 1, 1, "x\r\ny\r\n", b"x\ny\n2\r\n"),
        "byte order mark": (BOM + b"1\n2\n", 1, 1, "x", BOM + b"x\n2\n"),
        "byte order mark of no lines": (BOM + b"1\n2\n", 1, 2, "", BOM),
        "lone carriage returns": (b"a\rb\r", 1, 1, "a\rc\r", b"a\rc\r"),
        "one at the very end": (b"1\n2\r", 1, 1, "x", b"x\n2\r"),
        "bytes that are not UTF-8": (
            b"\xff\n2\n",
            2,
            2,
            "é",
            "\udcff\né\n".encode("utf-8", "surrogateescape"),
        ),
        "form feed": (b"1\f2\n3\n", 2, 2, "x", b"1\f2\nx\n"),
    },
)
def test_lines_are_replaced(
    data: bytes, start: int, end: int, new_text: str, expected: bytes
) -> None:
    assert edited(data, replace_range("f", data, start, end, new_text)) == expected


@cases(
    "data, start, end, expected",
    {
        "the first": (FIVE, 1, 1, b"2\n3\n4\n5\n"),
        "the last": (FIVE, 4, 5, b"1\n2\n3\n"),
        "all": (FIVE, 1, 5, b""),
        "above an open line": (b"1\n2", 1, 1, b"2"),
        "the open line": (b"1\r\n2", 2, 2, b"1"),
        "all but the byte order mark": (BOM + b"1\n", 1, 1, BOM),
    },
)
def test_lines_are_deleted(data: bytes, start: int, end: int, expected: bytes) -> None:
    assert edited(data, delete_range("f", data, start, end)) == expected


@cases(
    "data, after, expected",
    {
        "at the top": (FIVE, 0, b"x\ny\n1\n2\n3\n4\n5\n"),
        "in the middle": (FIVE, 2, b"1\n2\nx\ny\n3\n4\n5\n"),
        "at the end": (FIVE, 5, b"1\n2\n3\n4\n5\nx\ny\n"),
        "into an empty file": (b"", 0, b"x\ny\n"),
        "behind an open line, which is open no more": (b"1\n2", 2, b"1\n2\nx\ny"),
        "above one": (b"1", 0, b"x\ny\n1"),
        "with the end of the line above": (b"1\r\n2\n", 1, b"1\r\nx\r\ny\r\n2\n"),
        "at the top with that of line 1": (b"1\n2\r\n", 0, b"x\ny\n1\n2\r\n"),
        "at the top of a CRLF file": (b"1\r\n", 0, b"x\r\ny\r\n1\r\n"),
        "behind the byte order mark": (BOM + b"1\n", 0, BOM + b"x\ny\n1\n"),
        "behind a byte order mark alone": (BOM, 0, BOM + b"x\ny\n"),
    },
)
def test_lines_are_inserted(data: bytes, after: int, expected: bytes) -> None:
    operation = insert_after("f", data if data != BOM else b"", after, "x", "y")
    assert edited(data, operation) == expected


def test_lines_that_stand_there_already_are_inserted_again_by_their_hash_alone() -> None:
    insertion = InsertAfter("f", 2, ("3", "4"))
    assert refusal(on_base({"f": FIVE}, insertion)).startswith("already_applied: f:3: the new")
    hashed = replace(insertion, expected_hash=hash_of(FIVE, 2, 2))
    assert result(on_base({"f": FIVE}, hashed)) == {"f": b"1\n2\n3\n4\n3\n4\n5\n"}


@cases(
    "operations, expected",
    {
        "insertions at one place in their order": (
            [insert_after("f", FIVE, 2, "a"), insert_after("f", FIVE, 2, "b")],
            b"1\n2\na\nb\n3\n4\n5\n",
        ),
        "at the top too": (
            [insert_after("f", FIVE, 0, "a"), insert_after("f", FIVE, 0, "b")],
            b"a\nb\n1\n2\n3\n4\n5\n",
        ),
        "insertions at the borders of a replaced range": (
            [
                insert_after("f", FIVE, 1, "a"),
                replace_range("f", FIVE, 2, 3, "x"),
                insert_after("f", FIVE, 3, "b"),
            ],
            b"1\na\nx\nb\n4\n5\n",
        ),
        "in any order": (
            [
                replace_range("f", FIVE, 2, 3, "x"),
                insert_after("f", FIVE, 3, "b"),
                insert_after("f", FIVE, 1, "a"),
            ],
            b"1\na\nx\nb\n4\n5\n",
        ),
        "and of a deleted one": (
            [
                delete_range("f", FIVE, 2, 3),
                insert_after("f", FIVE, 1, "a"),
                insert_after("f", FIVE, 3, "b"),
            ],
            b"1\na\nb\n4\n5\n",
        ),
        "ranges in any order": (
            [replace_range("f", FIVE, 4, 5, "y"), replace_range("f", FIVE, 1, 2, "x")],
            b"x\n3\ny\n",
        ),
        "ranges that touch": (
            [replace_range("f", FIVE, 1, 2, "x"), replace_range("f", FIVE, 3, 3, "y")],
            b"x\ny\n4\n5\n",
        ),
        "line numbers speak of the base": (
            [replace_range("f", FIVE, 1, 1, "a\nb\nc"), delete_range("f", FIVE, 3, 3)],
            b"a\nb\nc\n2\n4\n5\n",
        ),
        "text and range": (
            [
                {"op": "replace_text", "path": "f", "old_text": "4\n", "new_text": "x\n"},
                replace_range("f", FIVE, 1, 1, "a\nb"),
            ],
            b"a\nb\n2\n3\nx\n5\n",
        ),
        "text of the base, not what another edit wrote": (
            [
                replace_range("f", FIVE, 1, 1, "4"),
                {"op": "replace_text", "path": "f", "old_text": "4\n", "new_text": "x\n"},
            ],
            b"4\n2\n3\nx\n5\n",
        ),
    },
)
def test_operations_compose(operations: list[Operation], expected: bytes) -> None:
    assert edited(FIVE, *operations) == expected


@cases(
    "operations, where",
    {
        "ranges that share a line": (
            [replace_range("f", FIVE, 2, 3, "x"), replace_range("f", FIVE, 3, 4, "y")],
            "f:3-4",
        ),
        "the same range": (
            [replace_range("f", FIVE, 2, 2, "x"), delete_range("f", FIVE, 2, 2)],
            "f:2-2",
        ),
        "one inside the other": (
            [replace_range("f", FIVE, 1, 5, "x"), delete_range("f", FIVE, 3, 3)],
            "f:3-3",
        ),
        "one around the other": (
            [delete_range("f", FIVE, 3, 3), replace_range("f", FIVE, 1, 5, "x")],
            "f:1-5",
        ),
        "an insertion between two replaced lines": (
            [replace_range("f", FIVE, 2, 3, "x"), insert_after("f", FIVE, 2, "y")],
            "f:3-2",
        ),
        "the other way round": (
            [insert_after("f", FIVE, 2, "y"), replace_range("f", FIVE, 2, 3, "x")],
            "f:2-3",
        ),
        "text and range": (
            [
                {"op": "replace_text", "path": "f", "old_text": "2\n", "new_text": "x\n"},
                delete_range("f", FIVE, 1, 2),
            ],
            "f:1-2",
        ),
    },
)
def test_overlaps_are_invalid(operations: list[Operation], where: str) -> None:
    said = refusal(planned({"f": FIVE}, *operations))
    assert said.startswith(f"invalid: {where}: overlaps another edit of this spec")


@cases(
    "operation",
    {
        "a range that ends there": {
            "op": "replace_range",
            "start_line": 5,
            "end_line": 6,
            "new_text": "",
        },
        "one that begins": {"op": "delete_range", "start_line": 7, "end_line": 7},
        "an insertion": {"op": "insert_after", "after_line": 6, "new_text": "x"},
    },
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


@examples(60)
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
