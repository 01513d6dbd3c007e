"""Diffs are those of git: the real `git apply` takes them and makes the same files."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.file_diff import render_diff
from hkgit.applying.outcome import Plan, files_after
from hkgit.edits import (
    EXECUTABLE,
    REGULAR,
    AnyEdit,
    CreateFile,
    DeleteFile,
    Edit,
    File,
    RenameFile,
    ReplaceRange,
    SetMode,
    WriteFile,
    encode_text,
)
from hkgit.text.document import BOM, Document
from tests.support.cases import cases
from tests.support.planning import SOURCE, Files, in_sequence, on_base, snapshot
from tests.support.properties import examples

TEN = b"".join(b"%d\n" % n for n in range(1, 11))


def git_applied(directory: Path, files: Files, made: Plan) -> dict[str, File]:
    """The files that `git apply` makes of a plan's diffs."""
    for path, file in snapshot(files).files.items():
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        place.chmod(file.mode & 0o777)
    diff = "".join(render_diff(change) for change in made.files)
    command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=directory, input=encode_text(diff), capture_output=True)
    assert done.returncode == 0, (done.stderr.decode(), diff)
    found = (place for place in directory.rglob("*") if place.is_file())
    return {
        place.relative_to(directory).as_posix(): File(
            place.read_bytes(), EXECUTABLE if place.stat().st_mode & 0o100 else REGULAR
        )
        for place in found
    }


def expected(files: Files, made: Plan) -> dict[str, File]:
    after: dict[str, File | None] = {**snapshot(files).files, **files_after(made)}
    return {path: file for path, file in after.items() if file is not None}


@cases(
    "files, edits",
    {
        "a line": ({"f": TEN}, [ReplaceRange("f", 5, 5, ("x",))]),
        "the first and the last, in two hunks": (
            {"f": TEN},
            [ReplaceRange("f", 1, 1, ()), ReplaceRange("f", 10, 10, ("x",))],
        ),
        "two in one": ({"f": TEN}, [ReplaceRange("f", 2, 2, ()), ReplaceRange("f", 8, 8, ("x",))]),
        "a file": ({"f": SOURCE}, [ReplaceRange("f", n, n, ("x", "y")) for n in (1, 90, 99, 300)]),
        "emptied": ({"f": TEN}, [ReplaceRange("f", 1, 10, ())]),
        "filled": ({"f": b""}, [WriteFile("f", "a\nb\n")]),
        "above an open line": ({"f": b"a\nb"}, [ReplaceRange("f", 1, 1, ("x",))]),
        "an open line": ({"f": b"a\nb"}, [ReplaceRange("f", 2, 2, ("x",))]),
        "closed": ({"f": b"a\nb"}, [WriteFile("f", "a\nb\n")]),
        "opened": ({"f": b"a\nb\n"}, [WriteFile("f", "a\nb")]),
        "a new open line": ({"f": b"a\nb"}, [WriteFile("f", "a\nb\nc")]),
        "CRLF": ({"f": b"a\r\nb\r\n"}, [ReplaceRange("f", 2, 2, ("x",))]),
        "lone CR": ({"f": b"a\rb\nc\n"}, [ReplaceRange("f", 2, 2, ("x",))]),
        "not UTF-8": ({"f": b"\xff\n\xfe\n"}, [ReplaceRange("f", 2, 2, ("é",))]),
        "a BOM": ({"f": BOM + b"a\nb\n"}, [ReplaceRange("f", 1, 1, ("x",))]),
        "a BOM whose line goes": ({"f": BOM + b"a\nb\n"}, [ReplaceRange("f", 1, 1, ())]),
        "a BOM in the context": ({"f": BOM + TEN}, [ReplaceRange("f", 2, 2, ())]),
        "above a BOM's line": ({"f": BOM + b"a\nb\n"}, [Edit("f", "a\n", "x\na\n")]),
        "to a BOM alone": ({"f": BOM + b"a"}, [ReplaceRange("f", 1, 1, ())]),
        "from a BOM alone": ({"f": BOM}, [WriteFile("f", "a\n")]),
        "a BOM alone deleted": ({"f": BOM}, [DeleteFile("f")]),
        "created": ({}, [CreateFile("d/f", "a\nb\n")]),
        "created empty": ({}, [CreateFile("f", "")]),
        "created executable and open": ({}, [CreateFile("f", "a", EXECUTABLE)]),
        "deleted": ({"f": TEN, "g": TEN}, [DeleteFile("f")]),
        "deleted empty": ({"f": b"", "g": TEN}, [DeleteFile("f")]),
        "renamed": ({"f": TEN}, [RenameFile("f", "g")]),
        "moved and edited": ({"f": TEN}, [RenameFile("f", "d/g"), ReplaceRange("f", 1, 1, ("x",))]),
        "made executable": ({"f": TEN}, [SetMode("f", EXECUTABLE)]),
        "made not executable and edited": (
            {"f": File(TEN, EXECUTABLE)},
            [SetMode("f", REGULAR), ReplaceRange("f", 1, 1, ("x",))],
        ),
        "a blank in a name": ({"a b": TEN}, [ReplaceRange("a b", 1, 1, ("x",))]),
        "renamed with blanks": ({"a b": TEN}, [RenameFile("a b", "c d")]),
        "created with a blank": ({}, [CreateFile("a b", "x")]),
        "an odd name": ({'"é\udcff': TEN}, [ReplaceRange('"é\udcff', 1, 1, ("x",))]),
    },
)
def test_git_makes_the_same_of_the_diff(tmp_path: Path, files: Files, edits: list[AnyEdit]) -> None:
    made = on_base(files, *edits)
    assert git_applied(tmp_path, files, made) == expected(files, made)


LINES = st.lists(st.sampled_from(["a", "b", "", " c"]), max_size=12)
ENDS = st.sampled_from(["\n", "\r\n"])


@examples(60)
@given(lines=LINES, end=ENDS, has_bom=st.booleans(), is_open=st.booleans(), drawn=st.data())
def test_git_makes_the_same_of_any_diff(
    lines: list[str],
    end: str,
    has_bom: bool,
    is_open: bool,
    drawn: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = "".join(line + end for line in lines)
    data = (BOM if has_bom else b"") + (text.rstrip() if is_open else text).encode()
    count = Document(data).line_count
    edits = [
        ReplaceRange("f", number, number, tuple(drawn.draw(LINES)[:2]))
        for number in range(1, count + 1)
        if drawn.draw(st.booleans())
    ]
    made = on_base({"f": data}, *edits)
    if made.files:
        directory = tmp_path_factory.mktemp("diff")
        assert git_applied(directory, {"f": data}, made) == expected({"f": data}, made)


def test_a_diff_reads_as_gits_own() -> None:
    [change] = on_base({"f": TEN}, ReplaceRange("f", 2, 2, ("x", "y"))).files
    assert render_diff(change) == (
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,5 +1,6 @@\n 1\n-2\n+x\n+y\n 3\n 4\n 5\n"
    )


def test_an_outcome_shows_the_change_of_its_edit_alone() -> None:
    edits = (ReplaceRange("f", 1, 1, ("x",)), ReplaceRange("f", 2, 2, ("y",)))
    second = on_base({"f": b"a\nb"}, *edits).outcomes[1]
    assert second.diff == (
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n"
        "-b\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
    )


def test_in_a_sequence_the_change_is_that_of_the_moment() -> None:
    edits = (Edit("f", "a\n", "x\n"), Edit("f", "x\n", "y\n", final_newline=True))
    second = in_sequence({"f": b"a\nb"}, *edits).outcomes[1]
    assert second.diff.endswith("@@ -1,2 +1,2 @@\n-x\n-b\n\\ No newline at end of file\n+y\n+b\n")


def test_nothing_changed_is_no_diff() -> None:
    made = on_base({"f": TEN}, ReplaceRange("f", 1, 1, ("1",)))
    assert made.files == ()
    assert made.outcomes[0].diff == ""
