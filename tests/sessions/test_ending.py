"""The end of sessions: by command, by their age, with the set-up; what waits keeps its evidence."""

import os
from pathlib import Path

import pytest

from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository
from hkgit.sessions import session_states as ending
from hkgit.sessions.homes import EXPIRY, find_folders, may_wait
from hkgit.workflows.setup import remove
from tests.sessions.committing import Work
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.sessions import TextSession


def names(work: Work) -> list[str]:
    return [folder.session for folder in ending.list_sessions(opened(work), work.repo.path)]


def opened(work: Work) -> Repository:
    return open_repository(work.repo)


def clean(work: Work, *named: str, force: bool = False) -> tuple[list[str], list[str]]:
    """What is removed, and what stays."""
    gone, kept = ending.clean(opened(work), work.repo.path, named, force=force, dry_run=False)
    return [each.session for each in gone], [each.session for each in kept]


def age(work: Work, name: str = "task") -> None:
    """Let a session be one that nobody has used for long."""
    state = work.repo.path / ".git" / "hkgit" / "sessions" / name / "state.json"
    old = state.stat().st_mtime - EXPIRY - 1
    os.utime(state, (old, old))


def test_only_sessions_without_edits_that_wait_are_cleaned(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    TextSession.open(work.repo.path, "reader").read("b.py")
    assert clean(work) == (["reader"], ["task"])
    assert clean(work, "task", force=True) == (["task"], [])
    with pytest.raises(InvalidInput, match="hkgit session list"):
        clean(work, "task")


def test_an_edit_that_was_taken_back_keeps_no_session(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("checkout", "-q", ".")
    assert clean(work) == (["task"], [])


def test_sessions_that_nobody_uses_expire_unless_an_edit_waits(work: Work) -> None:
    work.edit("line 5\n", "five\n")
    TextSession.open(work.repo.path, "reader").read("b.py")
    age(work)
    age(work, "reader")
    TextSession.open(work.repo.path, "new").read("b.py")
    assert names(work) == ["new", "task"]
    work.repo.git("checkout", "-q", ".")
    ending.expire(work.repo.path)
    assert names(work) == ["new"]


def test_a_damaged_journal_is_listed_and_can_be_removed(work: Work) -> None:
    work.desk.read("a.py")
    (work.desk.journal.folder / "state.json").write_text("{}\n")
    assert [each.damage for each in ending.list_sessions(opened(work), work.repo.path)] == [
        "is damaged"
    ]
    assert clean(work) == ([], ["task"])
    assert clean(work, force=True) == (["task"], [])


def test_without_the_set_up_there_is_no_state(work: Work, tmp_path: Path) -> None:
    work.edit("line 5\n", "five\n")
    work.repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    TextSession.open(tmp_path / "side", "aside").read("a.py")
    remove(opened(work))
    assert not (work.repo.path / ".git" / "hkgit").exists()
    assert find_folders(tmp_path / "side") == []


def commit_all(work: Work) -> None:
    work.repo.git("add", "-A")
    work.commit()


def past_the_hooks(work: Work) -> None:
    work.repo.git("commit", "-qam", "Past", "--no-verify")
    work.repo.commit({"b.py": "other\n"})


@cases(
    {
        "an edit stands": (lambda work: None, True),
        "it is committed": (commit_all, False),
        "taken back": (lambda work: work.repo.git("checkout", "-q", "."), False),
        "it may come back": (lambda work: work.repo.git("stash", "-q"), True),
        "committed past the hooks, today": (past_the_hooks, True),
        "undone": (lambda work: work.desk.undo(), False),
    },
)
def test_one_file_says_that_an_edit_waits(then: object, waits: bool, work: Work) -> None:
    work.edit("line 5\n", "five\n")
    assert callable(then)
    then(work)
    work.repo.write("c.py", "by hand\n")
    work.repo.git("add", "c.py")
    work.commit()
    assert may_wait(work.repo.path) is waits
