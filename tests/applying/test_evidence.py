"""What ties an edit to content that was read (contract, sections 1, 3 and 4)."""

from dataclasses import replace
from typing import Any

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
from tests.support.cases import cases
from tests.support.planning import hash_of, in_sequence, on_base, only, refusal, result

DATA = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n"
WHOLE = hash_of(DATA, 1, 6)
EMPTY = hash_of(b"", 1, 0)
ZEROS = "0" * 12
B = Edit("f", "def b():\n    return 2\n", "def b():\n    return 3\n")
"""Replaces lines 5 and 6 by quoting them."""


DEF_A, RETURN_1 = compute_tag(b"def a():"), compute_tag(b"    return 1")


def hashed(start: int, end: int) -> str:
    return hash_of(DATA, start, end)


def read(start: int, end: int, kind: str = "hash") -> Read:
    """Lines of the file that were read, with a hash of 12 digits."""
    return Read("f", start, end, hashed(start, end)[:12], kind)


@cases(
    {
        "the lines that it covers": (B, hashed(5, 6)),
        "the whole file": (B, WHOLE),
        "twelve digits": (B, hashed(5, 6)[:12]),
        "the line that it is in": (Edit("f", "return 2", "return 3"), hashed(6, 6)),
        "every line of which it has a part": (Edit("f", "return 1\n\n", "x\n"), hashed(2, 3)),
        "of a file to delete": (DeleteFile("f"), WHOLE),
        "of one to rename": (RenameFile("f", "g"), WHOLE),
        "of one to write over": (WriteFile("f", "x"), WHOLE),
        "of a range": (ReplaceRange("f", 2, 3, ()), hashed(2, 3)),
        "of the line above": (InsertAfter("f", 2, ("x",)), hashed(2, 2)),
        "of the first line at the top": (InsertAfter("f", 0, ("x",)), hashed(1, 1)),
        "of tagged lines": (TagEdit("f", DEF_A, RETURN_1, ("x",)), hashed(1, 2)),
        "of the line above which lines go": (TagEdit("f", DEF_A, None, ("x",)), hashed(1, 1)),
    },
)
def test_an_expected_hash_that_holds_is_evidence(edit: AnyEdit, expected: str) -> None:
    with_hash = _with_hash(edit, expected)
    evidence = only(on_base({"f": DATA}, with_hash)).evidence
    assert evidence.kind == "hash"
    assert (evidence.expected_hash or "")[:12] == expected[:12]


def _with_hash(edit: AnyEdit, expected: str) -> AnyEdit:
    assert not isinstance(edit, CreateFile | SetMode)
    return replace(edit, expected_hash=expected)


@cases(
    {
        "some of its lines": (B, hashed(5, 5)),
        "other lines": (B, hashed(1, 2)),
        "no lines": (B, EMPTY),
        "of the whole file for a range": (ReplaceRange("f", 2, 3, ()), WHOLE),
        "of the line below": (InsertAfter("f", 2, ("x",)), hashed(3, 3)),
        "of no lines for an insertion": (InsertAfter("f", 2, ("x",)), EMPTY),
        "of a part for a file": (DeleteFile("f"), hashed(1, 5)),
        "of other lines than the tagged": (TagEdit("f", DEF_A, RETURN_1, ("x",)), hashed(2, 2)),
        "of another line than the tagged": (TagEdit("f", DEF_A, None, ("x",)), hashed(2, 2)),
    },
)
def test_any_other_hash_is_stale(edit: AnyEdit, expected: str) -> None:
    assert refusal(on_base({"f": DATA}, _with_hash(edit, expected))).startswith("stale: f:")


@cases({"quoted": (B, "`hkgit read f:5-6`"), "by lines": (ReplaceRange("f", 5, 6, ()), "f:5-6: ")})
def test_the_refusal_names_the_lines_to_read_and_no_hash_of_them(edit: AnyEdit, named: str) -> None:
    said = refusal(on_base({"f": DATA}, _with_hash(edit, ZEROS)))
    assert "`hkgit read f" in said
    assert named in said
    assert hashed(5, 6)[:12] not in said
    assert WHOLE[:12] not in said


TWICE = b"x = 1\ny = 2\n\nx = 1\nz = 3\n"
APART = b"x = 1  # a\nx = 1  # b\n"


def hashed_edit(data: bytes, line: int, **more: Any) -> Edit:
    """An edit of `x = 1` with the hash of a line."""
    return Edit("f", "x = 1", "w", hash_of(data, line, line), **more)


@cases(
    {
        "by the lines they lie in": (APART, hashed_edit(APART, 2), ((2, 2),)),
        "by a line hint, of several": (TWICE, hashed_edit(TWICE, 1, line_hint=4), ((4, 4),)),
        "all that share it": (TWICE, hashed_edit(TWICE, 1, replace_all=True), ((1, 1), (4, 4))),
    },
)
def test_a_hash_chooses_among_equal_places(
    data: bytes, edit: Edit, lines: tuple[tuple[int, int], ...]
) -> None:
    outcome = only(on_base({"f": data}, edit))
    assert (outcome.evidence.kind, outcome.base_lines) == ("hash", lines)


@cases(
    {
        "equal places of equal lines": (TWICE, hashed_edit(TWICE, 1), "ambiguous: f: "),
        "none of the places": (TWICE, hashed_edit(TWICE, 2), "stale: f: expected hash"),
        "not all of them": (APART, hashed_edit(APART, 2, replace_all=True), "stale: f:1-1"),
    },
)
def test_a_hash_that_does_not_tell_places_apart(data: bytes, edit: Edit, said: str) -> None:
    assert refusal(on_base({"f": data}, edit)).startswith(said)


SHARED = b"x = 1  # a\ny = 2\nx = 1  # b\n"


def expected_in(start: int | None, end: int | None, *hashed: int) -> Read:
    return Read("f", start, end, hash_of(SHARED, *hashed))


@cases(
    {
        "without lines": ([expected_in(None, None, 3, 3)], ((3, 3),)),
        "of its line": ([expected_in(3, 3, 3, 3)], ((3, 3),)),
        "of lines around it": ([expected_in(2, 3, 2, 3)], ((3, 3),)),
        "one of several": ([expected_in(2, 2, 2, 2), expected_in(1, 1, 1, 1)], ((1, 1),)),
        "of lines that hold both places": ([expected_in(1, 3, 1, 3)], ()),
        "of each place": ([expected_in(1, 1, 1, 1), expected_in(3, 3, 3, 3)], ()),
        "of neither place": ([expected_in(2, 2, 2, 2)], ()),
        "but a receipt does not": ([replace(expected_in(3, 3, 3, 3), kind="receipt")], ()),
    },
)
def test_a_hash_that_is_expected_of_a_file_chooses_as_well(
    reads: list[Read], lines: tuple[tuple[int, int], ...]
) -> None:
    made = on_base({"f": SHARED}, Edit("f", "x = 1", "x = 2"), reads=reads)
    assert only(made).base_lines == lines


FIVE_SIX = ReplaceRange("f", 5, 6, ())
BELOW_FOUR = InsertAfter("f", 4, ("x",))


@cases(
    {
        "expected lines": (B, [read(5, 6)], "hash"),
        "more than the edit touches": (B, [read(4, 6)], "hash"),
        "the whole file without lines": (B, [Read("f", None, None, WHOLE)], "hash"),
        "its lines, unnamed": (B, [Read("f", None, None, hashed(5, 6))], "hash"),
        "a receipt": (B, [read(5, 6, "receipt")], "receipt"),
        "one of several receipts": (B, [read(1, 3, "receipt"), read(1, 6, "receipt")], "receipt"),
        "a receipt of a part, but quoted": (B, [read(5, 5, "receipt")], "quote"),
        "a receipt of a part": (FIVE_SIX, [read(5, 5, "receipt")], "none"),
        "a receipt that no longer holds": (FIVE_SIX, [Read("f", 5, 6, ZEROS, "receipt")], "none"),
        "a receipt of lost lines": (FIVE_SIX, [Read("f", 5, 60, ZEROS, "receipt")], "none"),
        "a hash of another file": (FIVE_SIX, [Read("g", 5, 6, hashed(5, 6))], "none"),
        "the line below": (BELOW_FOUR, [read(5, 6)], "hash"),
        "the line above": (BELOW_FOUR, [read(3, 4)], "hash"),
        "a line further off": (BELOW_FOUR, [read(6, 6)], "none"),
        "no lines, whose hash is everywhere": (BELOW_FOUR, [Read("f", 5, 4, EMPTY)], "none"),
        "for tags": (TagEdit("f", compute_tag(b"def b():")), [read(5, 6)], "hash"),
        "for a mode": (SetMode("f", 0o100755), [read(1, 6, "receipt")], "receipt"),
        "not all of a file": (DeleteFile("f"), [read(2, 6, "receipt")], "none"),
    },
)
def test_what_was_read_vouches_for_what_lies_in_it(
    edit: AnyEdit, reads: list[Read], kind: str
) -> None:
    assert only(on_base({"f": DATA}, edit, reads=reads)).evidence.kind == kind


@cases(
    {
        "for its lines": [Read("f", 5, 6, ZEROS)],
        "for other lines of the file": [Read("f", 1, 1, ZEROS)],
        "for lines that are not there": [Read("f", 5, 60, hashed(5, 6))],
        "without lines": [Read("f", None, None, ZEROS)],
        "without lines, of other lines": [Read("f", None, None, hashed(1, 1))],
    },
)
def test_an_expected_hash_that_fails_is_stale(reads: list[Read]) -> None:
    assert refusal(on_base({"f": DATA}, B, reads=reads)).startswith("stale: f:")


@cases(
    {
        "whole lines, byte for byte, once": (B, "quote"),
        "without the last end": (Edit("f", "def b():\n    return 2", "x"), "quote"),
        "a part of a line": (Edit("f", "return 2", "return 3"), "none"),
        "other blanks": (Edit("f", "def b(): \n    return 2\n", "x\n"), "none"),
        "more than once": (Edit("f", "\n", "x\n", replace_all=True), "none"),
        "tags": (TagEdit("f", compute_tag(b"def b():")), "tag"),
        "line numbers": (ReplaceRange("f", 5, 6, ()), "none"),
        "a new file was expected to be absent": (CreateFile("g", "x"), "hash"),
        "so was one that is written": (WriteFile("g", "x"), "hash"),
        "one written over was not": (WriteFile("f", "x"), "none"),
        "a deletion": (DeleteFile("f"), "none"),
        "a renaming": (RenameFile("f", "g"), "none"),
    },
)
def test_without_a_hash_the_evidence_is_what_the_edit_itself_says(edit: AnyEdit, kind: str) -> None:
    assert only(on_base({"f": DATA}, edit)).evidence.kind == kind


ON = Edit("f", "return 3", "return 4")
MADE = CreateFile("g", "x = 1\n")


@cases(
    {
        "lines of an edit with a hash": (_with_hash(B, hashed(5, 6)), ON, ["hash", "hash"]),
        "lines that an edit with less wrote": (B, ON, ["quote", "quote"]),
        "lines of a blind edit": (ReplaceRange("f", 6, 6, ("return 3",)), ON, ["none", "none"]),
        "a file that an edit made": (MADE, Edit("g", "x = 1\n", "x = 2\n"), ["hash", "hash"]),
        "an insertion below such a line": (MADE, InsertAfter("g", 1, ("y",)), ["hash", "hash"]),
        "but base lines need their own": (
            _with_hash(B, hashed(5, 6)),
            Edit("f", "\n\ndef b():\n    return 3", "x"),
            ["hash", "quote"],
        ),
    },
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


SOURCE = b"""import os


def load(path):
    data = open(path).read()
    size = len(data)
    return parse(data, size)


def save(path, data):
    open(path, "w").write(data)
    return True
"""
LOAD = SOURCE.decode().split("\n\n\n")[1] + "\n"
MISQUOTED = LOAD.replace("read()", "readall()")
AFTER = SOURCE.replace(b"open(path).read()", b"read(path)")


def _edit(old: str, expected: str | None = None) -> Edit:
    wrong, right = "open(path).readall()", "open(path).read()"
    new = old.replace(wrong, "read(path)").replace(right, "read(path)")
    return Edit("f.py", old, new, expected_hash=expected)


@cases(
    {
        "the hash of the lines": (hash_of(SOURCE, 4, 7), ()),
        "the hash of the file": (hash_of(SOURCE, 1, 12), ()),
        "a receipt": (None, (Read("f.py", 1, 8, hash_of(SOURCE, 1, 8), "receipt"),)),
    },
)
def test_evidence_lets_a_misquoted_line_give_way(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert result(made) == {"f.py": AFTER}
    assert only(made).repairs == ("misquoted",)
    assert only(made).confidence == 0.985


@cases(
    {
        "the whole block": LOAD.replace("load", "parse_all"),
        "its beginning": "def parse_all(path):\n    data = open(path).readall()\n",
    },
)
def test_the_hash_of_a_block_is_no_evidence_for_the_place_of_another(old: str) -> None:
    """Whoever quotes another name above the change means another block."""
    edit = _edit(old, hash_of(SOURCE, 4, 3 + old.count("\n")))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith(("stale: f.py", "no_match: f.py"))


@cases(
    {
        "none": (None, ()),
        "the hash of other lines": (hash_of(SOURCE, 10, 12), ()),
        "another receipt": (None, (Read("f.py", 10, 12, hash_of(SOURCE, 10, 12), "receipt"),)),
    },
)
def test_without_evidence_of_the_place_it_is_a_conflict(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert refusal(made).startswith("conflict: f.py:4: ")


@cases({"of it": ("    width = lenn(x)\n", 6), "another": ("    size = lenn(data)\n", 7)})
def test_a_hash_finds_no_line_that_the_quotation_misses(quoted: str, line: int) -> None:
    edit = Edit("f.py", quoted, "pass\n", expected_hash=hash_of(SOURCE, line, line))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith("no_match: f.py: ")


@pytest.mark.parametrize("line", [3, 8])
def test_the_hash_of_a_line_more_than_is_quoted_is_stale(line: int) -> None:
    edit = _edit(LOAD, hash_of(SOURCE, min(line, 4), max(line, 7)))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith("stale: f.py:4-7: ")


def test_the_hash_of_a_line_like_the_one_that_is_quoted_is_stale() -> None:
    data = b"    check(width, 5)\n    grow(width)\n    check(width, 7)\n"
    edit = Edit("f.py", "    check(width, 5)\n", "x\n", expected_hash=hash_of(data, 3, 3))
    assert refusal(on_base({"f.py": data}, edit)).startswith("stale: f.py:")


def test_a_part_of_a_word_is_replaced_where_the_line_was_seen() -> None:
    edit = Edit("f.py", "pars", "brows", expected_hash=hash_of(SOURCE, 7, 7))
    assert result(on_base({"f.py": SOURCE}, edit)) == {"f.py": SOURCE.replace(b"pars", b"brows")}


def test_a_hash_of_lines_that_an_earlier_edit_removed_finds_nothing() -> None:
    first = Edit("f.py", LOAD, "")
    again = Edit("f.py", LOAD + "x\n", "", expected_hash=hash_of(SOURCE, 4, 7))
    made = in_sequence({"f.py": f"import os\n{LOAD}".encode()}, first, again)
    assert [outcome.error is None for outcome in made.outcomes] == [True, False]


def test_one_quoted_line_with_the_hash_of_exactly_that_line_gives_way() -> None:
    line = "    data = open(path).read()\n"
    edit = _edit(line.replace("read()", "reads()"), hash_of(SOURCE, 5, 5))
    edit = Edit("f.py", edit.old_text, "    data = read(path)\n", expected_hash=edit.expected_hash)
    made = on_base({"f.py": SOURCE}, edit)
    assert result(made) == {"f.py": AFTER}
    assert only(made).repairs == ("misquoted",)
    assert refusal(on_base({"f.py": SOURCE}, Edit("f.py", edit.old_text, edit.new_text)))
