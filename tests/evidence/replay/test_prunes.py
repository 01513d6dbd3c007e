"""Commits that take entries out of the tree; entries never come back as new."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hkgit.edits import File
from hkgit.evidence.entry import entry_name, entry_path
from hkgit.evidence.replay import find_removals
from hkgit.evidence.verdict import Verdict
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from tests.support.cases import cases
from tests.support.commits import (
    LINES,
    Change,
    applied,
    commit,
    edited_thrice,
    judge,
    rejection,
    verdict,
)
from tests.support.gating import opened
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo
from tests.support.rulings import judge_whole


def ids(repo: Repo, rev: str = "HEAD") -> list[str]:
    """The ids of the entries in a commit's tree."""
    listed = repo.git("ls-tree", "-r", "--name-only", rev, ".hkgit/ledger").splitlines()
    return sorted(filter(None, map(entry_name, listed)))


def pruned(names: Sequence[str]) -> Change:
    """A commit that removes entries."""
    return Change({entry_path(each): None for each in names}, message="Prune\n")


@pytest.fixture
def edited(repo: Repo) -> Repo:
    return edited_thrice(repo)


def test_removing_entries_is_a_prune_and_they_are_replayed_as_before(edited: Repo) -> None:
    start, first = edited.resolve("HEAD~3"), ids(edited)[0]
    commit(edited, pruned([first]))
    assert verdict(edited) is Verdict.PRUNE
    assert judge(edited).judged.removed == (entry_path(first),)
    edited.git("rm", "-rq", ".hkgit/ledger")
    edited.git("commit", "-qm", "Prune by hand as well")
    asked = CommitRange(start, edited.head)
    report = judge_whole(opened(edited), asked, Policy(), has_trusted_side=False)
    found = [ruling.judged.verdict for ruling in report.rulings]
    assert found == ["strict"] * 3 + ["prune"] * 2
    edited.git("revert", "--no-edit", "HEAD")
    assert verdict(edited) is Verdict.REVERT


def test_what_a_shallow_clone_has_fetched_meanwhile_is_asked_again(
    edited: Repo, tmp_path: Path
) -> None:
    gone = ids(edited)[0]
    commit(edited, pruned([gone]))
    edited.commit({"b.txt": "x\n"})
    edited.git("clone", "-q", "--depth=1", edited.path.as_uri(), str(tmp_path / "shallow"))
    clone = opened(Repo(tmp_path / "shallow"))
    assert find_removals(clone, edited.head) == {}
    clone.git("fetch", "-q", "--unshallow")
    assert find_removals(clone, edited.head) == {entry_path(gone): (edited.resolve("HEAD~1"),)}


def with_an_entry(repo: Repo) -> Change:
    change = applied(repo, protocol(replace_range("a.txt", repo.read("a.txt"), 2, 2, "zwei")))
    change.files |= pruned(ids(repo)).files
    return change


def with_a_record_of_its_own(repo: Repo) -> Change:
    change = pruned(ids(repo))
    change.files[f".hkgit/ledger/00/{'0' * 62}.json"] = File(b"{}\n")
    return change


@cases(
    "attack",
    {
        "an entry beside it": with_an_entry,
        "a record that is no entry": with_a_record_of_its_own,
    },
)
def test_anything_else_is_no_prune(edited: Repo, attack: Callable[[Repo], Change]) -> None:
    commit(edited, attack(edited))
    assert rejection(edited) == "entry"


def test_only_entries_of_the_trusted_side_are_pruned(edited: Repo) -> None:
    """A branch does not bring an entry and take it away before anybody else has it."""
    commit(edited, pruned(ids(edited)))
    trusted = edited.resolve("HEAD~2")
    asked = CommitRange(trusted, edited.head)
    *_, ruling = judge_whole(opened(edited), asked, Policy()).rulings
    assert (ruling.passes, ruling.rule) == (False, "prune")
    assert "the trusted side does not have" in ruling.findings[0].what


def test_a_pruned_entry_does_not_come_back_as_new(edited: Repo) -> None:
    start = edited.resolve("HEAD~3")
    change = applied(edited, protocol(replace_range("a.txt", LINES, 1, 1, "line 1")), on=start)
    commit(edited, pruned(ids(edited)))
    edited.commit({"a.txt": LINES}, "Back by hand")
    commit(edited, Change({"a.txt": change.files["a.txt"]}, change.entries))
    assert rejection(edited) == "reuse"


def test_no_name_of_a_file_hides_that_an_entry_was_pruned(edited: Repo) -> None:
    """Before there was a gate, anything may have been in the ledger's directory."""
    gone, odd = entry_path(ids(edited)[0]), f".hkgit/ledger/\ncommit {edited.head}"
    edited.commit({odd: "x\n"})
    commit(edited, Change({odd: None, gone: None}))
    assert find_removals(opened(edited), edited.head)[gone] == (edited.head,)
