"""Edits of whole files: made, written over, removed, moved, made executable."""

import pytest

from hkgit import apply_edits
from hkgit.applying.outcome import files_after
from hkgit.applying.planner import plan as plan_of
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    InsertAfter,
    MappingSnapshot,
    RenameFile,
    ReplaceRange,
    SetMode,
    Spec,
    WriteFile,
)
from hkgit.text.document import BOM
from tests.support.cases import cases
from tests.support.planning import (
    Files,
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

TWO = b"1\n2\n"
HASH = hash_of(TWO, 1, 2)
OTHER = "0" * 64


def create(path: str, text: str = "x\n") -> Operation:
    return {"op": "create_file", "path": path, "new_text": text}


def delete(path: str, expected: str = HASH) -> Operation:
    return {"op": "delete_file", "path": path, "expected_hash": expected}


def rename(path: str, new_path: str, expected: str = HASH) -> Operation:
    return {"op": "rename_file", "path": path, "new_path": new_path, "expected_hash": expected}


def put(path: str = "f", data: bytes = TWO) -> Operation:
    """Replace the first line."""
    return replace_range(path, data, 1, 1, "x")


@cases(
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
    {
        "deleted": ({"f": TWO}, [delete("f")], {"f": None}),
        "with its byte order mark": ({"f": BOM + TWO}, [delete("f")], {"f": None}),
        "renamed": ({"f": TWO}, [rename("f", "g")], {"f": None, "g": TWO}),
        "into new directories": ({"f": TWO}, [rename("f", "d/e/g")], {"f": None, "d/e/g": TWO}),
        "and edited": ({"f": TWO}, [rename("f", "g"), put()], {"f": None, "g": file_of("x2")}),
        "in any order": (
            {"f": TWO},
            [put(), rename("f", "g"), insert_after("f", TWO, 2, "y")],
            {"f": None, "g": file_of("x2y")},
        ),
        "several files": (
            {"f": TWO, "g": TWO},
            [delete("f"), rename("g", "h"), create("i")],
            {"f": None, "g": None, "h": TWO, "i": b"x\n"},
        ),
        "within a directory": ({"d/f": TWO}, [rename("d/f", "d/g")], {"d/f": None, "d/g": TWO}),
        "an odd name that is there": ({"aux.c": TWO}, [put("aux.c")], {"aux.c": file_of("x2")}),
    },
)
def test_files_change(
    files: Files, operations: list[Operation], expected: dict[str, bytes | None]
) -> None:
    assert result(planned(files, *operations)) == expected


TWO_FATES = "is deleted and created by one spec"


@cases(
    {
        "made where one is": ([create("f")], "stale: f: exists already"),
        "made where a directory is": ([create("d")], "stale: d: exists already"),
        "moved onto one": ([rename("f", "g")], "stale: g: exists already"),
        "deleted by a wrong hash": ([delete("f", OTHER)], "stale: f:1-2: expected hash"),
        "moved by a wrong hash": ([rename("f", "h", OTHER)], "stale: f:1-2: expected hash"),
        "by the hash of a part": (
            [delete("f", hash_of(TWO, 1, 1))],
            f"stale: f:1-2: expected hash {hash_of(TWO, 1, 1)[:12]} is neither that of these lines",
        ),
        "deleted where none is": ([delete("h")], "stale: h: there is no such file"),
        "deleted and made": ([delete("f"), create("f")], f"invalid: f: {TWO_FATES}"),
        "made and deleted": ([create("f"), delete("f")], f"invalid: f: {TWO_FATES}"),
        "moved away and made": ([rename("f", "h"), create("f")], f"invalid: f: {TWO_FATES}"),
        "moved to a deleted one": ([delete("g"), rename("f", "g")], f"invalid: g: {TWO_FATES}"),
        "the other way round": ([rename("f", "g"), delete("g")], f"invalid: g: {TWO_FATES}"),
        "moved onto itself": ([rename("f", "f")], f"invalid: f: {TWO_FATES}"),
        "made twice": ([create("h"), create("h")], "invalid: h: is created twice"),
        "two to one path": ([rename("f", "h"), rename("g", "h")], "invalid: h: is created twice"),
        "deleted twice": ([delete("f"), delete("f")], "invalid: f: overlaps another edit"),
        "moved twice": ([rename("f", "h"), rename("f", "i")], "invalid: f: overlaps another edit"),
        "deleted and moved": ([delete("f"), rename("f", "h")], "invalid: f: overlaps another edit"),
        "moved and deleted": ([rename("f", "h"), delete("f")], "invalid: f: overlaps another edit"),
        "gone, edited": (
            [delete("f"), delete_range("f", TWO, 1, 1)],
            "invalid: f: overlaps another",
        ),
        "edited and deleted": (
            [insert_after("f", TWO, 2, "x"), delete("f")],
            "invalid: f: overlaps another",
        ),
        "below a file": ([create("f/x")], "invalid: f/x: f is a file"),
        "below a file of this spec": ([create("h"), create("h/x")], "invalid: h/x: h is a file"),
        "at a new directory": ([create("h/x"), create("h")], "invalid: h: is a directory"),
        "through a link": ([create("link/x")], "invalid: link/x: link is a symbolic link"),
        "a link": ([delete("link")], "invalid: link: is a symbolic link"),
        "a submodule": ([delete("module")], "invalid: module: is a submodule"),
        "a directory": ([delete("d")], "invalid: d: is a directory"),
        ".git": ([create(".git/config")], "invalid: .git/config: leads into .git"),
        ".git in disguise": ([create("d/.GIT /x")], "invalid: d/.GIT /x: leads into .git"),
        ".hkgit": ([rename("f", ".hkgit/x")], "invalid: .hkgit/x: belongs to hkgit"),
        "a device": ([create("nul.txt")], "invalid: nul.txt: is not portable"),
        "lines of a binary file": ([put("b", b"\0\n")], "invalid: b: is a binary file"),
    },
)
def test_what_cannot_be_done_to_files_is_refused(operations: list[Operation], said: str) -> None:
    files: Files = {
        **dict.fromkeys(("f", "g", "d/x"), TWO),
        "b": b"\0\n",
        "link": File(b"d", SYMLINK),
        "module": File(b"", SUBMODULE),
    }
    assert refusal(planned(files, *operations)).startswith(said)


def test_a_binary_file_can_be_moved_and_removed() -> None:
    made = on_base({"a": b"\0\1", "b": b"\0\1"}, RenameFile("a", "c"), DeleteFile("b"))
    assert result(made) == {"a": None, "b": None, "c": b"\0\1"}


@pytest.mark.parametrize(("mode", "after"), [(REGULAR, EXECUTABLE), (EXECUTABLE, REGULAR)])
def test_a_mode_is_set_and_nothing_else(mode: int, after: int) -> None:
    made = in_sequence({"f": File(TWO, mode)}, SetMode("f", after))
    assert files_after(made) == {"f": File(TWO, after)}


def test_a_mode_set_anew_changes_nothing() -> None:
    assert result(in_sequence({"f": TWO}, SetMode("f", REGULAR))) == {}


def test_a_deletion_may_quote_the_whole_file_and_nothing_else() -> None:
    made = in_sequence({"f": b"1\r\n2\r\n"}, DeleteFile("f", old_text="1\n2\n"))
    assert result(made) == {"f": None}
    assert only(made).evidence.kind == "quote"
    said = refusal(in_sequence({"f": TWO}, DeleteFile("f", old_text="1\n")))
    assert said.startswith("stale: f: the file is not the one that the edit removes")


@cases({"added": (b"a\nb", True, b"a\nb\n"), "taken away": (b"a\nb\n", False, b"a\nb")})
def test_only_the_end_of_the_last_line_may_change(
    before: bytes, wanted: bool, after: bytes
) -> None:
    edit = Edit("f", "a\nb\n", "a\nb\n", final_newline=wanted)
    made = plan_of(Spec("edits", (edit,), sequential=True), MappingSnapshot({"f": File(before)}))
    assert [change.after for change in made.files] == [File(after)]


@cases(
    {
        "as it is given": (b"1\n", "x\ny", b"x\ny"),
        "in a CRLF file with CRLF": (b"1\r\n2\r\n", "x\ny\n", b"x\r\ny\r\n"),
        "unless it has its own": (b"1\r\n2\r\n", "x\r\ny\n", b"x\r\ny\n"),
        "in a mixed file as it is": (b"1\r\n2\n", "x\n", b"x\n"),
        "behind the byte order mark": (BOM + b"1\n", "x\n", BOM + b"x\n"),
        "which is not doubled": (BOM + b"1\n", "\ufeffx\n", BOM + b"x\n"),
        "with a new byte order mark": (b"1\n", "\ufeffx\n", BOM + b"x\n"),
        "emptied": (b"1\n", "", b""),
        "filled": (b"", "x\n", b"x\n"),
    },
)
def test_a_file_is_written_over(before: bytes, text: str, after: bytes) -> None:
    assert result(in_sequence({"f": before}, WriteFile("f", text))) == {"f": after}


OVER = WriteFile("f", "x")


@cases(
    {
        "then edited": [OVER, ReplaceRange("f", 1, 1, ("y",))],
        "then added to": [OVER, InsertAfter("f", 2, ("y",))],
        "after it was added to": [InsertAfter("f", 0, ("y",)), OVER],
        "twice": [OVER, WriteFile("f", "y")],
    },
)
def test_a_file_written_over_has_no_lines_of_the_base_to_edit(edits: list[AnyEdit]) -> None:
    assert refusal(on_base({"f": TWO}, *edits)).startswith("invalid: f: overlaps")


@cases(
    {
        "written": WriteFile("f", "x\n"),
        "by an empty old text": Edit("f", "", "x\n"),
        "created": CreateFile("f", "x\n"),
    },
)
def test_an_absent_file_is_made(edit: AnyEdit) -> None:
    assert result(in_sequence({}, edit)) == {"f": b"x\n"}


@pytest.mark.parametrize("edit", [WriteFile("f", "x\n", HASH), Edit("f", "", "x\n", HASH)])
def test_an_absent_file_of_which_a_hash_was_expected_is_stale(edit: AnyEdit) -> None:
    assert refusal(in_sequence({}, edit)).startswith("stale: f: there is no such file")


def test_an_empty_old_text_fills_an_empty_file() -> None:
    assert result(in_sequence({"f": b""}, Edit("f", "", "x\ny"))) == {"f": b"x\ny"}


def test_the_refusal_of_an_empty_search_names_the_option_that_appends() -> None:
    block = "f.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
    refused = apply_edits(block, {"f.py": "a\n"})
    assert "--empty-search append" in refused.for_model()
    assert apply_edits(block, {"f.py": "a\n"}, empty_search="append").files == {"f.py": "a\nx\n"}
    said = refusal(in_sequence({"f": TWO}, Edit("f", "", "x\n")))
    assert said.startswith("invalid: f: the old text is empty, but the file exists")
    assert "--empty-search" not in said


def test_a_patch_that_updates_a_file_does_not_make_it() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n@@\n+x\n*** End Patch\n"
    [outcome] = apply_edits(patch, {}).outcomes
    assert outcome.status == "no_match"
    assert "no such file" in str(outcome.error)
