"""Edits of whole files: made, removed, moved, made executable."""

from __future__ import annotations

import pytest

from hkgit.applying.outcome import files_after
from hkgit.applying.planner import plan as plan_of
from hkgit.dialects import parse
from hkgit.edits import (
    EXECUTABLE,
    MAX_EDITS,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    DeleteFile,
    Edit,
    File,
    MappingSnapshot,
    RenameFile,
    SetMode,
    Spec,
)
from hkgit.errors import InvalidInput
from hkgit.text.document import BOM
from tests.support.planning import (
    Files,
    Operation,
    delete_range,
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

TWO = b"1\n2\n"
HASH = hash_of(TWO, 1, 2)


def create(path: str, text: str = "x\n") -> Operation:
    return {"op": "create_file", "path": path, "new_text": text}


def delete(path: str) -> Operation:
    return {"op": "delete_file", "path": path, "expected_hash": HASH}


def rename(path: str, new_path: str) -> Operation:
    return {"op": "rename_file", "path": path, "new_path": new_path, "expected_hash": HASH}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a\nb\n", id="lines"),
        pytest.param("a\r\nb", id="CRLF and an open last line"),
        pytest.param("a\r", id="a lone carriage return"),
        pytest.param("", id="nothing"),
        pytest.param("\n", id="an empty line"),
        pytest.param("\ufeffa\n", id="byte order mark"),
        pytest.param("\ufeff", id="byte order mark alone"),
    ],
)
def test_a_file_is_made_byte_for_byte(text: str) -> None:
    assert result(planned({}, create("d/f", text))) == {"d/f": text.encode()}


@pytest.mark.parametrize(
    ("files", "operations", "expected"),
    [
        pytest.param({"f": TWO}, [delete("f")], {"f": None}, id="deleted"),
        pytest.param({"f": BOM + TWO}, [delete("f")], {"f": None}, id="with its byte order mark"),
        pytest.param({"f": TWO}, [rename("f", "g")], {"f": None, "g": TWO}, id="renamed"),
        pytest.param(
            {"f": TWO}, [rename("f", "d/e/g")], {"f": None, "d/e/g": TWO}, id="into new directories"
        ),
        pytest.param(
            {"f": TWO},
            [rename("f", "g"), replace_range("f", TWO, 1, 1, "x")],
            {"f": None, "g": b"x\n2\n"},
            id="renamed and edited",
        ),
        pytest.param(
            {"f": TWO},
            [replace_range("f", TWO, 1, 1, "x"), rename("f", "g"), insert_after("f", TWO, 2, "y")],
            {"f": None, "g": b"x\n2\ny\n"},
            id="in any order",
        ),
        pytest.param(
            {"f": TWO, "g": TWO},
            [delete("f"), rename("g", "h"), create("i")],
            {"f": None, "g": None, "h": TWO, "i": b"x\n"},
            id="several files",
        ),
        pytest.param(
            {"d/f": TWO}, [rename("d/f", "d/g")], {"d/f": None, "d/g": TWO}, id="within a directory"
        ),
        pytest.param(
            {"aux.c": TWO},
            [replace_range("aux.c", TWO, 1, 1, "x")],
            {"aux.c": b"x\n2\n"},
            id="an odd name that is there already",
        ),
    ],
)
def test_files_change(
    files: Files, operations: list[Operation], expected: dict[str, bytes | None]
) -> None:
    assert result(planned(files, *operations)) == expected


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        pytest.param([create("f")], "stale: f: exists already", id="made where one is"),
        pytest.param([create("d")], "stale: d: exists already", id="made where a directory is"),
        pytest.param([rename("f", "g")], "stale: g: exists already", id="moved onto one"),
        pytest.param(
            [{**delete("f"), "expected_hash": "0" * 64}],
            "stale: f:1-2: expected hash",
            id="deleted by a wrong hash",
        ),
        pytest.param(
            [{**rename("f", "h"), "expected_hash": "0" * 64}],
            "stale: f:1-2: expected hash",
            id="moved by a wrong hash",
        ),
        pytest.param(
            [{**delete("f"), "expected_hash": hash_of(TWO, 1, 1)}],
            f"stale: f:1-2: expected hash {hash_of(TWO, 1, 1)[:12]} is neither that of these lines",
            id="by the hash of a part",
        ),
        pytest.param([delete("h")], "stale: h: there is no such file", id="deleted where none is"),
        pytest.param(
            [delete("f"), create("f")],
            "invalid: f: is deleted and created by one spec",
            id="deleted and made",
        ),
        pytest.param(
            [create("f"), delete("f")],
            "invalid: f: is deleted and created by one spec",
            id="made and deleted",
        ),
        pytest.param(
            [rename("f", "h"), create("f")],
            "invalid: f: is deleted and created",
            id="moved away and made",
        ),
        pytest.param(
            [delete("g"), rename("f", "g")],
            "invalid: g: is deleted and created",
            id="moved to where one was deleted",
        ),
        pytest.param(
            [rename("f", "g"), delete("g")],
            "invalid: g: is deleted and created",
            id="the other way round",
        ),
        pytest.param(
            [rename("f", "f")], "invalid: f: is deleted and created", id="moved onto itself"
        ),
        pytest.param([create("h"), create("h")], "invalid: h: is created twice", id="made twice"),
        pytest.param(
            [rename("f", "h"), rename("g", "h")],
            "invalid: h: is created twice",
            id="two moved to one path",
        ),
        pytest.param(
            [delete("f"), delete("f")], "invalid: f: overlaps another edit", id="deleted twice"
        ),
        pytest.param(
            [rename("f", "h"), rename("f", "i")],
            "invalid: f: overlaps another edit",
            id="moved twice",
        ),
        pytest.param(
            [delete("f"), rename("f", "h")],
            "invalid: f: overlaps another edit",
            id="deleted and moved",
        ),
        pytest.param(
            [rename("f", "h"), delete("f")],
            "invalid: f: overlaps another edit",
            id="moved and deleted",
        ),
        pytest.param(
            [delete("f"), delete_range("f", TWO, 1, 1)],
            "invalid: f: overlaps another",
            id="deleted and edited",
        ),
        pytest.param(
            [insert_after("f", TWO, 2, "x"), delete("f")],
            "invalid: f: overlaps another",
            id="edited and deleted",
        ),
        pytest.param([create("f/x")], "invalid: f/x: f is a file", id="below a file"),
        pytest.param(
            [create("h"), create("h/x")],
            "invalid: h/x: h is a file",
            id="below a file of this spec",
        ),
        pytest.param(
            [create("h/x"), create("h")],
            "invalid: h: is a directory",
            id="where this spec makes a directory",
        ),
        pytest.param(
            [create("link/x")], "invalid: link/x: link is a symbolic link", id="through a link"
        ),
        pytest.param([delete("link")], "invalid: link: is a symbolic link", id="a link"),
        pytest.param([delete("module")], "invalid: module: is a submodule", id="a submodule"),
        pytest.param([delete("d")], "invalid: d: is a directory", id="a directory"),
        pytest.param([create(".git/config")], "invalid: .git/config: leads into .git", id=".git"),
        pytest.param(
            [create("d/.GIT /x")], "invalid: d/.GIT /x: leads into .git", id=".git in disguise"
        ),
        pytest.param(
            [rename("f", ".hkgit/config.toml")],
            "invalid: .hkgit/config.toml: belongs to hkgit",
            id=".hkgit",
        ),
        pytest.param([create("nul.txt")], "invalid: nul.txt: is not portable", id="a device"),
        pytest.param(
            [replace_range("b", b"\0\n", 1, 1, "x")],
            "invalid: b: is a binary file",
            id="lines of a binary file",
        ),
    ],
)
def test_what_cannot_be_done_to_files_is_refused(operations: list[Operation], said: str) -> None:
    files: Files = {
        "f": TWO,
        "g": TWO,
        "d/x": TWO,
        "b": b"\0\n",
        "link": File(b"d", SYMLINK),
        "module": File(b"", SUBMODULE),
    }
    assert refusal(planned(files, *operations)).startswith(said)


def test_a_binary_file_can_be_moved_and_removed() -> None:
    binary = b"\0\1"
    edits = (RenameFile("a", "c"), DeleteFile("b"))
    assert result(on_base({"a": binary, "b": binary}, *edits)) == {
        "a": None,
        "b": None,
        "c": binary,
    }


@pytest.mark.parametrize(
    ("mode", "after"),
    [
        pytest.param(REGULAR, EXECUTABLE, id="made executable"),
        pytest.param(EXECUTABLE, REGULAR, id="made not executable"),
    ],
)
def test_a_mode_is_set_and_nothing_else(mode: int, after: int) -> None:
    made = in_sequence({"f": File(TWO, mode)}, SetMode("f", after))
    assert files_after(made) == {"f": File(TWO, after)}


def test_a_mode_set_anew_changes_nothing() -> None:
    made = in_sequence({"f": TWO}, SetMode("f", REGULAR))
    assert made.ok is True
    assert made.files == ()


def test_a_deletion_may_quote_the_whole_file() -> None:
    made = in_sequence({"f": b"1\r\n2\r\n"}, DeleteFile("f", old_text="1\n2\n"))
    assert result(made) == {"f": None}
    assert only(made).evidence.kind == "quote"


def test_a_deletion_that_quotes_another_text_is_stale() -> None:
    said = refusal(in_sequence({"f": TWO}, DeleteFile("f", old_text="1\n")))
    assert said.startswith("stale: f: the file is not the one that the edit removes")


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        pytest.param(b"a\nb", True, b"a\nb\n", id="added"),
        pytest.param(b"a\nb\n", False, b"a\nb", id="taken away"),
    ],
)
def test_only_the_end_of_the_last_line_may_change(
    before: bytes, wanted: bool, after: bytes
) -> None:
    edit = Edit("f", "a\nb\n", "a\nb\n", final_newline=wanted)
    spec = Spec("edits", (edit,), sequential=True)
    made = plan_of(spec, MappingSnapshot({"f": File(before)}))
    assert [change.after for change in made.files] == [File(after)]


def test_more_edits_than_an_entry_may_hold_are_refused_at_once() -> None:
    edits = (Edit("f", "a", "b"),) * (MAX_EDITS + 1)
    with pytest.raises(InvalidInput, match="1001 edits are more than the 1000"):
        plan_of(Spec("edits", edits, sequential=True), MappingSnapshot())


def test_a_patch_that_updates_a_file_does_not_make_it() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n@@\n+x\n*** End Patch\n"
    [outcome] = plan_of(parse(patch), MappingSnapshot()).outcomes
    assert outcome.status == "no_match"
    assert "no such file" in str(outcome.error)
