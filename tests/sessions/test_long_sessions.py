"""A session of many calls: the older ones are read from their files again, and none is lost."""

from pathlib import Path

import pytest

from hkgit.applying.planner import Options
from hkgit.sessions import call_journal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.homes import UNNAMED
from tests.sessions.committing import Work
from tests.support.repos import Repo
from tests.support.specs import search_replace


def edit(session: EditSession, old: str, new: str) -> None:
    assert session.edit_all([session.parse(search_replace(old, new, "a.txt"))], Options()).ok


@pytest.fixture
def session(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> EditSession:
    """A session of five calls, of which two are kept in memory."""
    monkeypatch.setattr(call_journal, "LATEST", 2)
    repo.commit({"a.txt": "line 0\n"})
    session = EditSession.open(repo.path, "s")
    session.read("a.txt")
    for number in range(5):
        edit(session, f"line {number}", f"line {number + 1}")
    return session


def test_calls_that_are_not_in_memory_are_those_of_the_files(
    session: EditSession, repo: Repo
) -> None:
    again = EditSession.open(repo.path, "s").journal.load()
    written = [[str(edit.edit) for edit in call.entries[0].edits] for call in again.effective]
    assert ["line 3\\n" in text for [text] in written] == [False, False, True, True, False]
    assert len(again._latest) == 2
    assert session.journal.load().effective == again.effective


def test_all_of_them_are_undone(session: EditSession, repo: Repo) -> None:
    session.undo(whole_session=True)
    assert Path(repo.path, "a.txt").read_bytes() == b"line 0\n"


def test_what_another_process_forgets_is_not_there(session: EditSession, repo: Repo) -> None:
    before = session.journal.load()
    other = EditSession.open(repo.path, "s").journal
    other.load()
    other.forget(other.effective[-1:])
    assert [each.id for each in before.effective][-1:] == [5]
    assert [each.id for each in session.journal.load().effective] == [5]


def test_calls_that_wait_for_no_commit_are_forgotten_but_for_the_last(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_journal, "KEPT", 1)
    work.repo.write("a.txt", "line 0\n")
    unnamed = EditSession.open(work.repo.path, UNNAMED)
    for number in range(5):
        edit(unnamed, f"line {number}", f"line {number + 1}")
    assert unnamed.journal.list_numbers() == [5]
    unnamed.undo()
    for number in range(3, 6):
        work.edit(f"line {number}\n", "new\n")
        work.commit(add="a.py")
    work.edit("line 6\n", "new\n")
    work.record()
    assert work.desk.journal.list_numbers() == [3, 4]
