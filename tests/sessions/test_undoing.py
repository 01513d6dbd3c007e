"""Undo: what a call did is taken back, and nothing of what came after it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.applying.file_diff import compare
from hkgit.applying.planner import Options
from hkgit.edits import File, MappingSnapshot
from hkgit.errors import Conflict, InvalidInput
from hkgit.sessions.undo_calls import put_back
from tests.sessions.committing import LINES, replacing
from tests.support.cases import cases
from tests.support.properties import examples
from tests.support.sessions import TextSession
from tests.support.specs import protocol

LINE = st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d\r\n"])
TEXT = st.lists(LINE, max_size=6).map(b"".join)


def merge_back(base: bytes, wanted: bytes, present: bytes) -> bytes:
    """What is left of a file where the change from `base` to `wanted` is made."""
    change = compare("f", File(base), "f", File(wanted))
    made = put_back(change, MappingSnapshot({"f": File(present)})).after
    assert made is not None
    return made.data


@given(TEXT, TEXT)
@examples(60)
def test_without_later_work_undo_gives_back_what_was(before: bytes, after: bytes) -> None:
    assert merge_back(after, before, after) == before


@given(TEXT, TEXT, TEXT)
@examples(60)
def test_later_work_elsewhere_stays(before: bytes, after: bytes, above: bytes) -> None:
    border = b"1\n2\n3\n"
    base, wanted = border + after, border + before
    assert merge_back(base, wanted, above + base) == above + wanted


@given(TEXT, TEXT)
@examples(60)
def test_undo_and_a_change_that_does_not_exist_is_no_change(before: bytes, after: bytes) -> None:
    assert merge_back(before, before, after) == after


@cases(
    {
        "right above": (("line 4\n", "four\n"), "four\nline 5\nline 6\n"),
        "right below": (("line 6\n", "six\n"), "line 4\nline 5\nsix\n"),
        "in the same line": (("five\n", "V\n"), None),
        "the line is gone": (("five\n", ""), None),
        "behind it": (("five\n", "five\nmore\n"), "line 4\nline 5\nmore\nline 6\n"),
    },
)
def test_what_stands_beside_an_undone_line(
    later: tuple[str, str], result: str | None, desk: TextSession, root: Path
) -> None:
    desk.edit(replacing("line 5\n", "five\n"))
    changed = (root / "a.py").read_text().replace(*later)
    (root / "a.py").write_text(changed)
    if result is None:
        with pytest.raises(Conflict, match="Change it back by hand"):
            desk.undo()
        assert (root / "a.py").read_text() == changed
    else:
        desk.undo()
        assert result in (root / "a.py").read_text()


OPERATIONS: dict[str, dict[str, object]] = {
    "a new file": {"op": "create_file", "path": "c.py", "new_text": "c\n"},
    "a file that is gone": {"op": "delete_file", "path": "a.py"},
    "a moved file": {"op": "rename_file", "path": "a.py", "new_path": "d.py"},
}


@cases("operation", OPERATIONS)
def test_whole_files_are_put_back(
    desk: TextSession, root: Path, operation: dict[str, object]
) -> None:
    (root / "a.py").chmod(0o755)
    assert desk.edit(protocol(operation)).ok
    desk.undo()
    assert [path.name for path in root.iterdir() if path.is_file()] == ["a.py"]
    assert (root / "a.py").read_text() == LINES
    assert (root / "a.py").stat().st_mode & 0o777 == 0o755


@cases("operation", OPERATIONS)
def test_whole_files_stay_where_somebody_has_taken_their_place(
    desk: TextSession, root: Path, operation: dict[str, object]
) -> None:
    assert desk.edit(protocol(operation)).ok
    (root / ("c.py" if operation["op"] == "create_file" else "a.py")).write_text("mine\n")
    with pytest.raises(Conflict):
        desk.undo()


def test_a_call_is_taken_back_with_all_of_its_specs_and_once(desk: TextSession, root: Path) -> None:
    desk.edit(replacing("line 3\n", "three\n"))
    specs = [desk.parse(replacing(f"line {n}\n", "new\n")) for n in (5, 6)]
    desk.edit_all(specs, Options())
    desk.undo()
    assert (root / "a.py").read_text() == LINES.replace("line 3\n", "three\n")
    assert [(call.call, call.undone) for call in desk.status().calls] == [("1", False), ("2", True)]
    with pytest.raises(InvalidInput, match="no call that can be undone"):
        desk.undo("2")


def test_a_session_is_taken_back_whole(desk: TextSession, root: Path) -> None:
    for old, new in (("line 5\n", "five\n"), ("five\n", "5\nmore\n"), ("line 9\n", "")):
        desk.edit(replacing(old, new))
    (root / "a.py").write_text("mine\n" + (root / "a.py").read_text())
    assert desk.undo(whole_session=True).calls == ("1", "2", "3")
    assert (root / "a.py").read_text() == f"mine\n{LINES}"


def test_another_session_is_left_alone(desk: TextSession, root: Path) -> None:
    desk.edit(replacing("line 5\n", "five\n"))
    other = TextSession.open(root, "other")
    other.edit(replacing("line 9\n", "nine\n"))
    desk.undo(whole_session=True)
    assert (root / "a.py").read_text() == LINES.replace("line 9", "nine")
