"""What a hook sees of the commit that git is making."""

from __future__ import annotations

import json
import sys
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


class Probe:
    """A hook that writes down what it sees."""

    def __init__(self, repo: Repo, directory: Path) -> None:
        self.answer = directory / "answer.json"
        self.script = directory / "probe.py"
        self.script.write_text(PROBE)
        for hook in ("pre-commit", "pre-merge-commit"):
            repo.write_hook(hook, f"exec '{sys.executable}' '{self.script}' '{self.answer}'")

    @property
    def tree(self) -> str:
        return str(json.loads(self.answer.read_text())[0])

    @property
    def parents(self) -> list[list[str]]:
        found: list[list[str]] = json.loads(self.answer.read_text())[1]
        return found


@pytest.fixture
def probe(repo: Repo, tmp_path: Path) -> Probe:
    repo.commit({"a": "1", "b": "1"}, "Base")
    return Probe(repo, tmp_path)


@cases(
    "options",
    {"what is staged": (), "-a": ("-a",), "one path": ("--", "b"), "--amend": ("--amend",)},
)
def test_the_tree_of_the_index_is_the_one_that_is_committed(
    repo: Repo, probe: Probe, options: tuple[str, ...]
) -> None:
    repo.write("a", "staged")
    repo.git("add", "a")
    repo.write("a", "not staged")
    repo.write("b", "not staged either")
    repo.git("commit", "-q", "-m", "x", *options)
    assert probe.tree == repo.tree()


def test_the_parents_of_the_commit_are_among_the_candidates(repo: Repo, probe: Probe) -> None:
    base = repo.head
    first = repo.commit({"a": "2"})
    assert probe.parents == [[base], []]
    repo.commit({"a": "3"}, "Amended", "--amend")
    assert probe.parents == [[first], [base]]


def test_a_root_commit_has_no_parents(repo: Repo, tmp_path: Path) -> None:
    probe = Probe(repo, tmp_path)
    repo.commit({"a": "1"})
    assert probe.parents == [[]]


def test_a_commit_in_a_linked_worktree_is_seen(repo: Repo, probe: Probe, tmp_path: Path) -> None:
    base = repo.head
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.commit({"a": "2"})
    assert probe.tree == linked.tree()
    assert probe.parents == [[base], []]


def test_both_parents_of_a_clean_merge_are_known(repo: Repo, probe: Probe) -> None:
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"a": "2"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit({"b": "2"})
    repo.git("merge", "-q", "--no-edit", "side")
    assert probe.tree == repo.tree()
    assert probe.parents == [[tip, side]]


def test_both_parents_of_a_resolved_merge_are_known(repo: Repo, probe: Probe) -> None:
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit({"a": "2"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit({"a": "3"})
    repo.git("merge", "-q", "side", check=False)
    repo.commit({"a": "4"}, "Merge")
    assert probe.tree == repo.tree()
    assert probe.parents == [[tip, side]]


def test_an_index_in_conflict_has_no_tree(repo: Repo) -> None:
    repo.commit({"a": "1"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a": "2"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a": "3"})
    repo.git("merge", "-q", "side", check=False)
    with pytest.raises(GitRefused, match="unmerged"):
        open_repository(repo).index_tree()


@pytest.mark.parametrize("options", [("--split-index",), ("--index-version", "4")])
def test_an_index_that_libgit2_cannot_read_is_read_by_git(
    repo: Repo, options: tuple[str, ...]
) -> None:
    repo.commit({"a": "1"})
    repo.git("update-index", *options)
    assert open_repository(repo).index_tree() == repo.tree()
