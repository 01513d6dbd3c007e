"""What a hook sees of the commit that git is making."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hkgit.errors import GitRefused
from tests.support.cases import cases
from tests.support.objects import open_repository
from tests.support.repos import Repo

PROBE = """
import json, pathlib, sys
from hkgit.git.repository import Repository
opened = Repository.discover(pathlib.Path.cwd(), in_hook=True)
found = [opened.index_tree(), opened.commit_in_progress_parents()]
pathlib.Path(sys.argv[1]).write_text(json.dumps(found))
"""


Seen = Callable[..., tuple[str, list[list[str]]]]


@pytest.fixture
def seen(repo: Repo, tmp_path: Path) -> Seen:
    """Runs git with a hook: the tree that this sees, and the parents that the commit may get."""

    def run(*args: str, where: Repo = repo) -> tuple[str, list[list[str]]]:
        answer, script = tmp_path / "answer.json", tmp_path / "probe.py"
        script.write_text(PROBE)
        for hook in ("pre-commit", "pre-merge-commit"):
            repo.write_hook(hook, f"exec '{sys.executable}' '{script}' '{answer}'")
        where.git(*args)
        tree, parents = json.loads(answer.read_text())
        return tree, parents

    return run


@pytest.fixture
def based(repo: Repo) -> Repo:
    repo.commit({"a": "1", "b": "1"}, "Base")
    return repo


@cases(
    "options",
    {"what is staged": (), "-a": ("-a",), "one path": ("--", "b"), "--amend": ("--amend",)},
)
def test_the_tree_of_the_index_is_the_one_that_is_committed(
    based: Repo, seen: Seen, options: tuple[str, ...]
) -> None:
    before = based.head
    based.write("a", "staged")
    based.git("add", "a")
    based.write("a", "not staged")
    based.write("b", "not staged either")
    tree, parents = seen("commit", "-q", "-m", "x", *options)
    assert tree == based.tree()
    assert parents == [[before], []]


def test_the_parents_of_an_amended_commit_are_among_the_candidates(based: Repo, seen: Seen) -> None:
    base, first = based.head, based.commit({"a": "2"})
    assert seen("commit", "-q", "--amend", "-m", "x")[1] == [[first], [base]]


def test_a_root_commit_has_no_parents(repo: Repo, seen: Seen) -> None:
    assert seen("commit", "-q", "--allow-empty", "-m", "x")[1] == [[]]


def test_a_commit_in_a_linked_worktree_is_seen(based: Repo, seen: Seen, tmp_path: Path) -> None:
    base = based.head
    linked = based.linked(tmp_path / "linked")
    linked.write("a", "2")
    assert seen("commit", "-q", "-am", "x", where=linked) == (linked.tree(), [[base], []])


def diverge(repo: Repo, ours: Mapping[str, str]) -> list[str]:
    """Commits on `main` and `side`, which changes `a`."""
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"a": "2"})
    repo.git("checkout", "-q", "main")
    return [repo.commit(ours), side]


def test_both_parents_of_a_clean_merge_are_known(based: Repo, seen: Seen) -> None:
    parents = diverge(based, {"b": "2"})
    assert seen("merge", "-q", "--no-edit", "side") == (based.tree(), [parents])


def test_both_parents_of_a_resolved_merge_are_known(based: Repo, seen: Seen) -> None:
    parents = diverge(based, {"a": "3"})
    based.git("merge", "-q", "side", check=False)
    with pytest.raises(GitRefused, match="unmerged"):
        open_repository(based).index_tree()
    based.write("a", "4")
    assert seen("commit", "-q", "-am", "Merge") == (based.tree(), [parents])


@pytest.mark.parametrize("options", [("--split-index",), ("--index-version", "4")])
def test_an_index_that_libgit2_cannot_read_is_read_by_git(
    repo: Repo, options: tuple[str, ...]
) -> None:
    repo.commit({"a": "1"})
    repo.git("update-index", *options)
    assert open_repository(repo).index_tree() == repo.tree()
