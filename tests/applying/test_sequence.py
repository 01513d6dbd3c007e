"""What an edit speaks of: the base, or what the edits before it left."""

from __future__ import annotations

from time import process_time

import pytest

from hkgit.edits import (
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    InsertAfter,
    RenameFile,
    ReplaceRange,
    SetMode,
    TagEdit,
    WriteFile,
)
from hkgit.text.hashes import compute_tag
from tests.support.cases import cases
from tests.support.planning import Files, in_sequence, on_base, refusal, result

ABC = b"a\nb\nc\n"


@cases(
    "files, edits, expected",
    {
        "created, then edited": (
            {},
            [CreateFile("f", "a\nb\n"), Edit("f", "b\n", "x\n")],
            {"f": b"a\nx\n"},
        ),
        "created, then moved": ({}, [CreateFile("f", "a\n"), RenameFile("f", "g")], {"g": b"a\n"}),
        "created, then deleted": ({}, [CreateFile("f", "a\n"), DeleteFile("f")], {}),
        "written twice": ({}, [WriteFile("f", "a\n"), WriteFile("f", "b\n")], {"f": b"b\n"}),
        "an edit of what an edit wrote": (
            {"f": ABC},
            [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "y\n")],
            {"f": b"a\ny\nc\n"},
        ),
        "and back again": ({"f": ABC}, [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "b\n")], {}),
        "across what an edit wrote and the base": (
            {"f": ABC},
            [Edit("f", "b\n", "x\ny\n"), Edit("f", "y\nc\n", "z\n")],
            {"f": b"a\nx\nz\n"},
        ),
        "moved, then edited by its new name": (
            {"f": ABC},
            [RenameFile("f", "g"), Edit("g", "b\n", "x\n")],
            {"f": None, "g": b"a\nx\nc\n"},
        ),
        "moved twice": (
            {"f": ABC},
            [RenameFile("f", "g"), RenameFile("g", "h")],
            {"f": None, "h": ABC},
        ),
        "edited, then deleted": (
            {"f": ABC},
            [Edit("f", "b\n", "x\n"), DeleteFile("f")],
            {"f": None},
        ),
        "line numbers of what stands there now": (
            {"f": ABC},
            [InsertAfter("f", 1, ("x", "y")), ReplaceRange("f", 3, 3, ("z",))],
            {"f": b"a\nx\nz\nb\nc\n"},
        ),
        "one line below another": (
            {"f": ABC},
            [InsertAfter("f", 3, ("x",)), InsertAfter("f", 4, ("y",))],
            {"f": b"a\nb\nc\nx\ny\n"},
        ),
        "tags of what stands there now": (
            {"f": ABC},
            [Edit("f", "a\n", "x\n"), TagEdit("f", compute_tag(b"x"), None, ("y",))],
            {"f": b"y\nx\nb\nc\n"},
        ),
        "below an anchor that an edit wrote": (
            {"f": ABC},
            [Edit("f", "a\n", "x\n"), Edit("f", "", "y\n", anchors=("x",))],
            {"f": b"x\ny\nb\nc\n"},
        ),
        "emptied, then filled": (
            {"f": ABC},
            [ReplaceRange("f", 1, 3, ()), Edit("f", "", "x\n")],
            {"f": b"x\n"},
        ),
    },
)
def test_in_a_sequence_an_edit_speaks_of_what_those_before_it_left(
    files: Files, edits: list[AnyEdit], expected: dict[str, bytes | None]
) -> None:
    assert result(in_sequence(files, *edits)) == expected


@cases(
    "edits, said",
    {
        "deleted": ([DeleteFile("f"), Edit("f", "b\n", "x\n")], "no_match: f: there is no such"),
        "moved": ([RenameFile("f", "g"), Edit("f", "b\n", "x\n")], "no_match: f: there is no"),
        "removed and made": (
            [DeleteFile("f"), CreateFile("f", "x\n")],
            "invalid: f: is deleted and created",
        ),
        "made twice": (
            [CreateFile("g", "x\n"), CreateFile("g", "x\n")],
            "invalid: g: is created twice",
        ),
        "lines that an edit deleted": (
            [ReplaceRange("f", 1, 3, ()), ReplaceRange("f", 1, 1, ("x",))],
            "invalid: f:1-1: the file has 0 lines",
        ),
    },
)
def test_in_a_sequence_what_is_gone_is_gone(edits: list[AnyEdit], said: str) -> None:
    assert refusal(in_sequence({"f": ABC}, *edits)).startswith(said)


@cases(
    "edits, expected",
    {
        "line numbers": (
            [ReplaceRange("f", 1, 1, ("x", "y")), ReplaceRange("f", 2, 2, ("z",))],
            {"f": b"x\ny\nz\nc\n"},
        ),
        "quoted text": (
            [ReplaceRange("f", 1, 1, ("b",)), Edit("f", "b\n", "x\n")],
            {"f": b"b\nx\nc\n"},
        ),
        "tags": (
            [ReplaceRange("f", 1, 1, ("b",)), TagEdit("f", compute_tag(b"b"), None, ("x",))],
            {"f": b"b\nx\nb\nc\n"},
        ),
        "anchors": (
            [ReplaceRange("f", 1, 1, ("b",)), Edit("f", "", "x\n", anchors=("b",))],
            {"f": b"b\nb\nx\nc\n"},
        ),
        "paths": ([RenameFile("f", "g"), Edit("f", "b\n", "x\n")], {"f": None, "g": b"a\nx\nc\n"}),
        "context that two edits share": (
            [Edit("f", "a\nb\nc\n", "A\nb\nc\n"), Edit("f", "a\nb\nc\n", "a\nb\nC\n")],
            {"f": b"A\nb\nC\n"},
        ),
    },
)
def test_otherwise_every_edit_speaks_of_the_base(
    edits: list[AnyEdit], expected: dict[str, bytes | None]
) -> None:
    assert result(on_base({"f": ABC}, *edits)) == expected


@cases(
    "edits, said",
    {
        "a file that an edit makes": (
            [CreateFile("g", "a\n"), Edit("g", "a\n", "x\n")],
            "no_match: g: there is no",
        ),
        "a name that an edit gives": (
            [RenameFile("f", "g"), Edit("g", "b\n", "x\n")],
            "no_match: g: there is no",
        ),
        "text that an edit writes": (
            [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "y\n")],
            "no_match: f: the old",
        ),
        "text that another edit replaces": (
            [Edit("f", "b\n", "x\n"), Edit("f", "b\n", "y\n")],
            "invalid: f:2-2: overlaps",
        ),
    },
)
def test_the_base_has_not_what_the_spec_makes(edits: list[AnyEdit], said: str) -> None:
    assert refusal(on_base({"f": ABC}, *edits)).startswith(said)


@cases(
    "edit",
    {
        "quoted text": Edit("f", "c\n", "z\n"),
        "lines": ReplaceRange("f", 3, 3, ("z",)),
        "tags": TagEdit("f", compute_tag(b"c"), compute_tag(b"c"), ("z",)),
    },
)
def test_the_outcome_tells_the_lines_of_the_moment_and_of_the_base(edit: AnyEdit) -> None:
    outcome = on_base({"f": ABC}, InsertAfter("f", 0, ("x", "y")), edit).outcomes[1]
    assert outcome.lines == ((5, 5),)
    assert outcome.base_lines == ((3, 3),)


def test_a_mode_composes_with_everything() -> None:
    edits = (SetMode("f", 0o100755), RenameFile("f", "g"), ReplaceRange("f", 1, 1, ("x",)))
    [change] = on_base({"f": ABC}, *edits).files
    assert change.after is not None
    assert change.new_path == "g"
    assert change.after.mode == 0o100755
    assert change.after.data == b"x\nb\nc\n"


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_places_are_replaced_in_time(count: int) -> None:
    began = process_time()
    edit = Edit("f", "abc", "d", replace_all=True)
    made = in_sequence({"f": b"x = abc + 1\n" * count}, edit)
    assert result(made) == {"f": b"x = d + 1\n" * count}
    assert process_time() - began < count / 1_000
