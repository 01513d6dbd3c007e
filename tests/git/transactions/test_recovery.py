"""What a crash leaves, and what becomes of it: docs/transaction.md, row by row."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hkgit.git.transaction import locks
from hkgit.git.transaction.index import lock_index
from hkgit.git.transaction.journal import TransactionJournal, find_abandoned, list_transactions
from hkgit.git.transaction.transaction import Outcome, transaction
from hkgit.workflows import health
from tests.git.transactions.crashes import ID, expect_no_trace, settle, started
from tests.git.transactions.landing import commit_on
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

pytestmark = pytest.mark.usefixtures("temporary_directory")


# Before the branch moves


@pytest.mark.parametrize("step", ["objects", "worktree", "commit", "landing"])
def test_what_crashed_before_the_branch_moved_has_landed_nothing(based: Repo, step: str) -> None:
    head, new = based.head, commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note(step, new)
    based.write(".git/index.lock", f"hkgit {ID}\n")
    journal.leave()
    assert settle(based).outcome is Outcome.NOTHING
    assert based.head == head
    assert based.read("a") == b"1\n"
    assert based.status() == []
    expect_no_trace(based)


@pytest.mark.parametrize("content", [b"", b"{", b'{"id": "x"}\n', b"[]\n", b"\xff\n"])
def test_a_journal_that_says_nothing_is_cleared_away(based: Repo, content: bytes) -> None:
    journal = started(based)
    journal.leave()
    journal.path.write_bytes(content)
    assert settle(based).outcome is Outcome.NOTHING
    expect_no_trace(based)


def test_a_line_that_was_cut_does_not_count(based: Repo) -> None:
    journal = started(based)
    journal.note("worktree")
    journal.leave()
    with journal.path.open("ab") as stream:
        stream.write(b'{"id": "0123456789abcdef", "step": "land')
    assert settle(based).state.step == "worktree"


def test_its_worktrees_go_and_those_of_others_stay(
    based: Repo, tmp_path: Path, temporary_directory: Path
) -> None:
    theirs = tmp_path / "theirs"
    based.git("worktree", "add", "-q", "--detach", str(theirs))
    (temporary_directory / "hkgit-fedcba9876543210-x").mkdir()
    journal = started(based)
    ours = temporary_directory / f"hkgit-{ID}-abc"
    based.git("worktree", "add", "-q", "--detach", "--lock", str(ours))
    journal.leave()
    settle(based)
    assert [path.name for path in temporary_directory.iterdir()] == ["hkgit-fedcba9876543210-x"]
    listed = based.git("worktree", "list", "--porcelain").splitlines()
    assert [line for line in listed if line.startswith("worktree ")] == [
        f"worktree {based.path}",
        f"worktree {theirs}",
    ]


# Killed together with git


KILLED_WITH_ITS_GIT = """
import os, pathlib, sys
from hkgit.git.repository import Repository
from hkgit.git.transaction.transaction import transaction
opened = Repository.discover(pathlib.Path.cwd())
os.environ["PYTHON"] = str(os.getpid())
with transaction(opened, branch="main", old=opened.resolve("HEAD"), checkout=True) as begun:
    begun.land(sys.argv[1], reflog="x")
"""
IN_BOTH = "kill -9 $PYTHON $PPID"


def killed_with_its_git(repo: Repo, new: str) -> None:
    """Land in a process of its own, which something kills together with the git it has started.

    What that git has started in turn dies later, and holds the journal until it is gone.
    """
    command = [sys.executable, "-c", KILLED_WITH_ITS_GIT, new]
    assert subprocess.run(command, cwd=repo.path).returncode == -9
    [journal] = (repo.path / ".git" / "hkgit" / "tx").iterdir()
    held = locks.wait_for(journal, seconds=60)
    assert held is not None
    os.close(held)


KILLED_WHILE_WRITING = """
import os
from hkgit.applying import files as directory
from hkgit.applying.files import take_place
def dying(place, *args):
    if place.name == "m":
        os.kill(os.getpid(), 9)
    return take_place(place, *args)
directory.take_place = dying
"""


def test_a_checkout_half_written_is_completed(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n", "m": "2\n", "z": "2\n"})
    command = [sys.executable, "-c", KILLED_WHILE_WRITING + KILLED_WITH_ITS_GIT, new]
    assert subprocess.run(command, cwd=based.path).returncode == -9
    assert based.read("a") == b"2\n"
    assert not (based.path / "z").exists()
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.status() == []
    expect_no_trace(based)


def test_a_checkout_whose_git_died_in_the_middle_is_completed(based: Repo) -> None:
    based.git("config", "filter.broken.smudge", IN_BOTH)
    based.write(".git/info/attributes", "m filter=broken\n")
    based.write("b", "mine\n")
    new = commit_on(based, {"a": "2\n", "m": "2\n", "z": "2\n"})
    killed_with_its_git(based, new)
    based.git("config", "filter.broken.smudge", "cat")
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.status() == [" M b"]
    assert based.read("m") == b"2\n"
    assert based.read("z") == b"2\n"
    expect_no_trace(based)


@cases(
    "state, outcome",
    {
        "before the branch has moved": ("prepared", Outcome.NOTHING),
        "after the branch has moved": ("committed", Outcome.LANDED),
    },
)
def test_what_a_git_left_that_died_while_it_moved_the_branch_is_cleared_away(
    based: Repo, state: str, outcome: Outcome
) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    hook = based.write_hook("reference-transaction", f"[ $1 = {state} ] && {IN_BOTH}; exit 0")
    killed_with_its_git(based, new)
    hook.unlink()
    assert settle(based).outcome is outcome
    assert based.head == (old if outcome is Outcome.NOTHING else new)
    assert based.status() == []
    assert list((based.path / ".git").rglob("*.lock")) == []
    expect_no_trace(based)


# Locks


def test_a_lock_of_another_git_stays(based: Repo) -> None:
    lock = based.write(".git/index.lock", "")
    journal = started(based)
    journal.leave()
    settle(based)
    assert lock.exists()


@pytest.mark.parametrize("is_ours", [True, False], ids=["of this move", "of another move"])
def test_a_lock_that_a_killed_git_left_is_known_by_the_commit_in_it(
    based: Repo, is_ours: bool
) -> None:
    new = commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note("landing", new)
    branch = based.write(".git/refs/heads/main.lock", f"{new if is_ours else based.head}\n")
    head = based.write(".git/HEAD.lock", "")
    journal.leave()
    settle(based)
    assert branch.exists() == (not is_ours)
    assert head.exists() == (not is_ours)


def test_the_index_is_locked_for_others_while_a_transaction_lands(based: Repo) -> None:
    with lock_index(based.path / ".git", ID):
        based.write("a", "2\n")
        with pytest.raises(AssertionError, match=r"index\.lock"):
            based.git("add", "a")
    based.git("add", "a")
    assert based.status() == ["M  a"]


# Who is alive


def test_a_transaction_at_work_is_not_touched(based: Repo) -> None:
    opened = open_repository(based)
    with transaction(opened, branch="main", old=based.head, checkout=True) as begun:
        assert list(find_abandoned(opened.common_dir)) == []
        assert [state.id for state in health.list_running(opened)] == [begun.journal.state.id]
    assert list_transactions(opened.common_dir) == []


LEAVE_A_CHILD = """
import os, pathlib, signal, sys
from hkgit.git.program import Git
from hkgit.git.repository import Repository
from hkgit.git.transaction.transaction import transaction
opened = Repository.discover(pathlib.Path.cwd())
with transaction(opened, branch="main", old=opened.resolve("HEAD"), checkout=True):
    wait = "!touch child; kill -9 $PARENT; while [ -e child ]; do sleep 0.02; done"
    parent = {"PARENT": str(os.getpid())}
    Git(opened.work_tree, parent)("-c", f"alias.wait={wait}", "wait")
"""


def test_what_a_killed_process_left_running_keeps_its_transaction_alive(based: Repo) -> None:
    opened = open_repository(based)
    done = subprocess.run([sys.executable, "-c", LEAVE_A_CHILD], cwd=based.path)
    assert done.returncode == -9
    assert list(find_abandoned(opened.common_dir)) == []
    (based.path / "child").unlink()
    found: list[TransactionJournal] = []
    while not found:
        found = list(find_abandoned(opened.common_dir))
    found[0].leave()
    assert settle(based).outcome is Outcome.NOTHING


@pytest.mark.parametrize("shared", ["group", "umask"])
def test_the_journal_of_a_shared_repository_is_shared(tmp_path: Path, shared: str) -> None:
    repo = Repo(tmp_path / "shared")
    former = os.umask(0o077)
    try:
        subprocess.run(["git", "init", "-q", f"--shared={shared}", str(repo.path)], check=True)
        repo.commit({"a": "1\n"})
        journal = started(repo)
    finally:
        os.umask(former)
    folder, objects = journal.path.parent.stat(), (repo.path / ".git" / "objects").stat()
    mode = journal.path.stat().st_mode
    journal.close()
    assert folder.st_mode == objects.st_mode
    assert mode & 0o777 == objects.st_mode & 0o666
