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
from tests.support.cases import cases
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


@cases(
    "text",
    {
        "lines": "a\nb\n",
        "CRLF and an open last line": "a\r\nb",
        "a lone carriage return": "a\r",
        "nothing": "",
        "an empty line": "\n",
        "byte order mark": "\ufeffa\n",
        "byte order mark alone": "\ufeff",
    },
)
def test_a_file_is_made_byte_for_byte(text: str) -> None:
    assert result(planned({}, create("d/f", text))) == {"d/f": text.encode()}


@cases(
    "files, operations, expected",
    {
        "deleted": ({"f": TWO}, [delete("f")], {"f": None}),
        "with its byte order mark": ({"f": BOM + TWO}, [delete("f")], {"f": None}),
        "renamed": ({"f": TWO}, [rename("f", "g")], {"f": None, "g": TWO}),
        "into new directories": ({"f": TWO}, [rename("f", "d/e/g")], {"f": None, "d/e/g": TWO}),
        "renamed and edited": (
            {"f": TWO},
            [rename("f", "g"), replace_range("f", TWO, 1, 1, "x")],
            {"f": None, "g": b"x\n2\n"},
        ),
        "in any order": (
            {"f": TWO},
            [replace_range("f", TWO, 1, 1, "x"), rename("f", "g"), insert_after("f", TWO, 2, "y")],
            {"f": None, "g": b"x\n2\ny\n"},
        ),
        "several files": (
            {"f": TWO, "g": TWO},
            [delete("f"), rename("g", "h"), create("i")],
            {"f": None, "g": None, "h": TWO, "i": b"x\n"},
        ),
        "within a directory": ({"d/f": TWO}, [rename("d/f", "d/g")], {"d/f": None, "d/g": TWO}),
        "an odd name that is there already": (
            {"aux.c": TWO},
            [replace_range("aux.c", TWO, 1, 1, "x")],
            {"aux.c": b"x\n2\n"},
        ),
    },
)
def test_files_change(
    files: Files, operations: list[Operation], expected: dict[str, bytes | None]
) -> None:
    assert result(planned(files, *operations)) == expected


@cases(
    "operations, said",
    {
        "made where one is": ([create("f")], "stale: f: exists already"),
        "made where a directory is": ([create("d")], "stale: d: exists already"),
        "moved onto one": ([rename("f", "g")], "stale: g: exists already"),
        "deleted by a wrong hash": (
            [{**delete("f"), "expected_hash": "0" * 64}],
            "stale: f:1-2: expected hash",
        ),
        "moved by a wrong hash": (
            [{**rename("f", "h"), "expected_hash": "0" * 64}],
            "stale: f:1-2: expected hash",
        ),
        "by the hash of a part": (
            [{**delete("f"), "expected_hash": hash_of(TWO, 1, 1)}],
            f"stale: f:1-2: expected hash {hash_of(TWO, 1, 1)[:12]} is neither that of these lines",
        ),
        "deleted where none is": ([delete("h")], "stale: h: there is no such file"),
        "deleted and made": (
            [delete("f"), create("f")],
            "invalid: f: is deleted and created by one spec",
        ),
        "made and deleted": (
            [create("f"), delete("f")],
            "invalid: f: is deleted and created by one spec",
        ),
        "moved away and made": (
            [rename("f", "h"), create("f")],
            "invalid: f: is deleted and created",
        ),
        "moved to where one was deleted": (
            [delete("g"), rename("f", "g")],
            "invalid: g: is deleted and created",
        ),
        "the other way round": (
            [rename("f", "g"), delete("g")],
            "invalid: g: is deleted and created",
        ),
        "moved onto itself": ([rename("f", "f")], "invalid: f: is deleted and created"),
        "made twice": ([create("h"), create("h")], "invalid: h: is created twice"),
        "two moved to one path": (
            [rename("f", "h"), rename("g", "h")],
            "invalid: h: is created twice",
        ),
        "deleted twice": ([delete("f"), delete("f")], "invalid: f: overlaps another edit"),
        "moved twice": ([rename("f", "h"), rename("f", "i")], "invalid: f: overlaps another edit"),
        "deleted and moved": ([delete("f"), rename("f", "h")], "invalid: f: overlaps another edit"),
        "moved and deleted": ([rename("f", "h"), delete("f")], "invalid: f: overlaps another edit"),
        "deleted and edited": (
            [delete("f"), delete_range("f", TWO, 1, 1)],
            "invalid: f: overlaps another",
        ),
        "edited and deleted": (
            [insert_after("f", TWO, 2, "x"), delete("f")],
            "invalid: f: overlaps another",
        ),
        "below a file": ([create("f/x")], "invalid: f/x: f is a file"),
        "below a file of this spec": ([create("h"), create("h/x")], "invalid: h/x: h is a file"),
        "where this spec makes a directory": (
            [create("h/x"), create("h")],
            "invalid: h: is a directory",
        ),
        "through a link": ([create("link/x")], "invalid: link/x: link is a symbolic link"),
        "a link": ([delete("link")], "invalid: link: is a symbolic link"),
        "a submodule": ([delete("module")], "invalid: module: is a submodule"),
        "a directory": ([delete("d")], "invalid: d: is a directory"),
        ".git": ([create(".git/config")], "invalid: .git/config: leads into .git"),
        ".git in disguise": ([create("d/.GIT /x")], "invalid: d/.GIT /x: leads into .git"),
        ".hkgit": (
            [rename("f", ".hkgit/config.toml")],
            "invalid: .hkgit/config.toml: belongs to hkgit",
        ),
        "a device": ([create("nul.txt")], "invalid: nul.txt: is not portable"),
        "lines of a binary file": (
            [replace_range("b", b"\0\n", 1, 1, "x")],
            "invalid: b: is a binary file",
        ),
    },
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


@cases(
    "mode, after",
    {"made executable": (REGULAR, EXECUTABLE), "made not executable": (EXECUTABLE, REGULAR)},
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


@cases(
    "before, wanted, after",
    {"added": (b"a\nb", True, b"a\nb\n"), "taken away": (b"a\nb\n", False, b"a\nb")},
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
