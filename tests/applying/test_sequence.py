"""What an edit speaks of: the base, or what the edits before it left."""

from time import process_time

import pytest

from hkgit.applying.outcome import files_after
from hkgit.edits import (
    EXECUTABLE,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.text.hashes import compute_tag
from tests.support.cases import cases
from tests.support.planning import file_of, in_sequence, on_base, refusal, result

ABC = file_of("abc")
B_TO_X = Edit("f", "b\n", "x\n")
B, C, X = map(compute_tag, (b"b", b"c", b"x"))


@cases(
    {
        "an edit of what an edit wrote": ([B_TO_X, Edit("f", "x\n", "y\n")], "ayc"),
        "across what an edit wrote and the base": (
            [Edit("f", "b\n", "x\ny\n"), Edit("f", "y\nc\n", "z\n")],
            "axz",
        ),
        "line numbers of what stands there now": (
            [InsertAfter("f", 1, ("x", "y")), ReplaceRange("f", 3, 3, ("z",))],
            "axzbc",
        ),
        "below another": ([InsertAfter("f", 3, ("x",)), InsertAfter("f", 4, ("y",))], "abcxy"),
        "tags of it": ([Edit("f", "a\n", "x\n"), TagEdit("f", X, None, ("y",))], "yxbc"),
        "below an anchor that an edit wrote": (
            [Edit("f", "a\n", "x\n"), Edit("f", "", "y\n", anchors=("x",))],
            "xybc",
        ),
        "emptied, then filled": ([ReplaceRange("f", 1, 3, ()), Edit("f", "", "x\n")], "x"),
    },
)
def test_in_a_sequence_an_edit_speaks_of_what_those_before_it_left(
    edits: list[AnyEdit], expected: str
) -> None:
    assert result(in_sequence({"f": ABC}, *edits)) == {"f": file_of(expected)}


CREATED = CreateFile("g", "a\nb\n")
MOVED = RenameFile("f", "g")


@cases(
    {
        "created, then edited": ([CREATED, Edit("g", "b\n", "x\n")], {"g": file_of("ax")}),
        "created, then moved": ([CREATED, RenameFile("g", "h")], {"h": file_of("ab")}),
        "created, then deleted": ([CREATED, DeleteFile("g")], {}),
        "written twice": ([WriteFile("g", "a\n"), WriteFile("g", "b\n")], {"g": b"b\n"}),
        "edited and back again": ([B_TO_X, Edit("f", "x\n", "b\n")], {}),
        "moved, then edited by its new name": (
            [MOVED, Edit("g", "b\n", "x\n")],
            {"f": None, "g": file_of("axc")},
        ),
        "moved twice": ([MOVED, RenameFile("g", "h")], {"f": None, "h": ABC}),
        "edited, then deleted": ([B_TO_X, DeleteFile("f")], {"f": None}),
    },
)
def test_in_a_sequence_files_come_and_go(
    edits: list[AnyEdit], expected: dict[str, bytes | None]
) -> None:
    assert result(in_sequence({"f": ABC}, *edits)) == expected


@cases(
    {
        "deleted": ([DeleteFile("f"), B_TO_X], "no_match: f: there is no such"),
        "moved": ([MOVED, B_TO_X], "no_match: f: there is no such"),
        "removed and made": (
            [DeleteFile("f"), CreateFile("f", "x\n")],
            "invalid: f: is deleted and created",
        ),
        "made twice": ([CREATED, CREATED], "invalid: g: is created twice"),
        "lines that an edit deleted": (
            [ReplaceRange("f", 1, 3, ()), ReplaceRange("f", 1, 1, ("x",))],
            "invalid: f:1-1: the file has 0 lines",
        ),
    },
)
def test_in_a_sequence_what_is_gone_is_gone(edits: list[AnyEdit], said: str) -> None:
    assert refusal(in_sequence({"f": ABC}, *edits)).startswith(said)


A_TO_B = ReplaceRange("f", 1, 1, ("b",))


@cases(
    {
        "numbers": ([ReplaceRange("f", 1, 1, ("x", "y")), ReplaceRange("f", 2, 2, ("z",))], "xyzc"),
        "quoted text": ([A_TO_B, B_TO_X], "bxc"),
        "tags": ([A_TO_B, TagEdit("f", B, None, ("x",))], "bxbc"),
        "anchors": ([A_TO_B, Edit("f", "", "x\n", anchors=("b",))], "bbxc"),
        "context that two edits share": (
            [Edit("f", "a\nb\nc\n", "A\nb\nc\n"), Edit("f", "a\nb\nc\n", "a\nb\nC\n")],
            "AbC",
        ),
    },
)
def test_otherwise_every_edit_speaks_of_the_base(edits: list[AnyEdit], expected: str) -> None:
    assert result(on_base({"f": ABC}, *edits)) == {"f": file_of(expected)}


def test_and_by_the_name_that_a_file_has_there() -> None:
    assert result(on_base({"f": ABC}, MOVED, B_TO_X)) == {"f": None, "g": file_of("axc")}


@cases(
    {
        "a new file": ([CREATED, Edit("g", "a\n", "x\n")], "no_match: g: there is no"),
        "a name that an edit gives": ([MOVED, Edit("g", "b\n", "x\n")], "no_match: g: there is no"),
        "text that an edit writes": ([B_TO_X, Edit("f", "x\n", "y\n")], "no_match: f: the old"),
        "text replaced": ([B_TO_X, Edit("f", "b\n", "y\n")], "invalid: f:2-2: overlaps"),
    },
)
def test_the_base_has_not_what_the_spec_makes(edits: list[AnyEdit], said: str) -> None:
    assert refusal(on_base({"f": ABC}, *edits)).startswith(said)


@cases(
    {
        "quoted text": Edit("f", "c\n", "z\n"),
        "lines": ReplaceRange("f", 3, 3, ("z",)),
        "tags": TagEdit("f", C, C, ("z",)),
    },
)
def test_the_outcome_tells_the_lines_of_the_moment_and_of_the_base(edit: AnyEdit) -> None:
    outcome = on_base({"f": ABC}, InsertAfter("f", 0, ("x", "y")), edit).outcomes[1]
    assert outcome.lines == ((5, 5),)
    assert outcome.base_lines == ((3, 3),)


def test_a_mode_composes_with_everything() -> None:
    edits = (SetMode("f", EXECUTABLE), MOVED, ReplaceRange("f", 1, 1, ("x",)))
    assert files_after(on_base({"f": ABC}, *edits)) == {
        "f": None,
        "g": File(file_of("xbc"), EXECUTABLE),
    }


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_places_are_replaced_in_time(count: int) -> None:
    began = process_time()
    edit = Edit("f", "abc", "d", replace_all=True)
    made = in_sequence({"f": b"x = abc + 1\n" * count}, edit)
    assert result(made) == {"f": b"x = d + 1\n" * count}
    assert process_time() - began < count / 1_000


def test_an_edit_behind_one_that_took_all_line_ends_is_refused() -> None:
    old = (
        '"""Try.\n\n    `output` is the end of what it printed, where somebody wants to hear it.\n'
    )
    last = old.splitlines()[-1].encode() + b"\r\n"
    edits = Edit("f", "\n", "", replace_all=True), Edit("f", old, old.replace("the", "its"))
    assert "the old text is not in the file" in refusal(in_sequence({"f": last}, *edits))
