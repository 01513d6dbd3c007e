"""What ties an edit to content that was read (contract, sections 1, 3 and 4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    Read,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.text.hashes import compute_tag
from tests.support.planning import hash_of, in_sequence, on_base, only, refusal

DATA = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n"
WHOLE = hash_of(DATA, 1, 6)
EMPTY = hash_of(b"", 1, 0)
B = Edit("f", "def b():\n    return 2\n", "def b():\n    return 3\n")
"""Replaces lines 5 and 6 by quoting them."""


def hashed(start: int, end: int) -> str:
    return hash_of(DATA, start, end)


def read(start: int, end: int, kind: str = "hash") -> Read:
    """Lines of the file that were read, with a hash of 12 digits."""
    return Read("f", start, end, hashed(start, end)[:12], kind)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(B, hashed(5, 6), id="the lines that it covers"),
        pytest.param(B, WHOLE, id="the whole file"),
        pytest.param(B, hashed(5, 6)[:12], id="twelve digits"),
        pytest.param(Edit("f", "return 2", "return 3"), hashed(6, 6), id="the line that it is in"),
        pytest.param(
            Edit("f", "return 1\n\n", "x\n"), hashed(2, 3), id="every line of which it has a part"
        ),
        pytest.param(DeleteFile("f"), WHOLE, id="of a file to delete"),
        pytest.param(RenameFile("f", "g"), WHOLE, id="of one to rename"),
        pytest.param(WriteFile("f", "x"), WHOLE, id="of one to write over"),
        pytest.param(ReplaceRange("f", 2, 3, ()), hashed(2, 3), id="of a range"),
        pytest.param(InsertAfter("f", 2, ("x",)), hashed(2, 2), id="of the line above"),
        pytest.param(InsertAfter("f", 0, ("x",)), hashed(1, 1), id="of the first line at the top"),
    ],
)
def test_an_expected_hash_that_holds_is_evidence(edit: AnyEdit, expected: str) -> None:
    with_hash = _with_hash(edit, expected)
    evidence = only(on_base({"f": DATA}, with_hash)).evidence
    assert evidence.kind == "hash"
    assert (evidence.expected_hash or "")[:12] == expected[:12]


def _with_hash(edit: AnyEdit, expected: str) -> AnyEdit:
    assert not isinstance(edit, TagEdit | CreateFile | SetMode)
    return replace(edit, expected_hash=expected)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(B, hashed(5, 5), id="some of its lines"),
        pytest.param(B, hashed(1, 2), id="other lines"),
        pytest.param(B, EMPTY, id="no lines"),
        pytest.param(ReplaceRange("f", 2, 3, ()), WHOLE, id="of the whole file for a range"),
        pytest.param(InsertAfter("f", 2, ("x",)), hashed(3, 3), id="of the line below"),
        pytest.param(InsertAfter("f", 2, ("x",)), EMPTY, id="of no lines for an insertion"),
        pytest.param(DeleteFile("f"), hashed(1, 5), id="of a part for a file"),
    ],
)
def test_any_other_hash_is_stale(edit: AnyEdit, expected: str) -> None:
    assert refusal(on_base({"f": DATA}, _with_hash(edit, expected))).startswith("stale: f:")


def test_the_refusal_names_the_lines_to_read_and_no_hash_of_them() -> None:
    said = refusal(on_base({"f": DATA}, _with_hash(B, "0" * 12)))
    assert "`hkgit read f:5-6`" in said
    assert hashed(5, 6)[:12] not in said
    assert WHOLE[:12] not in said


TWICE = b"x = 1\ny = 2\n\nx = 1\nz = 3\n"


@pytest.mark.parametrize(
    ("old_text", "start", "expected"),
    [
        pytest.param("x = 1\ny = 2", 1, (1, 2), id="different places need no choice"),
        pytest.param("x = 1", 1, (1, 1), id="equal places of equal lines cannot be told apart"),
    ],
)
def test_a_hash_of_text_that_stands_twice(
    old_text: str, start: int, expected: tuple[int, int]
) -> None:
    edit = Edit("f", old_text, "w", hash_of(TWICE, *expected))
    made = on_base({"f": TWICE}, edit)
    wanted = ("applied", (expected,)) if "\n" in old_text else ("ambiguous", ())
    assert (only(made).status, only(made).base_lines) == wanted


def test_a_hash_chooses_among_equal_places_by_the_lines_they_lie_in() -> None:
    data = b"x = 1  # a\nx = 1  # b\n"
    made = on_base({"f": data}, Edit("f", "x = 1", "x = 2", hash_of(data, 2, 2)))
    assert only(made).base_lines == ((2, 2),)


SHARED = b"x = 1  # a\ny = 2\nx = 1  # b\n"


def expected_in(start: int | None, end: int | None, *hashed: int) -> Read:
    return Read("f", start, end, hash_of(SHARED, *hashed))


@pytest.mark.parametrize(
    ("reads", "lines"),
    [
        pytest.param([expected_in(None, None, 3, 3)], ((3, 3),), id="without lines"),
        pytest.param([expected_in(3, 3, 3, 3)], ((3, 3),), id="of its line"),
        pytest.param([expected_in(2, 3, 2, 3)], ((3, 3),), id="of lines around it"),
        pytest.param(
            [expected_in(2, 2, 2, 2), expected_in(1, 1, 1, 1)], ((1, 1),), id="one of several"
        ),
        pytest.param([expected_in(1, 3, 1, 3)], (), id="of lines that hold both places"),
        pytest.param([expected_in(1, 1, 1, 1), expected_in(3, 3, 3, 3)], (), id="of each place"),
        pytest.param([expected_in(2, 2, 2, 2)], (), id="of neither place"),
        pytest.param(
            [replace(expected_in(3, 3, 3, 3), kind="receipt")], (), id="but a receipt does not"
        ),
    ],
)
def test_a_hash_that_is_expected_of_a_file_chooses_as_well(
    reads: list[Read], lines: tuple[tuple[int, int], ...]
) -> None:
    made = on_base({"f": SHARED}, Edit("f", "x = 1", "x = 2"), reads=reads)
    assert only(made).base_lines == lines


def test_a_hash_that_holds_at_none_of_several_places_is_stale() -> None:
    edit = Edit("f", "x = 1", "x = 2", hash_of(SHARED, 2, 2))
    assert refusal(on_base({"f": SHARED}, edit)).startswith("stale: f: expected hash")


def test_where_a_hash_holds_at_several_places_a_line_hint_chooses() -> None:
    edit = Edit("f", "x = 1", "w", hash_of(TWICE, 1, 1), line_hint=4)
    assert only(on_base({"f": TWICE}, edit)).base_lines == ((4, 4),)


def test_a_hash_for_all_places_is_the_one_they_share() -> None:
    edit = Edit("f", "x = 1", "w", hash_of(TWICE, 1, 1), replace_all=True)
    outcome = only(on_base({"f": TWICE}, edit))
    assert outcome.evidence.kind == "hash"
    assert outcome.base_lines == ((1, 1), (4, 4))


def test_a_hash_for_all_places_that_only_one_has_is_stale() -> None:
    data = b"x = 1  # a\nx = 1  # b\n"
    edit = Edit("f", "x = 1", "w", hash_of(data, 2, 2), replace_all=True)
    assert refusal(on_base({"f": data}, edit)).startswith("stale: f:1-1")


@pytest.mark.parametrize(
    ("edit", "reads", "kind"),
    [
        pytest.param(B, [read(5, 6)], "hash", id="expected lines"),
        pytest.param(B, [read(4, 6)], "hash", id="more than the edit touches"),
        pytest.param(B, [Read("f", None, None, WHOLE)], "hash", id="the whole file without lines"),
        pytest.param(B, [Read("f", None, None, hashed(5, 6))], "hash", id="its lines, unnamed"),
        pytest.param(B, [read(5, 6, "receipt")], "receipt", id="a receipt"),
        pytest.param(
            B,
            [read(1, 3, "receipt"), read(1, 6, "receipt")],
            "receipt",
            id="one of several receipts",
        ),
        pytest.param(B, [read(5, 5, "receipt")], "quote", id="a receipt of a part, but quoted"),
        pytest.param(
            ReplaceRange("f", 5, 6, ()), [read(5, 5, "receipt")], "none", id="a receipt of a part"
        ),
        pytest.param(
            ReplaceRange("f", 5, 6, ()),
            [Read("f", 5, 6, "0" * 12, "receipt")],
            "none",
            id="a receipt that no longer holds",
        ),
        pytest.param(
            ReplaceRange("f", 5, 6, ()),
            [Read("f", 5, 60, "0" * 12, "receipt")],
            "none",
            id="a receipt of lines that are gone",
        ),
        pytest.param(
            ReplaceRange("f", 5, 6, ()),
            [Read("g", 5, 6, hashed(5, 6))],
            "none",
            id="a hash of another file",
        ),
        pytest.param(InsertAfter("f", 4, ("x",)), [read(5, 6)], "hash", id="the line below"),
        pytest.param(InsertAfter("f", 4, ("x",)), [read(3, 4)], "hash", id="the line above"),
        pytest.param(InsertAfter("f", 4, ("x",)), [read(6, 6)], "none", id="a line further off"),
        pytest.param(
            InsertAfter("f", 4, ("x",)),
            [Read("f", 5, 4, EMPTY)],
            "none",
            id="no lines: their hash is the same everywhere",
        ),
        pytest.param(TagEdit("f", compute_tag(b"def b():")), [read(5, 6)], "hash", id="for tags"),
        pytest.param(SetMode("f", 0o100755), [read(1, 6, "receipt")], "receipt", id="for a mode"),
        pytest.param(DeleteFile("f"), [read(2, 6, "receipt")], "none", id="not all of a file"),
    ],
)
def test_what_was_read_vouches_for_what_lies_in_it(
    edit: AnyEdit, reads: list[Read], kind: str
) -> None:
    assert only(on_base({"f": DATA}, edit, reads=reads)).evidence.kind == kind


@pytest.mark.parametrize(
    "reads",
    [
        pytest.param([Read("f", 5, 6, "0" * 12)], id="for its lines"),
        pytest.param([Read("f", 1, 1, "0" * 12)], id="for other lines of the file"),
        pytest.param([Read("f", 5, 60, hashed(5, 6))], id="for lines that are not there"),
        pytest.param([Read("f", None, None, "0" * 12)], id="without lines"),
        pytest.param([Read("f", None, None, hashed(1, 1))], id="without lines, of other lines"),
    ],
)
def test_an_expected_hash_that_fails_is_stale(reads: list[Read]) -> None:
    assert refusal(on_base({"f": DATA}, B, reads=reads)).startswith("stale: f:")


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        pytest.param(B, "quote", id="whole lines, byte for byte, once"),
        pytest.param(Edit("f", "def b():\n    return 2", "x"), "quote", id="without the last end"),
        pytest.param(Edit("f", "return 2", "return 3"), "none", id="a part of a line"),
        pytest.param(Edit("f", "def b(): \n    return 2\n", "x\n"), "none", id="other blanks"),
        pytest.param(Edit("f", "\n", "x\n", replace_all=True), "none", id="more than once"),
        pytest.param(TagEdit("f", compute_tag(b"def b():")), "tag", id="tags"),
        pytest.param(ReplaceRange("f", 5, 6, ()), "none", id="line numbers"),
        pytest.param(CreateFile("g", "x"), "hash", id="a new file was expected to be absent"),
        pytest.param(WriteFile("g", "x"), "hash", id="so was one that is written"),
        pytest.param(WriteFile("f", "x"), "none", id="one written over was not"),
        pytest.param(DeleteFile("f"), "none", id="a deletion"),
        pytest.param(RenameFile("f", "g"), "none", id="a renaming"),
    ],
)
def test_without_a_hash_the_evidence_is_what_the_edit_itself_says(edit: AnyEdit, kind: str) -> None:
    assert only(on_base({"f": DATA}, edit)).evidence.kind == kind


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        pytest.param(
            _with_hash(B, hashed(5, 6)),
            Edit("f", "return 3", "return 4"),
            ["hash", "hash"],
            id="lines that an edit with a hash wrote",
        ),
        pytest.param(
            B,
            Edit("f", "return 3", "return 4"),
            ["quote", "quote"],
            id="lines that an edit with less wrote",
        ),
        pytest.param(
            ReplaceRange("f", 6, 6, ("return 3",)),
            Edit("f", "return 3", "return 4"),
            ["none", "none"],
            id="lines that a blind edit wrote",
        ),
        pytest.param(
            CreateFile("g", "x = 1\n"),
            Edit("g", "x = 1\n", "x = 2\n"),
            ["hash", "hash"],
            id="a file that an edit made",
        ),
        pytest.param(
            CreateFile("g", "x = 1\n"),
            InsertAfter("g", 1, ("y",)),
            ["hash", "hash"],
            id="an insertion below a line that an edit wrote",
        ),
        pytest.param(
            _with_hash(B, hashed(5, 6)),
            Edit("f", "\n\ndef b():\n    return 3", "x"),
            ["hash", "quote"],
            id="but base lines need their own",
        ),
    ],
)
def test_lines_that_an_earlier_edit_wrote_need_no_evidence(
    first: AnyEdit, second: AnyEdit, kinds: list[str]
) -> None:
    outcomes = in_sequence({"f": DATA}, first, second).outcomes
    assert [outcome.evidence.kind for outcome in outcomes] == kinds


def test_the_hash_of_a_later_edit_speaks_of_the_base() -> None:
    second = Edit("f", "return 3\n", "return 4\n", hashed(6, 6))
    assert refusal(in_sequence({"f": DATA}, B, second)).startswith("stale: f:")


def test_the_hash_of_lines_across_written_and_base_ones_is_that_of_the_base_lines() -> None:
    second = Edit("f", "\n\ndef b():\n    return 3\n", "x\n", hashed(3, 5))
    assert in_sequence({"f": DATA}, B, second).outcomes[1].base_lines == ((3, 5),)


def test_an_insertion_into_an_empty_file_takes_the_hash_of_nothing() -> None:
    outcome = only(on_base({"f": b""}, InsertAfter("f", 0, ("x",), EMPTY)))
    assert outcome.evidence.kind == "hash"
    assert outcome.evidence.expected_hash == EMPTY
