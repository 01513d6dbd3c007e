"""Diffs are those of git: the real `git apply` takes them and makes the same files."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("files", "edits"),
    [
        pytest.param({"f": TEN}, [ReplaceRange("f", 5, 5, ("x",))], id="a line"),
        pytest.param(
            {"f": TEN},
            [ReplaceRange("f", 1, 1, ()), ReplaceRange("f", 10, 10, ("x",))],
            id="the first and the last, in two hunks",
        ),
        pytest.param(
            {"f": TEN},
            [ReplaceRange("f", 2, 2, ()), ReplaceRange("f", 8, 8, ("x",))],
            id="two in one hunk",
        ),
        pytest.param(
            {"f": SOURCE},
            [ReplaceRange("f", n, n, ("x", "y")) for n in (1, 90, 99, 300)],
            id="a real file",
        ),
        pytest.param({"f": TEN}, [ReplaceRange("f", 1, 10, ())], id="emptied"),
        pytest.param({"f": b""}, [WriteFile("f", "a\nb\n")], id="filled"),
        pytest.param({"f": b"a\nb"}, [ReplaceRange("f", 1, 1, ("x",))], id="above an open line"),
        pytest.param({"f": b"a\nb"}, [ReplaceRange("f", 2, 2, ("x",))], id="an open line"),
        pytest.param({"f": b"a\nb"}, [WriteFile("f", "a\nb\n")], id="closed"),
        pytest.param({"f": b"a\nb\n"}, [WriteFile("f", "a\nb")], id="opened"),
        pytest.param({"f": b"a\nb"}, [WriteFile("f", "a\nb\nc")], id="a new open line"),
        pytest.param({"f": b"a\r\nb\r\n"}, [ReplaceRange("f", 2, 2, ("x",))], id="CRLF"),
        pytest.param({"f": b"a\rb\nc\n"}, [ReplaceRange("f", 2, 2, ("x",))], id="lone CR"),
        pytest.param({"f": b"\xff\n\xfe\n"}, [ReplaceRange("f", 2, 2, ("é",))], id="not UTF-8"),
        pytest.param({"f": BOM + b"a\nb\n"}, [ReplaceRange("f", 1, 1, ("x",))], id="a BOM"),
        pytest.param(
            {"f": BOM + b"a\nb\n"}, [ReplaceRange("f", 1, 1, ())], id="a BOM whose line goes"
        ),
        pytest.param({"f": BOM + TEN}, [ReplaceRange("f", 2, 2, ())], id="a BOM in the context"),
        pytest.param({"f": BOM + b"a\nb\n"}, [Edit("f", "a\n", "x\na\n")], id="above a BOM's line"),
        pytest.param({"f": BOM + b"a"}, [ReplaceRange("f", 1, 1, ())], id="to a BOM alone"),
        pytest.param({"f": BOM}, [WriteFile("f", "a\n")], id="from a BOM alone"),
        pytest.param({"f": BOM}, [DeleteFile("f")], id="a BOM alone deleted"),
        pytest.param({}, [CreateFile("d/f", "a\nb\n")], id="created"),
        pytest.param({}, [CreateFile("f", "")], id="created empty"),
        pytest.param({}, [CreateFile("f", "a", EXECUTABLE)], id="created executable and open"),
        pytest.param({"f": TEN, "g": TEN}, [DeleteFile("f")], id="deleted"),
        pytest.param({"f": b"", "g": TEN}, [DeleteFile("f")], id="deleted empty"),
        pytest.param({"f": TEN}, [RenameFile("f", "g")], id="renamed"),
        pytest.param(
            {"f": TEN},
            [RenameFile("f", "d/g"), ReplaceRange("f", 1, 1, ("x",))],
            id="renamed and edited",
        ),
        pytest.param({"f": TEN}, [SetMode("f", EXECUTABLE)], id="made executable"),
        pytest.param(
            {"f": File(TEN, EXECUTABLE)},
            [SetMode("f", REGULAR), ReplaceRange("f", 1, 1, ("x",))],
            id="made not executable and edited",
        ),
        pytest.param({"a b": TEN}, [ReplaceRange("a b", 1, 1, ("x",))], id="a blank in a name"),
        pytest.param({"a b": TEN}, [RenameFile("a b", "c d")], id="renamed with blanks"),
        pytest.param({}, [CreateFile("a b", "x")], id="created with a blank"),
        pytest.param({'"é\udcff': TEN}, [ReplaceRange('"é\udcff', 1, 1, ("x",))], id="an odd name"),
    ],
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
