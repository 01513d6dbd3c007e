"""A crash between the move of the branch and the checkout, which is then brought along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.git.transaction.transaction import Outcome
from tests.git.transactions.crashes import crashed_after_the_move, expect_no_trace, settle, started
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

pytestmark = pytest.mark.usefixtures("temporary_directory")


def test_the_checkout_is_brought_along(based: Repo) -> None:
    new = crashed_after_the_move(based, {"a": "2\n", "b": None, "new/d": "4\n"})
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.status() == []
    assert based.read("a") == b"2\n"
    assert based.read("new/d") == b"4\n"
    expect_no_trace(based)


def test_local_changes_beside_it_stay(based: Repo) -> None:
    based.write("b", "staged\n")
    based.git("add", "b")
    based.write("dir/c", "mine\n")
    based.write("untracked", "mine\n")
    crashed_after_the_move(based, {"a": "2\n"})
    settle(based)
    assert based.status() == ["M  b", " M dir/c", "?? untracked"]
    assert based.read("a") == b"2\n"
    assert based.read("b") == b"staged\n"
    assert based.read("dir/c") == b"mine\n"


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


@cases(
    "name, cut",
    {
        "a file was taken away to be written anew": ("a", removed),
        "nothing of it was written": ("a", emptied),
        "a part of it was written": ("a", half_written),
        "it was written, but not the index": ("a", written),
        "a file was removed": ("b", removed),
        "a part of a new file was written": ("new/d", half_written),
        "a new file was written": ("new/d", written),
    },
)
def test_a_checkout_that_was_cut_short_is_completed(
    based: Repo, name: str, cut: Callable[[Path], None]
) -> None:
    text = "2 long line\n"
    new = crashed_after_the_move(based, {"a": text, "b": None, "new/d": text})
    cut(based.path / name)
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.status() == []
    assert based.read("a") == based.read("new/d") == text.encode()


def test_a_directory_that_was_becoming_a_file_becomes_one(based: Repo) -> None:
    crashed_after_the_move(based, {"dir/c": None, "dir": "2\n", "a": None, "a/x": "2\n"})
    (based.path / "a").unlink()
    (based.path / "a").mkdir()
    assert settle(based).outcome is Outcome.LANDED
    assert based.status() == []
    assert based.read("dir") == b"2\n"
    assert based.read("a/x") == b"2\n"


def test_line_ends_of_the_checkout_are_not_taken_for_changes(based: Repo) -> None:
    based.git("config", "core.autocrlf", "true")
    crashed_after_the_move(based, {"a": "2\n3\n"})
    based.write("a", "2\r\n")
    assert settle(based).outcome is Outcome.LANDED
    assert based.status() == []
    assert based.read("a") == b"2\r\n3\r\n"


def test_a_crash_after_the_checkout_has_followed_is_only_cleared_away(based: Repo) -> None:
    old, new = based.head, crashed_after_the_move(based, {"a": "2\n"})
    lock = based.path / ".git" / "index.lock"
    lock.rename(based.path / ".git" / "aside")
    based.git("read-tree", "-m", "-u", old, new)
    (based.path / ".git" / "aside").rename(lock)
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.read("a") == b"2\n"
    assert based.status() == []
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
def test_what_somebody_changed_since_is_kept_and_named_until_they_have_seen_to_it(
    based: Repo, change: Callable[[Repo], None]
) -> None:
    new = crashed_after_the_move(based, {"a": "2\n", "b": "2\n"})
    change(based)
    kept = based.read("a")
    settled = settle(based)
    assert settled.outcome is Outcome.CUT
    assert "changed since: a\n" in str(settled.hindrance)
    assert based.read("a") == kept
    assert based.read("b") == (b"1\n" if kept == b"mine\n" else kept)
    based.git("checkout", "HEAD", "--", "a")
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == new
    assert based.status() == []
    expect_no_trace(based)


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


def test_a_branch_that_went_on_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    (based.path / ".git" / "index.lock").unlink()
    head = based.commit({"b": "2\n"})
    assert settle(based).outcome is Outcome.LANDED
    assert based.head == head
    assert based.read("a") == b"1\n"


def test_a_checkout_that_is_on_another_branch_now_is_left_alone(based: Repo) -> None:
    crashed_after_the_move(based, {"a": "2\n"})
    based.git("symbolic-ref", "HEAD", "refs/heads/other")
    based.git("update-ref", "refs/heads/other", "HEAD~", check=False)
    assert settle(based).outcome is Outcome.LANDED
    assert based.read("a") == b"1\n"


@pytest.fixture
def linked(based: Repo, tmp_path: Path) -> Repo:
    """A worktree of its own on a branch `topic`."""
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    return Repo(tmp_path / "linked")


@pytest.mark.usefixtures("each_backend")
def test_the_checkout_of_another_worktree_is_brought_along(based: Repo, linked: Repo) -> None:
    crashed_after_the_move(linked, {"a": "2\n"}, branch="topic")
    assert settle(based).outcome is Outcome.LANDED
    assert linked.read("a") == b"2\n"
    assert linked.status() == []
    assert based.read("a") == b"1\n"


def test_a_worktree_that_is_gone_needs_nothing(based: Repo, linked: Repo) -> None:
    crashed_after_the_move(linked, {"a": "2\n"}, branch="topic")
    based.git("worktree", "remove", "--force", str(linked.path))
    assert settle(based).outcome is Outcome.LANDED
    expect_no_trace(based)


def test_a_branch_that_is_checked_out_nowhere_has_landed(based: Repo) -> None:
    based.git("branch", "topic")
    crashed_after_the_move(based, {"a": "2\n"}, branch="topic", checkout=False)
    assert settle(based).outcome is Outcome.LANDED
    assert based.read("a") == b"1\n"


def test_the_first_commit_of_all_is_brought_along(repo: Repo) -> None:
    tree = open_repository(repo).write_tree(None, {"a": File(b"1")})
    new = repo.git("commit-tree", tree, "-m", "Root")
    journal = started(repo)
    journal.note("landing", new)
    repo.git("update-ref", "refs/heads/main", new)
    journal.leave()
    assert settle(repo).outcome is Outcome.LANDED
    assert repo.read("a") == b"1"
    assert repo.status() == []
