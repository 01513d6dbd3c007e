"""`hkgit ledger prune`: entries leave the tree, and the gate still derives every commit."""

import pytest

from tests.support.commits import edited_thrice
from tests.support.repos import Repo
from tests.support.running import run


@pytest.fixture
def edited(repo: Repo) -> Repo:
    return edited_thrice(repo)


def entries(repo: Repo, rev: str = "HEAD") -> set[str]:
    """The paths in the ledger of a commit."""
    listed = repo.git("ls-tree", "-r", "--name-only", rev, ".hkgit/ledger")
    return set(listed.splitlines())


def test_a_prune_lands_and_the_whole_history_still_passes(edited: Repo) -> None:
    done = run("ledger", "prune", "--yes", cwd=edited.path)
    assert done.code == 0, done.err
    assert "Prune 3 entries" in done.out, done.err
    assert entries(edited) == set()
    assert edited.status() == []
    verified = run("verify", "HEAD~4..HEAD", "--json", cwd=edited.path).json()
    verdicts = [each["replay"] for each in verified["commits"]]
    assert verified["passes"] is True
    assert verdicts == ["strict"] * 3 + ["prune"]


@pytest.mark.parametrize("is_of_merge", [False, True])
def test_the_newest_may_stay(edited: Repo, is_of_merge: bool) -> None:
    newest = entries(edited) - entries(edited, "HEAD^")
    if is_of_merge:
        side = edited.git("commit-tree", "HEAD~2^{tree}", "-p", "HEAD~2", "-m", "Side")
        parents = ("-p", "HEAD^", "-p", side)
        merge = edited.git("commit-tree", "HEAD^{tree}", *parents, "-m", "Merge")
        edited.git("reset", "-q", "--hard", merge)
    done = run("ledger", "prune", "--keep", "1", "--json", cwd=edited.path).json()
    assert len(done["entries"]) == 2
    assert newest <= entries(edited)


@pytest.mark.parametrize("options", [("--yes",), ("--keep", "2")], ids=["all", "but two"])
def test_a_prune_leaves_nothing_for_the_next_one(edited: Repo, options: tuple[str, ...]) -> None:
    run("ledger", "prune", *options, cwd=edited.path)
    done = run("ledger", "prune", *options, cwd=edited.path)
    assert done.code == 4
    assert "nothing to prune" in done.err


def test_only_what_a_revision_has_may_go(edited: Repo) -> None:
    old = entries(edited, "HEAD~2")
    run("ledger", "prune", "--before", "HEAD~2", cwd=edited.path)
    assert entries(edited, "HEAD^") - entries(edited) == old


def test_all_of_them_go_only_where_that_is_said(edited: Repo) -> None:
    before = edited.head
    dry = run("ledger", "prune", "--dry-run", cwd=edited.path)
    assert dry.out == "3 entries could be removed\n"
    done = run("ledger", "prune", cwd=edited.path)
    assert done.code == 4
    assert "3 entries would go" in done.err
    assert edited.head == before
    command = done.err.partition("To do it: hkgit ")[2].partition(";")[0]
    assert run(*command.split(), cwd=edited.path).code == 0
    assert edited.head != before
