"""A spec and reads of one state of the files, carried to another (contract, section 6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.carry import carry_plan, follow_reads, renew_reads
from hkgit.applying.outcome import Plan
from hkgit.applying.planner import Options
from hkgit.edits import (
    EXECUTABLE,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    Read,
    RenameFile,
    ReplaceRange,
    SetMode,
)
from hkgit.errors import Stale
from hkgit.text.diff import LineMap
from hkgit.text.document import Document
from tests.support.cases import cases
from tests.support.planning import Files, file_of, hash_of, on_base, result, snapshot, spec_of
from tests.support.properties import examples

BASE = file_of("abcde")
TIP = file_of("nabcxde")
"""The base with a line more at the top and one above `d`."""


def put(start: int, end: int, *new_lines: str) -> ReplaceRange:
    """Replace lines by their hash in the base."""
    return ReplaceRange("f", start, end, new_lines, hash_of(BASE, start, end))


def add(after: int, *new_lines: str) -> InsertAfter:
    return InsertAfter("f", after, new_lines, hash_of(BASE, after, after))


B_TO_Z = Edit("f", "b\n", "z\n")


def carried(
    *edits: AnyEdit, tip: Files, reads: tuple[Read, ...] = (), sequential: bool = False
) -> tuple[Plan, tuple[Read, ...]]:
    spec = spec_of(edits, sequential=sequential)
    return carry_plan(spec, snapshot({"f": BASE}), snapshot(tip), Options(), reads)


@cases(
    {
        "a range": ([put(2, 3, "z")], "nazxde"),
        "a deletion": ([put(5, 5)], "nabcxd"),
        "an insertion stays below its line": ([add(3, "z")], "nabczxde"),
        "one at the end": ([add(5, "z")], "nabcxdez"),
        "text": ([Edit("f", "b\nc\n", "z\n", hash_of(BASE, 2, 3))], "nazxde"),
    },
)
def test_ranges_are_carried_through_the_line_diff(edits: list[AnyEdit], expected: str) -> None:
    made, _ = carried(*edits, tip={"f": TIP})
    assert result(made) == {"f": file_of(expected)}


def test_lines_in_a_sequence_are_carried_one_after_the_other() -> None:
    edits = (InsertAfter("f", 1, ("y", "z")), ReplaceRange("f", 4, 4, ("B",)))
    made, _ = carried(*edits, tip={"f": TIP}, sequential=True)
    assert result(made) == {"f": file_of("nayzBcxde")}


@cases(
    {
        "lines that moved": ({"f": TIP}, "nazxde", (3, 4)),
        "lines below which the file changed": ({"f": file_of("abcdem")}, "azdem", (2, 3)),
        "a file that nobody changed": ({"f": BASE, "g": b"new"}, "azde", (2, 3)),
    },
)
def test_a_range_is_recorded_as_relocated_where_it_moved(
    tip: Files, after: str, base_lines: tuple[int, int]
) -> None:
    made, _ = carried(put(2, 3, "z"), tip=tip)
    [outcome] = made.outcomes
    assert result(made) == {"f": file_of(after)}
    assert outcome.is_relocated is (base_lines != (2, 3))
    assert outcome.base_lines == (base_lines,)


CHANGED = {"f": file_of("aBcde")}


@cases(
    {
        "lines that came apart": (ReplaceRange("f", 3, 4, ("z",)), {"f": TIP}, "the lines of this"),
        "lines that changed": (put(2, 2, "z"), CHANGED, "the lines of this edit were changed"),
        "the line above an insertion": (
            InsertAfter("f", 2, ("z",)),
            CHANGED,
            "the lines of this edit were changed",
        ),
        "text that stands elsewhere now": (
            B_TO_Z,
            {"f": file_of("aBcdeb")},
            "the lines of this edit were changed",
        ),
        "no file": (put(2, 2, "z"), {}, "the file is gone"),
        "a whole file": (DeleteFile("f"), {"f": TIP}, "the file was changed"),
        "its mode": (SetMode("f", EXECUTABLE), {"f": TIP}, "the file was changed"),
        "a file that was made meanwhile": (
            CreateFile("g", "x"),
            {"f": BASE, "g": b"y"},
            "the file was created",
        ),
    },
)
def test_what_cannot_be_carried_is_stale(edit: AnyEdit, tip: Files, said: str) -> None:
    with pytest.raises(Stale, match=said):
        carried(edit, tip=tip)


@cases(
    {
        "a file in the way": (RenameFile("f", "g"), {"f": BASE, "g": b"!"}, "g: exists already"),
        "a file above it": (CreateFile("d/x", "x"), {"f": BASE, "d": b"!"}, "d is a file"),
        "the hash of the whole file": (
            Edit("f", "b\n", "z\n", hash_of(BASE, 1, 5)),
            {"f": TIP},
            "neither that of these lines nor of the whole file",
        ),
        "text that stands twice now": (B_TO_Z, {"f": file_of("abcdeb")}, "matches 2 places"),
        "a hash that does not hold in the base either": (
            ReplaceRange("f", 1, 1, ("y",), hash_of(b"z\n", 1, 1)),
            {"f": TIP},
            "f:1-1: expected hash",
        ),
    },
)
def test_what_only_the_tip_forbids_is_refused_too(edit: AnyEdit, tip: Files, said: str) -> None:
    made, _ = carried(edit, tip=tip)
    assert said in str(made.first_error)


def test_a_moved_mode_is_kept() -> None:
    made, _ = carried(put(1, 1), tip={"f": File(BASE, EXECUTABLE)})
    assert [change.after for change in made.files] == [File(file_of("bcde"), EXECUTABLE)]


def read(start: int | None, end: int | None, path: str = "f", kind: str = "hash") -> Read:
    return Read(path, start, end, hash_of(BASE, start or 1, end or 5), kind)


GONE = ReplaceRange("f", 2, 3, ())


@cases(
    {
        "an expected hash": (read(2, 3), [(3, 4)], "hash"),
        "not a receipt of lines that changed": (read(1, 5, kind="receipt"), [], "none"),
    },
)
def test_reads_are_carried_too(before: Read, after: list[tuple[int, int]], kind: str) -> None:
    of_other = Read("g", 1, 1, "0" * 12, "receipt")
    made, moved = carried(GONE, tip={"f": TIP}, reads=(before, of_other))
    assert moved == (*(Read("f", *lines, before.range_hash) for lines in after), of_other)
    assert made.outcomes[0].evidence.kind == kind


def test_an_expected_hash_of_lines_that_changed_is_stale() -> None:
    with pytest.raises(Stale, match="lines that were read were changed"):
        carried(GONE, tip={"f": TIP}, reads=(read(1, 5),))


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=8).map(b"".join)


@examples(150)
@given(LINES, LINES, st.data())
def test_carried_lines_say_the_same(base: bytes, tip: bytes, drawn: st.DataObject) -> None:
    old, new = Document(base), Document(tip)
    start = drawn.draw(st.integers(1, old.line_count + 1))
    end = drawn.draw(st.integers(start - 1, old.line_count))
    lines = LineMap.between(base, tip).carry((start, end))
    if lines is not None:
        assert new.lines[lines[0] - 1 : lines[1]] == old.lines[start - 1 : end]
    assert LineMap.between(base, base).carry((start, end)) == (start, end)


def test_line_ends_move_no_line() -> None:
    assert LineMap.between(b"a\nb\n", b"a\r\nb\r\n").carry((1, 2)) == (1, 2)


TWO = put(2, 2, "x", "y")


@cases(
    {
        "the whole file": (read(None, None), [(1, 6)]),
        "all lines": (read(1, 5), [(1, 6)]),
        "lines below move": (read(4, 5), [(2, 3), (5, 6)]),
        "lines above stay": (read(1, 1), [(1, 3)]),
        "a hash of the replaced lines": (Read("f", None, None, hash_of(BASE, 2, 2)), [(2, 3)]),
        "a receipt stays one": (read(4, 5, kind="receipt"), [(2, 3), (5, 6)]),
    },
)
def test_a_read_follows_an_edit(before: Read, lines: list[tuple[int, int]]) -> None:
    made = on_base({"f": BASE}, TWO, reads=[before])
    after = file_of("axycde")
    assert result(made) == {"f": after}
    assert follow_reads([before], made) == tuple(
        Read("f", *each, hash_of(after, *each), before.kind) for each in lines
    )


@cases(
    {
        "a file that was moved": (RenameFile("f", "g"), (read(1, 5, "g"),)),
        "a file that is gone": (DeleteFile("f"), ()),
    },
)
def test_a_read_follows_its_file(edit: AnyEdit, left: tuple[Read, ...]) -> None:
    assert follow_reads([read(None, None)], on_base({"f": BASE}, edit)) == left


def test_reads_of_other_files_stay_as_they_are() -> None:
    other = Read("g", 1, 1, "0" * 64, "receipt")
    assert follow_reads([other], on_base({"f": BASE}, TWO)) == (other,)


def test_newer_reads_stand_for_all_older_ones_of_their_file() -> None:
    old, new, other = read(1, 1), read(2, 2), read(1, 1, "g")
    assert renew_reads([old, other], [new]) == (other, new)
