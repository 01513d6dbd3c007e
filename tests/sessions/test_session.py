"""A desk: what is read is known, what is known is evidence, and what was done can be undone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import InvalidInput, Stale
from hkgit.sessions.file_lines import Checkout
from tests.sessions.committing import LINES, replacing
from tests.support.cases import cases
from tests.support.sessions import TextSession


def kinds(desk: TextSession, old: str, new: str) -> list[str]:
    """The kinds of evidence of an edit that applies."""
    answer = desk.edit(replacing(old, new))
    assert answer.ok, answer.for_model()
    return [outcome.evidence.kind for outcome in answer.outcomes]


@cases(
    {
        "inside what was read": ([(3, 8)], "line 5\n", "receipt"),
        "the last line that was read": ([(3, 8)], "line 8\n", "receipt"),
        "beside what was read": ([(3, 8)], "line 9\n", "quote"),
        "nothing was read": ([], "line 5\n", "quote"),
        "in the second of two reads": ([(1, 4), (5, 8)], "line 5\n", "receipt"),
        "across two reads that touch": ([(1, 4), (5, 8)], "line 4\nline 5\n", "receipt"),
        "all was read": ([(None, None)], "line 30\n", "receipt"),
    },
)
def test_an_edit_is_tied_to_the_receipt_that_covers_its_place(
    reads: list[tuple[int | None, int | None]], old: str, kind: str, desk: TextSession
) -> None:
    for start, end in reads:
        desk.read("a.py", start, end)
    assert kinds(desk, old, "new\n") == [kind]


def edited(old: str, new: str) -> Callable[[TextSession], object]:
    """By the session itself."""
    return lambda desk: desk.edit(replacing(old, new))


def written(text: str) -> Callable[[TextSession], object]:
    """By somebody else."""
    return lambda desk: (desk.root / "a.py").write_text(text)


@cases(
    {
        "an edit moves what is below": (edited("line 5\n", "a\nb\nc\n"), "line 8\n", "receipt"),
        "an agent knows what it wrote": (edited("line 5\n", "a\nb\n"), "b\n", "receipt"),
        "others move it": (written("above\n" + LINES), "line 8\n", "receipt"),
        "others change it": (written(LINES.replace("line 6", "six")), "six\n", "quote"),
    },
)
def test_what_is_known_follows_the_changes_of_the_file(
    change: Callable[[TextSession], object], old: str, kind: str, desk: TextSession
) -> None:
    desk.read("a.py", 5, 8)
    change(desk)
    assert kinds(desk, old, "new\n") == [kind]


def test_a_blind_edit_is_said_to_be_blind_at_once(desk: TextSession, root: Path) -> None:
    """Also in a dry run, which keeps nothing."""
    dry = desk.edit(replacing("line 5\n", "new\n"), dry_run=True)
    assert dry.call is None
    assert dry.blind[0].command == "hkgit read :/a.py:5-5 --session task"
    assert desk.status().calls == ()
    assert (root / "a.py").read_text() == LINES
    answer = desk.edit(replacing("line 5\n", "new\n"))
    assert [(each.number, each.lines, each.command) for each in answer.blind] == [
        (1, (5, 5), "hkgit undo --session task --call 1 && hkgit read :/a.py:5-5 --session task")
    ]
    changed = {path: file.data for path, file in answer.files.items() if file is not None}
    assert changed == {"a.py": LINES.replace("line 5", "new").encode()}


@cases(
    {
        "changed": ("line one\n", "it has changed since this session read it"),
        "deleted": (None, "it was deleted since this session read it"),
    },
)
def test_text_that_is_gone_since_it_was_read_is_stale(
    content: str | None, why: str, desk: TextSession, root: Path
) -> None:
    desk.read("a.py")
    assert desk.edit(replacing("nothing of the kind\n", "new\n")).status == "no_match"
    if content is None:
        (root / "a.py").unlink()
    else:
        (root / "a.py").write_text(content)
    error = desk.edit(replacing("line 17\n", "new\n")).error
    assert error is not None
    assert error.status == "stale"
    assert why in error.what
    assert error.fix.endswith("hkgit read a.py")


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
