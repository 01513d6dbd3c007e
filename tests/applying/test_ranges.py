"""Edits that name their lines, by number or by tag (contract, section 3).

Files have one letter a line: `file_of("abc")`. An operation quotes the hash of what was seen.
"""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.edits import EXECUTABLE, Edit, File, InsertAfter, TagEdit
from hkgit.text.document import BOM, Document
from hkgit.text.hashes import compute_tag
from tests.support.cases import cases
from tests.support.planning import (
    SOURCE,
    Operation,
    delete_range,
    file_of,
    hash_of,
    in_sequence,
    insert_after,
    on_base,
    only,
    planned,
    refusal,
    replace_range,
    result,
)
from tests.support.properties import examples

FIVE = file_of("12345")
CRLF = b"1\r\n2\r\n"


def put(start: int, end: int, new_text: str, seen: bytes = FIVE) -> Operation:
    return replace_range("f", seen, start, end, new_text)


def cut(start: int, end: int, seen: bytes = FIVE) -> Operation:
    return delete_range("f", seen, start, end)


def add(after: int, *new_lines: str, seen: bytes = FIVE) -> Operation:
    return insert_after("f", seen, after, *new_lines)


def swap(old: str, new: str) -> Operation:
    return {"op": "replace_text", "path": "f", "old_text": old, "new_text": new}


def edited(data: bytes, *operations: Operation) -> bytes | None:
    return result(planned({"f": data}, *operations))["f"]


@cases(
    {
        "as many lines": (FIVE, 2, 3, "x\ny\n", file_of("1xy45")),
        "without a final newline, the same": (FIVE, 2, 3, "x", file_of("1x45")),
        "more lines": (FIVE, 2, 2, "x\ny\nz", file_of("1xyz345")),
        "no lines": (FIVE, 2, 3, "", file_of("145")),
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
        "CRLF": (CRLF, 1, 1, "x\ny", b"x\r\ny\r\n2\r\n"),
        "mixed, line by line": (b"1\r\n2\n3\r\n", 1, 3, "x\ny\nz", b"x\r\ny\nz\r\n"),
        "mixed, then as the last": (b"1\r\n2\n", 1, 2, "x\ny\nz", b"x\r\ny\nz\n"),
        "an open line follows the others": (CRLF[:-2], 2, 2, "x\ny", b"1\r\nx\r\ny"),
        "CRLF in the spec": (b"1\n2\r\n", 1, 1, "x\r\ny\r\n", b"x\ny\n2\r\n"),
        "byte order mark": (BOM + b"1\n2\n", 1, 1, "x", BOM + b"x\n2\n"),
        "byte order mark of no lines": (BOM + b"1\n2\n", 1, 2, "", BOM),
        "lone carriage returns": (b"a\rb\r", 1, 1, "a\rc\r", b"a\rc\r"),
        "one at the very end": (b"1\n2\r", 1, 1, "x", b"x\n2\r"),
        "bytes that are not UTF-8": (b"\xff\n2\n", 2, 2, "é", b"\xff\n\xc3\xa9\n"),
        "form feed": (b"1\f2\n3\n", 2, 2, "x", b"1\f2\nx\n"),
    },
)
def test_lines_are_replaced(
    data: bytes, start: int, end: int, new_text: str, expected: bytes
) -> None:
    assert edited(data, put(start, end, new_text, seen=data)) == expected


@cases(
    {
        "the first": (FIVE, 1, 1, file_of("2345")),
        "the last": (FIVE, 4, 5, file_of("123")),
        "all": (FIVE, 1, 5, b""),
        "above an open line": (b"1\n2", 1, 1, b"2"),
        "the open line": (CRLF[:-2], 2, 2, b"1"),
        "all but the byte order mark": (BOM + b"1\n", 1, 1, BOM),
    },
)
def test_lines_are_deleted(data: bytes, start: int, end: int, expected: bytes) -> None:
    assert edited(data, cut(start, end, seen=data)) == expected


@cases(
    {
        "at the top": (FIVE, 0, file_of("xy12345")),
        "in the middle": (FIVE, 2, file_of("12xy345")),
        "at the end": (FIVE, 5, file_of("12345xy")),
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
    seen = data if data != BOM else b""
    assert edited(data, add(after, "x", "y", seen=seen)) == expected


def test_lines_that_stand_there_already_are_inserted_again_by_their_hash_alone() -> None:
    insertion = InsertAfter("f", 2, ("3", "4"))
    assert refusal(on_base({"f": FIVE}, insertion)).startswith("already_applied: f:3: the new")
    hashed = replace(insertion, expected_hash=hash_of(FIVE, 2, 2))
    assert result(on_base({"f": FIVE}, hashed)) == {"f": file_of("1234345")}


@cases(
    {
        "insertions at one place in their order": ([add(2, "a"), add(2, "b")], "12ab345"),
        "at the top too": ([add(0, "a"), add(0, "b")], "ab12345"),
        "insertions at a range": ([add(1, "a"), put(2, 3, "x"), add(3, "b")], "1axb45"),
        "in any order": ([put(2, 3, "x"), add(3, "b"), add(1, "a")], "1axb45"),
        "and of a deleted one": ([cut(2, 3), add(1, "a"), add(3, "b")], "1ab45"),
        "ranges in any order": ([put(4, 5, "y"), put(1, 2, "x")], "x3y"),
        "ranges that touch": ([put(1, 2, "x"), put(3, 3, "y")], "xy45"),
        "line numbers speak of the base": ([put(1, 1, "a\nb\nc"), cut(3, 3)], "abc245"),
        "text and range": ([swap("4\n", "x\n"), put(1, 1, "a\nb")], "ab23x5"),
        "text of the base, not what another wrote": ([put(1, 1, "4"), swap("4\n", "x\n")], "423x5"),
    },
)
def test_operations_compose(operations: list[Operation], expected: str) -> None:
    assert edited(FIVE, *operations) == file_of(expected)


@cases(
    {
        "ranges that share a line": ([put(2, 3, "x"), put(3, 4, "y")], "f:3-4"),
        "the same range": ([put(2, 2, "x"), cut(2, 2)], "f:2-2"),
        "one inside the other": ([put(1, 5, "x"), cut(3, 3)], "f:3-3"),
        "one around the other": ([cut(3, 3), put(1, 5, "x")], "f:1-5"),
        "an insertion between two replaced lines": ([put(2, 3, "x"), add(2, "y")], "f:3-2"),
        "the other way round": ([add(2, "y"), put(2, 3, "x")], "f:2-3"),
        "text and range": ([swap("2\n", "x\n"), cut(1, 2)], "f:1-2"),
    },
)
def test_overlaps_are_invalid(operations: list[Operation], where: str) -> None:
    said = refusal(planned({"f": FIVE}, *operations))
    assert said.startswith(f"invalid: {where}: overlaps another edit of this spec")


@cases(
    {
        "a range that ends there": {**put(4, 5, ""), "end_line": 6},
        "one that begins": {**cut(4, 5), "start_line": 7, "end_line": 7},
        "an insertion": {**add(5, "x"), "after_line": 6},
    },
)
def test_lines_past_the_end_are_invalid_without_a_hash(operation: Operation) -> None:
    unhashed = {key: value for key, value in operation.items() if key != "expected_hash"}
    said = refusal(planned({"f": FIVE}, unhashed))
    assert said.startswith("invalid: f:")
    assert "the file has 5 lines" in said


def test_an_edit_keeps_the_mode_of_its_file() -> None:
    [change] = planned({"f": File(FIVE, EXECUTABLE)}, put(1, 1, "x")).files
    assert change.after == File(file_of("x2345"), EXECUTABLE)


def test_the_outcome_says_where_the_lines_stood_just_before_and_in_the_base() -> None:
    outcome = planned({"f": FIVE}, add(0, "a", "b"), put(2, 3, "x")).outcomes[1]
    assert outcome.lines == ((4, 5),)
    assert outcome.base_lines == ((2, 3),)


def test_a_range_edit_is_sure_of_itself() -> None:
    outcome = only(planned({"f": FIVE}, cut(1, 1)))
    assert (outcome.tier, outcome.similarity, outcome.confidence) == ("range", 1, 1)


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
    made = planned({"f": data}, put(start, end, "".join(f"{each}\n" for each in new_lines), data))
    after = Document(result(made).get("f", data) or b"")
    kept = [*base.lines[: start - 1], *[each.encode() for each in new_lines], *base.lines[end:]]
    assert list(after.lines) == kept


def test_a_real_file_is_edited_in_many_places_at_once() -> None:
    lines = SOURCE.decode().splitlines()
    chosen = range(1, len(lines), 7)
    for number in chosen:
        lines[number - 1] = f"line {number}"
    made = edited(SOURCE, *(put(number, number, f"line {number}", SOURCE) for number in chosen))
    assert made == ("\n".join(lines) + "\n").encode()


OLD = file_of("abcd")
NEW = file_of("xyabcd")
"""The file that was read, and what it is now: two lines more at the top."""

TWICE = file_of("xabab")
A_AND_B = put(1, 2, "z", seen=file_of("ab"))
THIRD = put(3, 3, "z", seen=file_of("abc"))


@cases(
    {
        "a range that moved": (
            NEW,
            put(2, 3, "z", seen=OLD),
            "f:2-3",
            "The range is now at lines 4-5: use those, or pass --relocate.",
        ),
        "a deletion": (NEW, cut(4, 4, seen=OLD), "f:4-4", "is now at lines 6-6"),
        "an insertion below it": (NEW, add(4, "z", seen=OLD), "f:4-4", "is now at lines 6-6"),
        "one at the top by line 1": (NEW, add(0, "z", seen=OLD), "f:1-1", "is now at lines 3-3"),
        "one line below": (
            file_of("axa"),
            put(1, 1, "z", seen=file_of("xa")),
            "f:1-1",
            "is now at lines 2-2",
        ),
        "two places": (TWICE, A_AND_B, "f:1-2", "The range is now at lines 2, 4: say which."),
        "no place": (file_of("xy"), A_AND_B, "f:1-2", "Read the lines again (`hkgit read f`)"),
        "past the end of what is left": (b"a\n", THIRD, "f:3-3", "Read the lines again"),
        "past the end, but found": (b"c\n", THIRD, "f:3-3", "is now at lines 1-1"),
        "the file was emptied": (b"", add(0, "z", seen=b"a\n"), "f:1-0", "Read the lines again"),
        "the file was filled": (b"a\n", add(0, "z", seen=b""), "f:1-1", "Read the lines again"),
    },
)
def test_a_hash_that_does_not_hold_is_stale_and_says_where_the_range_is(
    now: bytes, operation: Operation, where: str, fix: str
) -> None:
    said = refusal(planned({"f": now}, operation))
    assert said.startswith(f"stale: {where}: expected hash ")
    assert fix in said


def test_one_stale_operation_stops_the_whole_spec() -> None:
    stale = replace_range("g", OLD, 2, 3, "z")
    made = planned({"f": NEW, "g": NEW}, put(1, 1, "z", seen=NEW), stale)
    assert [outcome.status for outcome in made.outcomes] == ["applied", "stale"]
    assert made.files == ()


def test_the_first_refusal_decides_and_every_edit_is_looked_at() -> None:
    invalid = {"op": "delete_range", "path": "f", "start_line": 1, "end_line": 9}
    made = planned({"f": NEW}, invalid, put(2, 3, "z", seen=OLD))
    assert [outcome.status for outcome in made.outcomes] == ["invalid", "stale"]


@cases(
    {
        "a range": (NEW, put(2, 3, "z", seen=OLD), (4, 5), "xyazd"),
        "deletion": (NEW, cut(4, 4, seen=OLD), (6, 6), "xyabc"),
        "insertion": (NEW, add(4, "z", seen=OLD), (7, 6), "xyabcdz"),
        "at the top, above what was line 1": (NEW, add(0, "z", seen=OLD), (3, 2), "xyzabcd"),
        "past the end of what is left": (b"c\n", cut(3, 3, seen=file_of("abc")), (1, 1), ""),
    },
)
def test_relocate_accepts_the_one_place_and_records_it(
    now: bytes, operation: Operation, lines: tuple[int, int], expected: str
) -> None:
    made = planned({"f": now}, operation, relocate=True)
    assert result(made)["f"] == file_of(expected)
    assert only(made).is_relocated is True
    assert only(made).base_lines == (lines,)


def test_what_stands_where_it_was_read_is_not_relocated() -> None:
    made = planned({"f": file_of("aba")}, cut(1, 1, seen=b"a\n"), relocate=True)
    assert not only(made).is_relocated


@cases(
    {
        "two places": (TWICE, A_AND_B),
        "no place": (b"x\n", put(1, 1, "z", seen=b"a\n")),
        "the empty range is everywhere": (b"a\n", add(0, "z", seen=b"")),
    },
)
def test_relocate_does_not_guess(now: bytes, operation: Operation) -> None:
    assert refusal(planned({"f": now}, operation, relocate=True)).startswith("stale: ")


@pytest.mark.parametrize("digits", [12, 40, 64])
def test_a_prefix_of_the_hash_will_do(digits: int) -> None:
    operation = {**put(2, 3, "z"), "expected_hash": hash_of(FIVE, 2, 3)[:digits]}
    assert only(planned({"f": FIVE}, operation)).evidence.expected_hash == hash_of(FIVE, 2, 3)


@cases(
    {
        "where it was read": (put(1, 1, "z"), "stale: f: there is no such file, but a hash"),
        "otherwise": (
            {"op": "insert_after", "path": "f", "after_line": 0, "new_text": "x"},
            "no_match: f: there is no such file",
        ),
    },
)
def test_a_file_that_is_gone_is_refused(operation: Operation, said: str) -> None:
    assert refusal(planned({}, operation)).startswith(said)


@cases(
    {
        "a range": (put(2, 3, "z", seen=OLD), '"start_line": 4'),
        "an insertion": (add(2, "z", seen=OLD), '"after_line": 4'),
    },
)
def test_an_edit_whose_lines_moved_is_said_again_in_its_dialect(
    operation: Operation, corrected: str
) -> None:
    assert corrected in (only(planned({"f": NEW}, operation)).corrected or "")


ABCB = file_of("abcb")
A, B, C, X, MARKED = map(compute_tag, (b"a", b"b", b"c", b"x", b"ab|1"))


@cases(
    {
        "inserted before the line": (ABCB, TagEdit("f", A, None, ("x", "y")), file_of("xyabcb")),
        "the first such line": (ABCB, TagEdit("f", B, B, ("x",)), file_of("axcb")),
        "a range, inclusive": (ABCB, TagEdit("f", A, C, ("x",)), file_of("xb")),
        "one line deleted": (ABCB, TagEdit("f", A), file_of("bcb")),
        "a range deleted": (ABCB, TagEdit("f", B, C), file_of("ab")),
        "the first from an offset on": (ABCB, TagEdit("f", B, B, ("x",), 3), file_of("abcx")),
        "both from an offset on": (ABCB, TagEdit("f", C, B, offset=3), file_of("ab")),
        "a line that looks tagged": (b"ab|1\n", TagEdit("f", MARKED, MARKED, ("ab|2",)), b"ab|2\n"),
        "line ends": (b"a\r\nb", TagEdit("f", B, B, ("x", "y")), b"a\r\nx\r\ny"),
        "behind a byte order mark": (BOM + b"a\n", TagEdit("f", A, None, ("x",)), BOM + b"x\na\n"),
    },
)
def test_a_tag_names_a_line(data: bytes, edit: TagEdit, expected: bytes) -> None:
    assert result(in_sequence({"f": data}, edit)) == {"f": expected}


@cases(
    {
        "new lines with tags": (
            TagEdit("f", A, B, (f"{A}|x", "  |y")),
            "invalid: f: every line of the new text begins",
        ),
        "a remark instead of lines": (
            TagEdit("f", A, B, ("# ... existing code ...",)),
            "invalid: f: the new text has '# ... existing code ...' instead of code",
        ),
        "an unknown tag": (TagEdit("f", X), f"stale: f: no line has the tag {X}"),
        "a stop whose first line is above the start": (
            TagEdit("f", C, B),
            f"stale: f: the tag {B} is that of line 2, above line 3",
        ),
        "none from the offset on": (
            TagEdit("f", C, C, offset=4),
            f"stale: f: no line has the tag {C} from line 4",
        ),
        "no file": (TagEdit("g", A), "no_match: g: there is no such file"),
    },
)
def test_a_tag_of_no_line_and_new_lines_that_nobody_means_are_refused(
    edit: TagEdit, said: str
) -> None:
    assert refusal(in_sequence({"f": ABCB}, edit)).startswith(said)


@cases(
    "edits, expected",
    {
        "a line that was deleted": ([TagEdit("f", B), TagEdit("f", B, B, ("x",))], None),
        "a line that was replaced": ([TagEdit("f", B, B, ("x",)), TagEdit("f", B)], None),
        "a stop that was": ([TagEdit("f", B), TagEdit("f", A, B)], None),
        "the same line put above it": (
            [TagEdit("f", A, None, ("b", "x")), TagEdit("f", B)],
            None,
        ),
        "a line that was moved": (
            [TagEdit("f", A, None, ("x",)), TagEdit("f", B)],
            file_of("xacb"),
        ),
        "a new line": ([TagEdit("f", A, A, ("x",)), TagEdit("f", X)], file_of("bcb")),
        "another, which an offset names": (
            [TagEdit("f", B), TagEdit("f", B, B, ("x",), 1)],
            file_of("acx"),
        ),
    },
)
def test_a_tag_means_no_other_line_after_an_earlier_edit(
    edits: list[TagEdit], expected: bytes | None
) -> None:
    """What was read shows the tag of the first such line alone."""
    made = in_sequence({"f": ABCB}, *edits)
    if expected is None:
        assert "is that of another line" in str(made.outcomes[-1].error)
    else:
        assert result(made) == {"f": expected}


def test_an_edit_by_tag_lands_at_its_own_tier() -> None:
    outcome = only(in_sequence({"f": ABCB}, TagEdit("f", C)))
    assert (outcome.tier, outcome.confidence, outcome.matched_text) == ("tag", 1, "c\n")


@cases(
    {
        "stays as it is": (b"a\nb", None, b"a\nx"),
        "is given": (b"a\nb", True, b"a\nx\n"),
        "is taken away": (b"a\nb\n", False, b"a\nx"),
        "is given as the others": (b"a\r\nb", True, b"a\r\nx\r\n"),
    },
)
def test_an_edit_may_say_what_becomes_of_the_final_newline(
    data: bytes, final_newline: bool | None, expected: bytes
) -> None:
    edit = Edit("f", "b", "x", final_newline=final_newline)
    assert result(in_sequence({"f": data}, edit)) == {"f": expected}
