"""Which branch moves, and when it is refused; whichever checkout it is on follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.errors import GitRefused, HkgitError
from tests.git.transactions.landing import commit_on, everything, land
from tests.support.objects import open_repository
from tests.support.repos import Repo


def test_a_branch_that_moved_is_refused(based: Repo) -> None:
    old, new = based.head, commit_on(based, {"a": "2\n"})
    based.commit({"b": "theirs\n"})
    before = everything(based)
    with pytest.raises(GitRefused, match="the branch has moved"):
        land(based, new, old=old)
    assert everything(based) == before


def test_a_branch_is_made_where_there_is_none(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    land(based, new, branch="topic/x", old=None, checkout=False)
    assert based.resolve("topic/x") == new
    assert based.status() == []
    with pytest.raises(GitRefused, match="the branch has moved"):
        land(based, new, branch="topic/x", old=None, checkout=False)


def test_a_branch_that_is_not_checked_out_moves_alone(based: Repo) -> None:
    based.git("branch", "topic")
    new = commit_on(based, {"a": "2\n"})
    land(based, new, branch="topic", checkout=False)
    assert based.resolve("topic") == new
    assert based.read("a") == b"1\n"


def test_the_first_commit_of_all_can_land(repo: Repo) -> None:
    tree = open_repository(repo).write_tree(None, {"a": File(b"1")})
    new = repo.git("commit-tree", tree, "-m", "Root")
    repo.write("b", "mine")
    land(repo, new, old=None)
    assert repo.head == new
    assert repo.read("a") == b"1"
    assert repo.status() == ["?? b"]


@pytest.mark.parametrize("name", ["main/below", "a..b", "ends.lock", "-d", "HEAD"])
def test_a_name_that_no_branch_can_have_is_refused(based: Repo, name: str) -> None:
    before = everything(based)
    with pytest.raises(HkgitError):
        land(based, based.head, branch=name, old=None, checkout=False)
    assert everything(based) == before


def test_a_branch_that_another_worktree_is_on_is_refused(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    with pytest.raises(GitRefused, match="is checked out in"):
        land(based, commit_on(based, {"a": "2\n"}), branch="topic", checkout=False)


def test_a_checkout_that_is_on_another_branch_is_refused(based: Repo) -> None:
    new = commit_on(based, {"a": "2\n"})
    for switch in (("checkout", "-q", "--detach"), ("checkout", "-q", "-b", "other")):
        based.git(*switch)
        with pytest.raises(GitRefused, match="is not the branch of this checkout"):
            land(based, new)


def test_a_bare_repository_lands_without_a_checkout(
    based: Repo, make_repo: Callable[..., Repo]
) -> None:
    bare = make_repo("bare.git", bare=True)
    based.git("push", "-q", str(bare.path), "main")
    new = commit_on(bare, {"a": "2\n"}, "main")
    land(bare, new, old="main", checkout=False)
    assert bare.resolve("main") == new


def test_the_linked_worktree_that_the_user_stands_in_follows(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "topic", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("b", "mine\n")
    new = commit_on(linked, {"a": "2\n"})
    land(Repo(linked.path / "dir"), new, branch="topic")
    assert linked.head == new
    assert linked.read("a") == b"2\n"
    assert linked.status() == [" M b"]
    assert based.read("a") == b"1\n"
    assert based.status() == []
