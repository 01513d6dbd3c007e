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
from tests.support.planning import Files, in_sequence, on_base, refusal, result

ABC = b"a\nb\nc\n"


@pytest.mark.parametrize(
    ("files", "edits", "expected"),
    [
        pytest.param(
            {},
            [CreateFile("f", "a\nb\n"), Edit("f", "b\n", "x\n")],
            {"f": b"a\nx\n"},
            id="created, then edited",
        ),
        pytest.param(
            {},
            [CreateFile("f", "a\n"), RenameFile("f", "g")],
            {"g": b"a\n"},
            id="created, then moved",
        ),
        pytest.param({}, [CreateFile("f", "a\n"), DeleteFile("f")], {}, id="created, then deleted"),
        pytest.param(
            {}, [WriteFile("f", "a\n"), WriteFile("f", "b\n")], {"f": b"b\n"}, id="written twice"
        ),
        pytest.param(
            {"f": ABC},
            [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "y\n")],
            {"f": b"a\ny\nc\n"},
            id="an edit of what an edit wrote",
        ),
        pytest.param(
            {"f": ABC}, [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "b\n")], {}, id="and back again"
        ),
        pytest.param(
            {"f": ABC},
            [Edit("f", "b\n", "x\ny\n"), Edit("f", "y\nc\n", "z\n")],
            {"f": b"a\nx\nz\n"},
            id="across what an edit wrote and the base",
        ),
        pytest.param(
            {"f": ABC},
            [RenameFile("f", "g"), Edit("g", "b\n", "x\n")],
            {"f": None, "g": b"a\nx\nc\n"},
            id="moved, then edited by its new name",
        ),
        pytest.param(
            {"f": ABC},
            [RenameFile("f", "g"), RenameFile("g", "h")],
            {"f": None, "h": ABC},
            id="moved twice",
        ),
        pytest.param(
            {"f": ABC},
            [Edit("f", "b\n", "x\n"), DeleteFile("f")],
            {"f": None},
            id="edited, then deleted",
        ),
        pytest.param(
            {"f": ABC},
            [InsertAfter("f", 1, ("x", "y")), ReplaceRange("f", 3, 3, ("z",))],
            {"f": b"a\nx\nz\nb\nc\n"},
            id="line numbers of what stands there now",
        ),
        pytest.param(
            {"f": ABC},
            [InsertAfter("f", 3, ("x",)), InsertAfter("f", 4, ("y",))],
            {"f": b"a\nb\nc\nx\ny\n"},
            id="one line below another",
        ),
        pytest.param(
            {"f": ABC},
            [Edit("f", "a\n", "x\n"), TagEdit("f", compute_tag(b"x"), None, ("y",))],
            {"f": b"y\nx\nb\nc\n"},
            id="tags of what stands there now",
        ),
        pytest.param(
            {"f": ABC},
            [Edit("f", "a\n", "x\n"), Edit("f", "", "y\n", anchors=("x",))],
            {"f": b"x\ny\nb\nc\n"},
            id="below an anchor that an edit wrote",
        ),
        pytest.param(
            {"f": ABC},
            [ReplaceRange("f", 1, 3, ()), Edit("f", "", "x\n")],
            {"f": b"x\n"},
            id="emptied, then filled",
        ),
    ],
)
def test_in_a_sequence_an_edit_speaks_of_what_those_before_it_left(
    files: Files, edits: list[AnyEdit], expected: dict[str, bytes | None]
) -> None:
    assert result(in_sequence(files, *edits)) == expected


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        pytest.param(
            [DeleteFile("f"), Edit("f", "b\n", "x\n")],
            "no_match: f: there is no such",
            id="deleted",
        ),
        pytest.param(
            [RenameFile("f", "g"), Edit("f", "b\n", "x\n")], "no_match: f: there is no", id="moved"
        ),
        pytest.param(
            [DeleteFile("f"), CreateFile("f", "x\n")],
            "invalid: f: is deleted and created",
            id="removed and made",
        ),
        pytest.param(
            [CreateFile("g", "x\n"), CreateFile("g", "x\n")],
            "invalid: g: is created twice",
            id="made twice",
        ),
        pytest.param(
            [ReplaceRange("f", 1, 3, ()), ReplaceRange("f", 1, 1, ("x",))],
            "invalid: f:1-1: the file has 0 lines",
            id="lines that an edit deleted",
        ),
    ],
)
def test_in_a_sequence_what_is_gone_is_gone(edits: list[AnyEdit], said: str) -> None:
    assert refusal(in_sequence({"f": ABC}, *edits)).startswith(said)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            [ReplaceRange("f", 1, 1, ("x", "y")), ReplaceRange("f", 2, 2, ("z",))],
            {"f": b"x\ny\nz\nc\n"},
            id="line numbers",
        ),
        pytest.param(
            [ReplaceRange("f", 1, 1, ("b",)), Edit("f", "b\n", "x\n")],
            {"f": b"b\nx\nc\n"},
            id="quoted text",
        ),
        pytest.param(
            [ReplaceRange("f", 1, 1, ("b",)), TagEdit("f", compute_tag(b"b"), None, ("x",))],
            {"f": b"b\nx\nb\nc\n"},
            id="tags",
        ),
        pytest.param(
            [ReplaceRange("f", 1, 1, ("b",)), Edit("f", "", "x\n", anchors=("b",))],
            {"f": b"b\nb\nx\nc\n"},
            id="anchors",
        ),
        pytest.param(
            [RenameFile("f", "g"), Edit("f", "b\n", "x\n")],
            {"f": None, "g": b"a\nx\nc\n"},
            id="paths",
        ),
        pytest.param(
            [Edit("f", "a\nb\nc\n", "A\nb\nc\n"), Edit("f", "a\nb\nc\n", "a\nb\nC\n")],
            {"f": b"A\nb\nC\n"},
            id="context that two edits share",
        ),
    ],
)
def test_otherwise_every_edit_speaks_of_the_base(
    edits: list[AnyEdit], expected: dict[str, bytes | None]
) -> None:
    assert result(on_base({"f": ABC}, *edits)) == expected


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        pytest.param(
            [CreateFile("g", "a\n"), Edit("g", "a\n", "x\n")],
            "no_match: g: there is no",
            id="a file that an edit makes",
        ),
        pytest.param(
            [RenameFile("f", "g"), Edit("g", "b\n", "x\n")],
            "no_match: g: there is no",
            id="a name that an edit gives",
        ),
        pytest.param(
            [Edit("f", "b\n", "x\n"), Edit("f", "x\n", "y\n")],
            "no_match: f: the old",
            id="text that an edit writes",
        ),
        pytest.param(
            [Edit("f", "b\n", "x\n"), Edit("f", "b\n", "y\n")],
            "invalid: f:2-2: overlaps",
            id="text that another edit replaces",
        ),
    ],
)
def test_the_base_has_not_what_the_spec_makes(edits: list[AnyEdit], said: str) -> None:
    assert refusal(on_base({"f": ABC}, *edits)).startswith(said)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(Edit("f", "c\n", "z\n"), id="quoted text"),
        pytest.param(ReplaceRange("f", 3, 3, ("z",)), id="lines"),
        pytest.param(TagEdit("f", compute_tag(b"c"), compute_tag(b"c"), ("z",)), id="tags"),
    ],
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
