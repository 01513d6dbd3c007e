"""What a crash leaves, and what becomes of it: docs/transaction.md, row by row."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hkgit.git.state_files import find_files
from hkgit.git.transaction import locks
from hkgit.git.transaction.index import lock_index
from hkgit.git.transaction.journal import (
    TransactionJournal,
    TransactionState,
    begin,
    find_abandoned,
    list_transactions,
)
from hkgit.git.transaction.transaction import Outcome, Settled, settle_abandoned, transaction
from hkgit.workflows import health
from tests.git.transactions.landing import (
    Files,
    commit_on,
    expect_checkout,
    expect_no_trace,
    list_worktrees,
    root_commit,
)
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

pytestmark = pytest.mark.usefixtures("temporary_directory")

ID = "0123456789abcdef"


def started(repo: Repo, *, branch: str = "main", checkout: bool = True) -> TransactionJournal:
    """The journal of a transaction that has just begun."""
    opened = open_repository(repo)
    state = TransactionState(
        ID,
        "objects",
        os.getpid(),
        "here",
        0,
        tempfile.gettempdir(),
        branch,
        opened.branch_tip(branch),
        checkout=str(opened.git_dir) if checkout else None,
    )
    return begin(opened.common_dir, state)


def crashed_after_the_move(
    repo: Repo, files: Files, *, branch: str = "main", checkout: bool = True
) -> str:
    """The branch has moved, the index is still locked, nothing else was done."""
    new = commit_on(repo, files)
    journal = started(repo, branch=branch, checkout=checkout)
    journal.note("landing", new)
    repo.git("update-ref", f"refs/heads/{branch}", new)
    if checkout:
        lock = open_repository(repo).git_dir / "index.lock"
        lock.write_text(f"hkgit {ID}\n")
    journal.leave()
    return new


def settle(repo: Repo) -> Settled:
    """What the one transaction comes to."""
    [settled] = settle_abandoned(open_repository(repo))
    return settled


def expect_landed(repo: Repo, new: str, files: Files, *status: str) -> None:
    """Settled, the commit and the checkout are there, and nothing of the transaction is."""
    assert settle(repo).outcome is Outcome.LANDED
    expect_checkout(repo, new, files, status)
    expect_no_trace(repo)


# Before the branch moves


@pytest.mark.parametrize("step", ["objects", "worktree", "commit", "landing"])
def test_what_crashed_before_the_branch_moved_has_landed_nothing(based: Repo, step: str) -> None:
    head, new = based.head, commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note(step, new)
    based.write(".git/index.lock", f"hkgit {ID}\n")
    journal.leave()
    assert settle(based).outcome is Outcome.NOTHING
    expect_checkout(based, head, {"a": "1\n"})
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
    theirs = based.linked(tmp_path / "theirs", "--detach")
    (temporary_directory / "hkgit-fedcba9876543210-x").mkdir()
    journal = started(based)
    based.linked(temporary_directory / f"hkgit-{ID}-abc", "--detach", "--lock")
    journal.leave()
    settle(based)
    assert [path.name for path in temporary_directory.iterdir()] == ["hkgit-fedcba9876543210-x"]
    assert list_worktrees(based) == [based.path, theirs.path]


# Between the move of the branch and the checkout, which is then brought along


def test_the_checkout_is_brought_along(based: Repo) -> None:
    files: Files = {"a": "2\n", "b": None, "new/d": "4\n"}
    expect_landed(based, crashed_after_the_move(based, files), files)


def test_local_changes_beside_it_stay(based: Repo) -> None:
    based.shell("echo staged >b; git add b; echo mine >dir/c; echo mine >untracked")
    new = crashed_after_the_move(based, {"a": "2\n"})
    files = {"a": "2\n", "b": "staged\n", "dir/c": "mine\n"}
    expect_landed(based, new, files, "M  b", " M dir/c", "?? untracked")


@cases(
    "cut",
    {
        "a file was taken away to be written anew": "rm a",
        "nothing of it was written": ": >a",
        "a part of it was written": "printf '2 long' >a",
        "it was written, but not the index": "echo 2 long line >a",
        "a file was removed": "rm b",
        "a part of a new file was written": "mkdir new; printf '2 long' >new/d",
        "a new file was written": "mkdir new; echo 2 long line >new/d",
    },
)
def test_a_checkout_that_was_cut_short_is_completed(based: Repo, cut: str) -> None:
    text = "2 long line\n"
    files: Files = {"a": text, "b": None, "new/d": text}
    new = crashed_after_the_move(based, files)
    based.shell(cut)
    expect_landed(based, new, files)


def test_a_directory_that_was_becoming_a_file_becomes_one(based: Repo) -> None:
    files: Files = {"dir": "2\n", "a/x": "2\n"}
    new = crashed_after_the_move(based, {"dir/c": None, "a": None, **files})
    based.shell("rm a; mkdir a")
    expect_landed(based, new, files)


def test_line_ends_of_the_checkout_are_not_taken_for_changes(based: Repo) -> None:
    based.git("config", "core.autocrlf", "true")
    new = crashed_after_the_move(based, {"a": "2\n3\n"})
    based.write("a", "2\r\n")
    expect_landed(based, new, {"a": "2\r\n3\r\n"})


def test_a_crash_after_the_checkout_has_followed_is_only_cleared_away(based: Repo) -> None:
    new = crashed_after_the_move(based, {"a": "2\n"})
    based.shell("mv .git/index.lock .git/aside; git read-tree -m -u HEAD~ HEAD")
    based.shell("mv .git/aside .git/index.lock")
    expect_landed(based, new, {"a": "2\n"})


@cases(
    "change",
    {
        "changed": "echo mine >a",
        "staged": "rm .git/index.lock; echo mine >a; git add a",
        "a link": "rm a; ln -s b a",
    },
)
def test_what_somebody_changed_since_is_kept_and_named_until_they_have_seen_to_it(
    based: Repo, change: str
) -> None:
    new = crashed_after_the_move(based, {"a": "2\n", "b": "2\n"})
    based.shell(change)
    kept = based.read("a")
    settled = settle(based)
    assert settled.outcome is Outcome.CUT
    assert "changed since: a\n" in str(settled.hindrance)
    assert (based.read("a"), based.read("b")) == (kept, b"1\n")
    based.git("checkout", "HEAD", "--", "a")
    expect_landed(based, new, {"a": "2\n", "b": "2\n"})


def test_a_file_of_somebody_in_place_of_a_new_one_is_kept(based: Repo) -> None:
    crashed_after_the_move(based, {"new/d": "2\n"})
    based.write(".git/info/exclude", "new\n")
    based.write("new/d", "mine\n")
    assert "changed since: new/d\n" in str(settle(based).hindrance)
    assert based.read("new/d") == b"mine\n"


def test_nothing_outside_is_touched_through_a_link(based: Repo, tmp_path: Path) -> None:
    crashed_after_the_move(based, {"dir/c": "2\n"})
    outside = tmp_path / "outside"
    based.shell(f"rm -r dir; mkdir {outside}; echo 2 >{outside}/c; ln -s {outside} dir")
    assert settle(based).outcome is Outcome.CUT
    assert (outside / "c").read_text() == "2\n"


def test_a_branch_that_went_on_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    (based.path / ".git" / "index.lock").unlink()
    head = based.commit({"b": "2\n"})
    expect_landed(based, head, {"a": "1\n"})


def test_a_checkout_that_is_on_another_branch_now_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    based.git("symbolic-ref", "HEAD", "refs/heads/other")
    based.git("update-ref", "refs/heads/other", "HEAD~", check=False)
    assert settle(based).outcome is Outcome.LANDED
    assert based.read("a") == b"1\n"


@pytest.fixture
def linked(based: Repo, tmp_path: Path) -> Repo:
    """A worktree of its own on a branch `topic`."""
    return based.linked(tmp_path / "linked", "-b", "topic")


@pytest.mark.usefixtures("each_backend")
def test_the_checkout_of_another_worktree_is_brought_along(based: Repo, linked: Repo) -> None:
    new = crashed_after_the_move(linked, {"a": "2\n"}, branch="topic")
    assert settle(based).outcome is Outcome.LANDED
    expect_checkout(linked, new, {"a": "2\n"})
    assert based.read("a") == b"1\n"


def test_a_worktree_that_is_gone_needs_nothing(based: Repo, linked: Repo) -> None:
    crashed_after_the_move(linked, {"a": "2\n"}, branch="topic")
    based.git("worktree", "remove", "--force", str(linked.path))
    expect_landed(based, based.head, {"a": "1\n"})


def test_a_branch_that_is_checked_out_nowhere_has_landed(based: Repo) -> None:
    based.git("branch", "topic")
    crashed_after_the_move(based, {"a": "2\n"}, branch="topic", checkout=False)
    expect_landed(based, based.head, {"a": "1\n"})


def test_the_first_commit_of_all_is_brought_along(repo: Repo) -> None:
    new, journal = root_commit(repo), started(repo)
    journal.note("landing", new)
    repo.git("update-ref", "refs/heads/main", new)
    journal.leave()
    expect_landed(repo, new, {"a": "1\n"})


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
WRITTEN = {"a": "2\n", "m": "2\n", "z": "2\n"}


def test_a_checkout_half_written_is_completed(based: Repo) -> None:
    new = commit_on(based, WRITTEN)
    command = [sys.executable, "-c", KILLED_WHILE_WRITING + KILLED_WITH_ITS_GIT, new]
    assert subprocess.run(command, cwd=based.path).returncode == -9
    assert based.read("a") == b"2\n"
    assert not (based.path / "z").exists()
    expect_landed(based, new, WRITTEN)


def test_a_checkout_whose_git_died_in_the_middle_is_completed(based: Repo) -> None:
    based.git("config", "filter.broken.smudge", IN_BOTH)
    based.write(".git/info/attributes", "m filter=broken\n")
    based.write("b", "mine\n")
    new = commit_on(based, WRITTEN)
    killed_with_its_git(based, new)
    based.git("config", "filter.broken.smudge", "cat")
    expect_landed(based, new, WRITTEN, " M b")


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
    expect_checkout(based, old if outcome is Outcome.NOTHING else new, {})
    expect_no_trace(based)


# Locks


def test_a_lock_of_another_git_stays(based: Repo) -> None:
    lock = based.write(".git/index.lock", "")
    started(based).leave()
    settle(based)
    assert lock.exists()


@pytest.mark.parametrize("is_ours", [True, False], ids=["of this move", "of another move"])
def test_a_lock_that_a_killed_git_left_is_known_by_the_commit_in_it(
    based: Repo, is_ours: bool
) -> None:
    new, journal = commit_on(based, {"a": "2\n"}), started(based)
    journal.note("landing", new)
    branch = based.write(".git/refs/heads/main.lock", f"{new if is_ours else based.head}\n")
    head = based.write(".git/HEAD.lock", "")
    journal.leave()
    settle(based)
    assert [branch.exists(), head.exists()] == [not is_ours] * 2


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


# What hkgit's own directories hold, while other processes make and remove them


def test_what_fits_is_found_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.lock"):
        (tmp_path / name).touch()
    assert find_files(tmp_path, "*.jsonl") == [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]


def test_a_directory_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert find_files(tmp_path / "none", "*") == []


def test_nobody_fails_where_another_comes_and_goes(tmp_path: Path) -> None:
    directory = tmp_path / "tx"
    script = "import os\nwhile True: os.mkdir('tx'); os.rmdir('tx')"
    other = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path)
    try:
        while not directory.exists():
            assert other.poll() is None
        assert {tuple(find_files(directory, "*")) for _ in range(5000)} == {()}
    finally:
        other.kill()
        other.wait()
