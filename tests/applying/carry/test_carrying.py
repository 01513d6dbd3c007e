"""A spec written against a base, landed on a tip that has moved on (contract, section 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.carry import carry_plan
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
    ReplaceRange,
    SetMode,
    Spec,
)
from hkgit.errors import Stale
from hkgit.text.document import Document
from hkgit.text.line_map import LineMap
from tests.support.cases import cases
from tests.support.planning import (
    Files,
    Operation,
    delete_range,
    hash_of,
    insert_after,
    protocol,
    replace_range,
    result,
    snapshot,
    spec_of,
)
from tests.support.properties import examples

BASE = b"a\nb\nc\nd\ne\n"
TIP = b"new\na\nb\nc\nx\nd\ne\n"
"""The base with a line more at the top and one above `d`."""


def carried(
    spec: Spec, tip: Files, base: Files | None = None, reads: tuple[Read, ...] = ()
) -> tuple[Plan, tuple[Read, ...]]:
    files = {"f": BASE} if base is None else base
    return carry_plan(spec, snapshot(files), snapshot(tip), Options(), reads)


@cases(
    "operation, expected",
    {
        "a range": (replace_range("f", BASE, 2, 3, "z"), b"new\na\nz\nx\nd\ne\n"),
        "a deletion": (delete_range("f", BASE, 5, 5), b"new\na\nb\nc\nx\nd\n"),
        "an insertion stays below its line": (
            insert_after("f", BASE, 3, "z"),
            b"new\na\nb\nc\nz\nx\nd\ne\n",
        ),
        "one at the end": (insert_after("f", BASE, 5, "z"), TIP + b"z\n"),
        "text": (
            {
                "op": "replace_text",
                "path": "f",
                "old_text": "b\nc\n",
                "new_text": "z\n",
                "expected_hash": hash_of(BASE, 2, 3),
            },
            b"new\na\nz\nx\nd\ne\n",
        ),
    },
)
def test_ranges_are_carried_through_the_line_diff(operation: Operation, expected: bytes) -> None:
    made, _ = carried(protocol(operation), {"f": TIP})
    assert result(made) == {"f": expected}


def test_a_carried_range_is_recorded_as_relocated() -> None:
    made, _ = carried(protocol(replace_range("f", BASE, 2, 3, "z")), {"f": TIP})
    [outcome] = made.outcomes
    assert outcome.is_relocated is True
    assert outcome.base_lines == ((3, 4),)


def test_a_range_below_which_the_file_changed_is_not_relocated() -> None:
    made, _ = carried(protocol(replace_range("f", BASE, 2, 3, "z")), {"f": BASE + b"more\n"})
    assert made.ok is True
    assert made.outcomes[0].is_relocated is False


@cases(
    "edit, tip, said",
    {
        "lines that came apart": (
            ReplaceRange("f", 3, 4, ("z",)),
            {"f": TIP},
            "the lines of this edit were",
        ),
        "lines that changed": (
            ReplaceRange("f", 2, 2, ("z",)),
            {"f": b"a\nB\nc\nd\ne\n"},
            "the lines of this edit were changed",
        ),
        "the line above an insertion": (
            InsertAfter("f", 2, ("z",)),
            {"f": b"a\nB\nc\nd\ne\n"},
            "the lines of this edit were changed",
        ),
        "text that stands elsewhere now": (
            Edit("f", "b\n", "z\n"),
            {"f": b"a\nB\nc\nd\ne\nb\n"},
            "the lines of this edit were changed",
        ),
        "no file": (ReplaceRange("f", 2, 2, ("z",)), {}, "the file is gone"),
        "a whole file": (DeleteFile("f"), {"f": TIP}, "the file was changed"),
        "its mode": (SetMode("f", 0o100755), {"f": TIP}, "the file was changed"),
        "a file that was made meanwhile": (
            CreateFile("g", "x"),
            {"f": BASE, "g": b"y"},
            "the file was created",
        ),
    },
)
def test_what_cannot_be_carried_is_stale(edit: AnyEdit, tip: Files, said: str) -> None:
    with pytest.raises(Stale, match=said):
        carried(spec_of([edit], sequential=False), tip)


@cases(
    "spec, tip, said",
    {
        "a file in the way": (
            protocol({"op": "rename_file", "path": "f", "new_path": "g"}),
            {"f": BASE, "g": b"precious\n"},
            "g: exists already",
        ),
        "a file above it": (
            protocol({"op": "create_file", "path": "d/x", "new_text": "x"}),
            {"f": BASE, "d": b"precious\n"},
            "d is a file",
        ),
        "the hash of the whole file": (
            protocol(
                {
                    "op": "replace_text",
                    "path": "f",
                    "old_text": "b\n",
                    "new_text": "z\n",
                    "expected_hash": hash_of(BASE, 1, 5),
                }
            ),
            {"f": TIP},
            "neither that of these lines nor of the whole file",
        ),
        "text that stands twice now": (
            spec_of([Edit("f", "b\n", "z\n")], sequential=True),
            {"f": BASE + b"b\n"},
            "matches 2 places",
        ),
    },
)
def test_what_only_the_tip_forbids_is_refused_too(spec: Spec, tip: Files, said: str) -> None:
    made, _ = carried(spec, tip)
    assert made.first_error is not None
    assert said in str(made.first_error)


def test_a_refusal_on_the_base_is_the_answer() -> None:
    made, _ = carried(protocol(replace_range("f", b"z\n", 1, 1, "y")), {"f": TIP})
    assert made.outcomes[0].status == "stale"


def test_files_that_nobody_changed_need_no_carrying() -> None:
    made, _ = carried(protocol(replace_range("f", BASE, 2, 3, "z")), {"f": BASE, "g": b"new"})
    assert result(made)["f"] == b"a\nz\nd\ne\n"
    assert made.outcomes[0].is_relocated is False


def test_a_moved_mode_is_kept() -> None:
    made, _ = carried(protocol(delete_range("f", BASE, 1, 1)), {"f": File(BASE, EXECUTABLE)})
    assert [change.after for change in made.files] == [File(b"b\nc\nd\ne\n", EXECUTABLE)]


def test_lines_in_a_sequence_are_carried_one_after_the_other() -> None:
    edits = (InsertAfter("f", 1, ("y", "z")), ReplaceRange("f", 4, 4, ("B",)))
    made, _ = carried(spec_of(edits, sequential=True), {"f": TIP})
    assert result(made) == {"f": b"new\na\ny\nz\nB\nc\nx\nd\ne\n"}


def test_reads_are_carried_too() -> None:
    reads = (Read("f", 2, 3, hash_of(BASE, 2, 3)), Read("g", 1, 1, "0" * 12, "receipt"))
    made, moved = carried(
        spec_of([ReplaceRange("f", 2, 3, ())], sequential=False), {"f": TIP}, reads=reads
    )
    assert moved == (Read("f", 3, 4, hash_of(BASE, 2, 3)), reads[1])
    assert made.outcomes[0].evidence.kind == "hash"


def test_a_receipt_of_lines_that_changed_is_none_any_more() -> None:
    reads = (Read("f", 1, 5, hash_of(BASE, 1, 5), "receipt"),)
    made, moved = carried(
        spec_of([ReplaceRange("f", 2, 3, ())], sequential=False), {"f": TIP}, reads=reads
    )
    assert moved == ()
    assert made.outcomes[0].evidence.kind == "none"


def test_an_expected_hash_of_lines_that_changed_is_stale() -> None:
    reads = (Read("f", 1, 5, hash_of(BASE, 1, 5)),)
    with pytest.raises(Stale, match="lines that were read were changed"):
        carried(spec_of([ReplaceRange("f", 2, 3, ())], sequential=False), {"f": TIP}, reads=reads)


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
