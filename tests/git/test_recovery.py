"""What a crash leaves, and what becomes of it: docs/transaction.md, row by row."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.git import health, locks
from hkgit.git.index import locked_index
from hkgit.git.journal import Journal, State, abandoned, begin, listed
from hkgit.git.recovery import Outcome, Settled, settle_abandoned
from hkgit.git.repository import Repository
from hkgit.git.transaction import transaction
from tests.repos import Repo

ID = "0123456789abcdef"
Files = Mapping[str, str | None]

pytestmark = pytest.mark.usefixtures("temporary_directory")


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"a": "1\n", "b": "1\n", "dir/c": "1\n"}, "Base")
    return repo


def commit_on(repo: Repo, files: Files) -> str:
    """A commit that no branch has yet."""
    opened = Repository.discover(repo.path)
    changed = {path: None if text is None else File(text.encode()) for path, text in files.items()}
    tree = opened.write_tree(repo.tree(), changed)
    return repo.git("commit-tree", tree, "-p", "HEAD", "-m", "Landed")


def started(repo: Repo, *, branch: str = "main", checkout: bool = True) -> Journal:
    """The journal of a transaction that has just begun."""
    opened = Repository.discover(repo.path)
    state = State(
        ID, "objects", os.getpid(), "here", 0, tempfile.gettempdir(), branch,
        opened.branch_tip(branch), checkout=str(opened.git_dir) if checkout else None,
    )  # fmt: skip
    return begin(opened.common_dir, state)


def crashed_after_the_move(repo: Repo, files: Files) -> str:
    """The branch has moved, the index is still locked, nothing else was done."""
    new = commit_on(repo, files)
    journal = started(repo)
    journal.note("landing", new)
    repo.git("update-ref", "refs/heads/main", new)
    repo.write(".git/index.lock", f"hkgit {ID}\n")
    journal.leave()
    return new


def settle(repo: Repo) -> Settled:
    """What the one transaction comes to."""
    [settled] = settle_abandoned(Repository.discover(repo.path))
    return settled


def expect_no_trace(repo: Repo) -> None:
    assert list((repo.path / ".git").rglob("*hkgit*")) == []
    assert not (repo.path / ".git" / "worktrees").exists()
    assert not (repo.path / ".git" / "index.lock").exists()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


# Before the branch moves


@pytest.mark.parametrize("step", ["objects", "worktree", "commit"])
def test_what_crashed_before_landing_has_landed_nothing(based: Repo, step: str) -> None:
    head = based.head
    journal = started(based)
    journal.note(step)
    journal.leave()
    assert settle(based).outcome is Outcome.NOTHING
    assert (based.head, based.status()) == (head, [])
    expect_no_trace(based)


def test_a_crash_right_before_the_move_has_landed_nothing(based: Repo) -> None:
    head, new = based.head, commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note("landing", new)
    based.write(".git/index.lock", f"hkgit {ID}\n")
    journal.leave()
    assert settle(based).outcome is Outcome.NOTHING
    assert (based.head, based.read("a"), based.status()) == (head, b"1\n", [])
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


def test_its_worktrees_and_its_ref_go_and_those_of_others_stay(
    based: Repo, tmp_path: Path, temporary_directory: Path
) -> None:
    theirs = tmp_path / "theirs"
    based.git("worktree", "add", "-q", "--detach", str(theirs))
    based.git("update-ref", "refs/hkgit/tx/fedcba9876543210", "HEAD")
    (temporary_directory / "hkgit-fedcba9876543210-x").mkdir()
    journal = started(based)
    ours = temporary_directory / f"hkgit-{ID}-abc"
    based.git("worktree", "add", "-q", "--detach", "--lock", str(ours))
    based.git("update-ref", journal.state.ref, "HEAD")
    journal.leave()
    settle(based)
    assert [path.name for path in temporary_directory.iterdir()] == ["hkgit-fedcba9876543210-x"]
    assert based.git("for-each-ref", "--format=%(refname)", "refs/hkgit/") == (
        "refs/hkgit/tx/fedcba9876543210"
    )
    listed = based.git("worktree", "list", "--porcelain").splitlines()
    assert [line for line in listed if line.startswith("worktree ")] == [
        f"worktree {based.path}",
        f"worktree {theirs}",
    ]


def test_a_packed_ref_goes_too(based: Repo) -> None:
    journal = started(based)
    based.git("update-ref", journal.state.ref, "HEAD")
    based.git("pack-refs", "--all")
    journal.leave()
    settle(based)
    assert based.git("for-each-ref", "refs/hkgit/") == ""


# Between the move of the branch and the checkout


def test_the_checkout_is_brought_along(based: Repo) -> None:
    new = crashed_after_the_move(based, {"a": "2\n", "b": None, "new/d": "4\n"})
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.status()) == (new, [])
    assert (based.read("a"), based.read("new/d")) == (b"2\n", b"4\n")
    expect_no_trace(based)


def test_local_changes_beside_it_stay(based: Repo) -> None:
    based.write("b", "staged\n")
    based.git("add", "b")
    based.write("dir/c", "mine\n")
    based.write("untracked", "mine\n")
    crashed_after_the_move(based, {"a": "2\n"})
    settle(based)
    assert based.status() == ["M  b", " M dir/c", "?? untracked"]
    assert (based.read("a"), based.read("b"), based.read("dir/c")) == (
        b"2\n", b"staged\n", b"mine\n",
    )  # fmt: skip


def removed(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def half_written(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"2 long")


def written(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"2 long line\n")


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        pytest.param("a", removed, id="a file was taken away to be written anew"),
        pytest.param("a", emptied, id="nothing of it was written"),
        pytest.param("a", half_written, id="a part of it was written"),
        pytest.param("a", written, id="it was written, but not the index"),
        pytest.param("b", removed, id="a file was removed"),
        pytest.param("new/d", half_written, id="a part of a new file was written"),
        pytest.param("new/d", written, id="a new file was written"),
    ],
)
def test_a_checkout_that_was_cut_short_is_completed(
    based: Repo, name: str, cut: Callable[[Path], None]
) -> None:
    text = "2 long line\n"
    new = crashed_after_the_move(based, {"a": text, "b": None, "new/d": text})
    cut(based.path / name)
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.status()) == (new, [])
    assert based.read("a") == based.read("new/d") == text.encode()


def test_a_directory_that_was_becoming_a_file_becomes_one(based: Repo) -> None:
    crashed_after_the_move(based, {"dir/c": None, "dir": "2\n", "a": None, "a/x": "2\n"})
    (based.path / "a").unlink()
    (based.path / "a").mkdir()
    assert settle(based).outcome is Outcome.LANDED
    assert (based.status(), based.read("dir"), based.read("a/x")) == ([], b"2\n", b"2\n")


def test_line_ends_of_the_checkout_are_not_taken_for_changes(based: Repo) -> None:
    based.git("config", "core.autocrlf", "true")
    crashed_after_the_move(based, {"a": "2\n3\n"})
    based.write("a", "2\r\n")
    assert settle(based).outcome is Outcome.LANDED
    assert (based.status(), based.read("a")) == ([], b"2\r\n3\r\n")


def test_a_crash_after_the_checkout_has_followed_is_only_cleared_away(based: Repo) -> None:
    old, new = based.head, crashed_after_the_move(based, {"a": "2\n"})
    lock = based.path / ".git" / "index.lock"
    lock.rename(based.path / ".git" / "aside")
    based.git("read-tree", "-m", "-u", old, new)
    (based.path / ".git" / "aside").rename(lock)
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.read("a"), based.status()) == (new, b"2\n", [])
    expect_no_trace(based)


def changed_since(repo: Repo) -> None:
    repo.write("a", "mine\n")


def staged_since(repo: Repo) -> None:
    (repo.path / ".git" / "index.lock").unlink()
    changed_since(repo)
    repo.git("add", "a")


def linked_since(repo: Repo) -> None:
    (repo.path / "a").unlink()
    (repo.path / "a").symlink_to("b")


@pytest.mark.parametrize("change", [changed_since, staged_since, linked_since])
def test_what_somebody_changed_since_is_kept_and_named(
    based: Repo, change: Callable[[Repo], None]
) -> None:
    crashed_after_the_move(based, {"a": "2\n", "b": "2\n"})
    change(based)
    kept = based.read("a")
    settled = settle(based)
    assert settled.outcome is Outcome.CUT
    assert "changed since: a\n" in str(settled.hindrance)
    assert (based.read("a"), based.read("b")) == (kept, b"1\n" if kept == b"mine\n" else kept)


def test_a_file_of_somebody_in_place_of_a_new_one_is_kept(based: Repo) -> None:
    crashed_after_the_move(based, {"new/d": "2\n"})
    based.write(".git/info/exclude", "new\n")
    based.write("new/d", "mine\n")
    assert "changed since: new/d\n" in str(settle(based).hindrance)
    assert based.read("new/d") == b"mine\n"


def test_nothing_outside_is_touched_through_a_link(based: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c").write_text("2\n")
    crashed_after_the_move(based, {"dir/c": "2\n"})
    (based.path / "dir" / "c").unlink()
    (based.path / "dir").rmdir()
    (based.path / "dir").symlink_to(outside)
    assert settle(based).outcome is Outcome.CUT
    assert (outside / "c").read_text() == "2\n"


def test_once_they_have_seen_to_it_the_checkout_is_brought_along(based: Repo) -> None:
    new = crashed_after_the_move(based, {"a": "2\n", "b": "2\n"})
    changed_since(based)
    assert settle(based).outcome is Outcome.CUT
    based.git("checkout", "HEAD", "--", "a")
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.status()) == (new, [])
    expect_no_trace(based)


def test_a_branch_that_went_on_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    (based.path / ".git" / "index.lock").unlink()
    head = based.commit({"b": "2\n"})
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.read("a")) == (head, b"1\n")


def test_a_checkout_that_is_on_another_branch_now_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    based.git("symbolic-ref", "HEAD", "refs/heads/other")
    based.git("update-ref", "refs/heads/other", "HEAD~", check=False)
    assert settle(based).outcome is Outcome.LANDED
    assert based.read("a") == b"1\n"


@pytest.mark.usefixtures("each_backend")
def test_the_checkout_of_another_worktree_is_brought_along(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    new = commit_on(linked, {"a": "2\n"})
    journal = started(linked, branch="topic")
    journal.note("landing", new)
    linked.git("update-ref", "refs/heads/topic", new)
    journal.leave()
    assert settle(based).outcome is Outcome.LANDED
    assert (linked.read("a"), linked.status(), based.read("a")) == (b"2\n", [], b"1\n")


def test_a_worktree_that_is_gone_needs_nothing(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    new = commit_on(linked, {"a": "2\n"})
    journal = started(linked, branch="topic")
    journal.note("landing", new)
    linked.git("update-ref", "refs/heads/topic", new)
    journal.leave()
    based.git("worktree", "remove", "--force", str(linked.path))
    assert settle(based).outcome is Outcome.LANDED
    expect_no_trace(based)


def test_a_branch_that_is_checked_out_nowhere_has_landed(based: Repo) -> None:
    based.git("branch", "topic")
    new = commit_on(based, {"a": "2\n"})
    journal = started(based, branch="topic", checkout=False)
    journal.note("landing", new)
    based.git("update-ref", "refs/heads/topic", new)
    journal.leave()
    assert settle(based).outcome is Outcome.LANDED
    assert based.read("a") == b"1\n"


def test_the_first_commit_of_all_is_brought_along(repo: Repo) -> None:
    tree = Repository.discover(repo.path).write_tree(None, {"a": File(b"1")})
    new = repo.git("commit-tree", tree, "-m", "Root")
    journal = started(repo)
    journal.note("landing", new)
    repo.git("update-ref", "refs/heads/main", new)
    journal.leave()
    assert settle(repo).outcome is Outcome.LANDED
    assert (repo.read("a"), repo.status()) == (b"1", [])


KILLED_WITH_ITS_GIT = """
import os, pathlib, sys
from hkgit.git.repository import Repository
from hkgit.git.transaction import transaction
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


def test_a_checkout_whose_git_died_in_the_middle_is_completed(based: Repo) -> None:
    based.git("config", "filter.broken.smudge", IN_BOTH)
    based.write(".git/info/attributes", "m filter=broken\n")
    based.write("b", "mine\n")
    new = commit_on(based, {"a": "2\n", "m": "2\n", "z": "2\n"})
    killed_with_its_git(based, new)
    assert (based.read("a"), (based.path / "z").exists()) == (b"2\n", False)
    based.git("config", "filter.broken.smudge", "cat")
    assert settle(based).outcome is Outcome.LANDED
    assert (based.head, based.status()) == (new, [" M b"])
    assert (based.read("m"), based.read("z")) == (b"2\n", b"2\n")
    expect_no_trace(based)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        pytest.param("prepared", Outcome.NOTHING, id="before the branch moved"),
        pytest.param("committed", Outcome.LANDED, id="after the branch moved"),
    ],
)
def test_what_a_git_left_that_died_while_it_moved_the_branch_is_cleared_away(
    based: Repo, state: str, outcome: Outcome
) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    hook = based.write_hook("reference-transaction", f"[ $1 = {state} ] && {IN_BOTH}; exit 0")
    killed_with_its_git(based, new)
    hook.unlink()
    assert settle(based).outcome is outcome
    assert (based.head, based.status()) == (old if outcome is Outcome.NOTHING else new, [])
    assert list((based.path / ".git").rglob("*.lock")) == []
    expect_no_trace(based)


# Locks


def test_a_lock_of_another_git_stays(based: Repo) -> None:
    lock = based.write(".git/index.lock", "")
    journal = started(based)
    journal.leave()
    settle(based)
    assert lock.exists()


def test_locks_that_a_killed_git_left_are_known_by_the_commit_in_them(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note("landing", new)
    branch, head = based.write(".git/refs/heads/main.lock", f"{new}\n"), based.write(
        ".git/HEAD.lock", ""
    )
    journal.leave()
    settle(based)
    assert not branch.exists()
    assert not head.exists()


def test_locks_of_another_move_of_the_branch_stay(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    journal = started(based)
    journal.note("landing", new)
    branch = based.write(".git/refs/heads/main.lock", f"{based.head}\n")
    head = based.write(".git/HEAD.lock", "")
    journal.leave()
    settle(based)
    assert branch.exists()
    assert head.exists()


def test_the_index_is_locked_for_others_while_a_transaction_lands(based: Repo) -> None:
    with locked_index(based.path / ".git", ID):
        based.write("a", "2\n")
        with pytest.raises(AssertionError, match=r"index\.lock"):
            based.git("add", "a")
    based.git("add", "a")
    assert based.status() == ["M  a"]


# Who is alive


def test_a_transaction_at_work_is_not_touched(based: Repo) -> None:
    opened = Repository.discover(based.path)
    with transaction(opened, branch="main", old=based.head, checkout=True) as begun:
        assert list(abandoned(opened.common_dir)) == []
        assert [state.id for state in health.running(opened)] == [begun.journal.state.id]
    assert listed(opened.common_dir) == []


LEAVE_A_CHILD = """
import os, pathlib, signal, sys
from hkgit.git import program
from hkgit.git.repository import Repository
from hkgit.git.transaction import transaction
opened = Repository.discover(pathlib.Path.cwd())
with transaction(opened, branch="main", old=opened.resolve("HEAD"), checkout=True):
    wait = "!touch child; kill -9 $PARENT; while [ -e child ]; do sleep 0.02; done"
    parent = {"PARENT": str(os.getpid())}
    program.run(["-c", f"alias.wait={wait}", "wait"], cwd=opened.work_tree, env=parent)
"""


def test_what_a_killed_process_left_running_keeps_its_transaction_alive(based: Repo) -> None:
    opened = Repository.discover(based.path)
    done = subprocess.run([sys.executable, "-c", LEAVE_A_CHILD], cwd=based.path)
    assert done.returncode == -9
    assert list(abandoned(opened.common_dir)) == []
    (based.path / "child").unlink()
    found: list[Journal] = []
    while not found:
        found = list(abandoned(opened.common_dir))
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
