"""Where a repository is found, and what it answers about refs and configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.objects import Head
from hkgit.git.repository import Repository
from tests.support.objects import open_repository
from tests.support.repos import Repo


@pytest.fixture
def opened(repo: Repo) -> Repository:
    return open_repository(repo)


def test_a_directory_outside_any_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GitRefused, match="is not in a git repository"):
        Repository.discover(tmp_path)


def test_a_repository_is_found_from_a_directory_inside_it(repo: Repo) -> None:
    (repo.path / "deep" / "down").mkdir(parents=True)
    assert Repository.discover(repo.path / "deep" / "down").work_tree == repo.path


def test_grafts_are_refused_because_they_forge_parents(repo: Repo) -> None:
    first = repo.commit()
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{first}\n")
    with pytest.raises(GitRefused, match="info/grafts"):
        Repository.discover(repo.path)


def test_a_bare_repository_has_no_work_tree(make_repo: Callable[..., Repo]) -> None:
    bare = Repository.discover(make_repo("bare.git", bare=True).path)
    assert bare.is_bare is True
    assert bare.work_tree is None


def test_a_linked_worktree_shares_the_common_directory(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repository.discover(tmp_path / "linked")
    assert linked.work_tree == tmp_path / "linked"
    assert linked.git_dir == repo.path / ".git" / "worktrees" / "linked"
    assert linked.common_dir == repo.path / ".git"


# Refs and configuration


@pytest.mark.usefixtures("each_backend")
def test_head_on_a_branch_detached_and_unborn(repo: Repo) -> None:
    opened = open_repository(repo)
    assert opened.head() == Head("main", None)
    first = repo.commit()
    assert opened.head() == Head("main", first)
    repo.git("checkout", "-q", "--detach")
    assert opened.head() == Head(None, first)


@pytest.mark.usefixtures("each_backend")
def test_a_branch_has_a_tip_or_is_not_there(repo: Repo) -> None:
    head, opened = repo.commit(), open_repository(repo)
    repo.git("branch", "topic/one")
    for _ in range(2):
        assert [opened.branch_tip("topic/one"), opened.branch_tip("nope")] == [head, None]
        repo.git("pack-refs", "--all")


@pytest.mark.parametrize("name", ["a b", "a..b", "-d", "x.lock", "HEAD", ""])
def test_a_branch_name_that_git_forbids_is_invalid(opened: Repository, name: str) -> None:
    with pytest.raises(InvalidInput):
        opened.branch_tip(name)


def test_branches_are_checked_out_somewhere(repo: Repo, opened: Repository, tmp_path: Path) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side tree"))
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "detached"))
    expected = {"main": repo.path, "side": tmp_path / "side tree"}
    assert opened.list_checked_out_branches() == expected


def test_configuration_is_read_as_git_reads_it(repo: Repo, opened: Repository) -> None:
    repo.write("more", "[hkgit]\n\tvalue = included\n")
    repo.git("config", "include.path", str(repo.path / "more"))
    assert opened.config("hkgit.value") == "included"
    assert opened.config("hkgit.absent") is None
