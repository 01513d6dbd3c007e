"""A desk: what is read is known, what is known is evidence, and what was done can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hkgit.applying.planner import Options
from hkgit.edits import File
from hkgit.errors import InvalidInput, Stale
from hkgit.sessions.file_lines import Checkout
from tests.sessions.conftest import LINES, replacing
from tests.support.cases import cases
from tests.support.sessions import TextSession


def kinds(desk: TextSession, old: str, new: str) -> list[str]:
    """The kinds of evidence of an edit that applies."""
    answer = desk.edit(replacing(old, new))
    assert answer.ok, answer.for_model()
    return [outcome.evidence.kind for outcome in answer.outcomes]


@cases(
    "reads, line, kind",
    {
        "inside what was read": ([(3, 8)], 5, "receipt"),
        "the last line that was read": ([(3, 8)], 8, "receipt"),
        "beside what was read": ([(3, 8)], 9, "quote"),
        "nothing was read": ([], 5, "quote"),
        "in the second of two reads": ([(1, 4), (5, 8)], 5, "receipt"),
        "all was read": ([(None, None)], 30, "receipt"),
    },
)
def test_an_edit_is_tied_to_the_receipt_that_covers_its_place(
    desk: TextSession, reads: list[tuple[int | None, int | None]], line: int, kind: str
) -> None:
    for start, end in reads:
        desk.read("a.py", start, end)
    assert kinds(desk, f"line {line}\n", "new\n") == [kind]


def test_two_reads_that_touch_cover_an_edit_of_both(desk: TextSession) -> None:
    desk.read("a.py", 1, 4)
    desk.read("a.py", 5, 8)
    assert kinds(desk, "line 4\nline 5\n", "new\n") == ["receipt"]


def test_an_edit_moves_what_is_known_below_it(desk: TextSession) -> None:
    desk.read("a.py", 3, 8)
    desk.edit(replacing("line 4\n", "a\nb\nc\n"))
    assert kinds(desk, "line 8\n", "new\n") == ["receipt"]


def test_an_agent_knows_what_it_wrote_itself(desk: TextSession) -> None:
    desk.read("a.py", 5, 5)
    desk.edit(replacing("line 5\n", "first\nsecond\n"))
    assert kinds(desk, "second\n", "third\n") == ["receipt"]


def test_what_others_move_is_still_known(desk: TextSession, root: Path) -> None:
    desk.read("a.py", 5, 8)
    (root / "a.py").write_text("above\n" + LINES)
    assert kinds(desk, "line 8\n", "new\n") == ["receipt"]


def test_a_line_that_others_changed_is_known_no_more(desk: TextSession, root: Path) -> None:
    desk.read("a.py", 5, 8)
    (root / "a.py").write_text(LINES.replace("line 6\n", "line six\n"))
    assert kinds(desk, "line six\n", "new\n") == ["quote"]


def test_a_blind_edit_is_said_to_be_blind_at_once(desk: TextSession) -> None:
    answer = desk.edit(replacing("line 5\n", "new\n"))
    assert [(each.number, each.lines, each.command) for each in answer.blind] == [
        (1, (5, 5), "hkgit undo --session task --call 1 && hkgit read :/a.py:5-5 --session task")
    ]


def test_undo_takes_back_the_last_call(desk: TextSession, root: Path) -> None:
    desk.edit(replacing("line 5\n", "new\n"))
    desk.edit(replacing("line 6\n", "new\n"))
    desk.undo()
    assert (root / "a.py").read_text() == LINES.replace("line 5\n", "new\n")


def test_undo_leaves_alone_what_came_after(desk: TextSession, root: Path) -> None:
    call = desk.edit(replacing("line 5\n", "new\n")).call
    (root / "a.py").write_text("above\n" + (root / "a.py").read_text() + "below\n")
    desk.undo(call)
    assert (root / "a.py").read_text() == f"above\n{LINES}below\n"


@cases(
    "content, why",
    {
        "changed": ("line one\n", "it has changed since this session read it"),
        "deleted": (None, "it was deleted since this session read it"),
    },
)
def test_text_that_is_gone_since_it_was_read_is_stale(
    desk: TextSession, root: Path, content: str | None, why: str
) -> None:
    desk.read("a.py")
    if content is None:
        (root / "a.py").unlink()
    else:
        (root / "a.py").write_text(content)
    error = desk.edit(replacing("line 17\n", "new\n")).error
    assert error is not None
    assert error.status == "stale"
    assert why in error.what
    assert error.fix.endswith("hkgit read a.py")


def test_text_that_never_stood_there_is_no_match(desk: TextSession) -> None:
    desk.read("a.py")
    assert desk.edit(replacing("nothing of the kind\n", "new\n")).status == "no_match"


def test_bytes_that_are_not_utf_8_survive_the_journal(desk: TextSession, root: Path) -> None:
    (root / "latin.txt").write_bytes("caf\u00e9\nline\n".encode("latin-1"))
    desk.read("latin.txt")
    spec = "latin.txt\n<<<<<<< SEARCH\ncaf\udce9\n=======\nth\udce9\n>>>>>>> REPLACE\n"
    assert desk.edit(spec).ok
    desk.undo()
    assert (root / "latin.txt").read_bytes() == "caf\u00e9\nline\n".encode("latin-1")


@pytest.mark.parametrize("agent", ["", "  ", "a\nb", "a\x1b[2J"])
def test_an_agent_has_a_name_of_one_line(root: Path, agent: str) -> None:
    with pytest.raises(InvalidInput):
        TextSession.open(root, "task", agent=agent)


def test_a_dry_run_tells_of_blindness_and_keeps_nothing(desk: TextSession, root: Path) -> None:
    answer = desk.edit(replacing("line 5\n", "new\n"), dry_run=True)
    assert answer.call is None
    assert answer.blind[0].command == "hkgit read :/a.py:5-5 --session task"
    assert desk.status().calls == ()
    assert (root / "a.py").read_text() == LINES


def test_all_specs_of_a_call_are_undone_together(desk: TextSession, root: Path) -> None:
    specs = [desk.parse(replacing(f"line {n}\n", "new\n")) for n in (5, 6)]
    desk.edit_all(specs, Options())
    desk.undo()
    assert (root / "a.py").read_text() == LINES


def test_an_answer_holds_the_files_that_changed(desk: TextSession) -> None:
    answer = desk.edit(replacing("line 5\n", "five\n"))
    changed = {path: file.data for path, file in answer.files.items() if file is not None}
    assert changed == {"a.py": LINES.replace("line 5", "five").encode()}


def test_a_file_that_is_changed_while_it_is_being_edited_stays_as_it_is(
    desk: TextSession, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = Checkout.get

    def meanwhile(self: Checkout, path: str) -> File | None:
        found = begin(self, path)
        (root / "a.py").write_text("mine\n")
        return found

    monkeypatch.setattr(Checkout, "get", meanwhile)
    with pytest.raises(Stale, match="was changed while it was being edited"):
        desk.edit(replacing("line 5\n", "five\n"))
    assert (root / "a.py").read_text() == "mine\n"
