"""Commits that take entries out of the tree, with a manifest; entries never come back as new."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from jsonschema import Draft202012Validator

from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.evidence.entry import digest, entry_name, entry_path
from hkgit.evidence.prune_manifest import MAX_ENTRIES, Manifest, read_manifest
from hkgit.evidence.verdict import Verdict
from hkgit.gate.commit_range import CommitRange, judge_range
from hkgit.gate.policy.model import Policy
from hkgit.text.schemas import load_schema
from tests.support.commits import (
    LINES,
    Change,
    applied,
    commit,
    edited_thrice,
    judge,
    verdict,
)
from tests.support.entries import written
from tests.support.gating import opened
from tests.support.planning import protocol, replace_range
from tests.support.repos import Repo


def ids(repo: Repo, rev: str = "HEAD") -> list[str]:
    """The ids of the entries in a commit's tree."""
    listed = repo.git("ls-tree", "-r", "--name-only", rev, ".hkgit/ledger").splitlines()
    return sorted(map(entry_name, listed))


def pruned(named: Sequence[str], removed: Sequence[str] | None = None) -> Change:
    """A commit that removes entries and says so."""
    manifest = Manifest.of(named, {"time": 0}).to_bytes()
    files: dict[str, File | None] = {
        entry_path(each): None for each in (named if removed is None else removed)
    }
    return Change(files | {entry_path(digest(manifest)): File(manifest)}, message="Prune\n")


@pytest.fixture
def edited(repo: Repo) -> Repo:
    return edited_thrice(repo)


def test_removing_entries_with_a_manifest_is_a_prune(edited: Repo) -> None:
    first = ids(edited)[0]
    commit(edited, pruned([first]))
    assert verdict(edited) is Verdict.PRUNE
    assert judge(edited).judged.removed == (entry_path(first),)


def test_pruned_entries_are_replayed_as_before(edited: Repo) -> None:
    commit(edited, pruned(ids(edited)))
    start = edited.git("rev-parse", "HEAD~4")
    asked = CommitRange(start, edited.head)
    report = judge_range(opened(edited), asked, Policy(), has_trusted_side=False).collect()
    assert [ruling.judged.verdict for ruling in report.rulings] == ["strict"] * 3 + ["prune"]


def test_a_manifest_may_be_pruned(edited: Repo) -> None:
    commit(edited, pruned(ids(edited)))
    commit(edited, pruned(ids(edited)))
    assert verdict(edited) is Verdict.PRUNE


def test_a_prune_may_be_taken_back(edited: Repo) -> None:
    commit(edited, pruned(ids(edited)))
    edited.git("revert", "--no-edit", "HEAD")
    assert verdict(edited) is Verdict.REVERT


def with_a_change(repo: Repo) -> Change:
    change = pruned(ids(repo))
    change.files["a.txt"] = File(b"smuggled\n")
    return change


def with_an_entry(repo: Repo) -> Change:
    change = applied(repo, protocol(replace_range("a.txt", repo.read("a.txt"), 2, 2, "zwei")))
    change.files |= pruned(ids(repo)).files
    return change


def misnamed(repo: Repo) -> Change:
    change = pruned(ids(repo))
    *_, path = change.files
    change.files[f".hkgit/ledger/00/{'0' * 62}.json"] = change.files.pop(path)
    return change


@pytest.mark.parametrize(
    ("attack", "rule"),
    [
        pytest.param(
            lambda repo: Change({entry_path(ids(repo)[0]): None}, message="x"),
            "entry",
            id="no manifest",
        ),
        pytest.param(lambda repo: pruned(ids(repo), ids(repo)[:2]), "prune", id="more are named"),
        pytest.param(lambda repo: pruned(ids(repo)[:2], ids(repo)), "prune", id="fewer are named"),
        pytest.param(lambda repo: pruned(["0" * 64], ids(repo)[:1]), "prune", id="another named"),
        pytest.param(with_a_change, "prune", id="a change beside it"),
        pytest.param(with_an_entry, "prune", id="an entry beside it"),
        pytest.param(misnamed, "entry", id="a manifest under another name"),
    ],
)
def test_anything_else_is_no_prune(edited: Repo, attack: object, rule: str) -> None:
    assert callable(attack)
    commit(edited, attack(edited))
    ruling = judge(edited)
    assert ruling.passes is False
    assert ruling.rule == rule


def test_only_entries_of_the_trusted_side_are_pruned(edited: Repo) -> None:
    """A branch does not bring an entry and take it away before anybody else has it."""
    commit(edited, pruned(ids(edited)))
    trusted = edited.git("rev-parse", "HEAD~2")
    asked = CommitRange(trusted, edited.head)
    *_, ruling = judge_range(opened(edited), asked, Policy()).collect().rulings
    assert ruling.passes is False
    assert ruling.rule == "prune"
    assert "the trusted side does not have" in ruling.findings[0].what


def test_a_pruned_entry_does_not_come_back_as_new(edited: Repo) -> None:
    start = edited.git("rev-parse", "HEAD~3")
    change = applied(edited, protocol(replace_range("a.txt", LINES, 1, 1, "line 1")), on=start)
    commit(edited, pruned(ids(edited)))
    edited.commit({"a.txt": LINES}, "Back by hand")
    commit(edited, Change({"a.txt": change.files["a.txt"]}, change.entries))
    ruling = judge(edited)
    assert ruling.passes is False
    assert ruling.rule == "reuse"


# The manifest


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"entries": []}, id="no entries"),
        pytest.param({"entries": ["b" * 64, "a" * 64]}, id="out of order"),
        pytest.param({"entries": ["a" * 64, "a" * 64]}, id="one twice"),
        pytest.param({"entries": ["A" * 64]}, id="no id"),
        pytest.param({"entries": ["a" * 64], "more": 1}, id="an unknown key"),
    ],
)
def test_a_manifest_names_each_entry_once_and_in_order(document: object) -> None:
    with pytest.raises(InvalidInput):
        read_manifest(written({"schema": 1, "prune": document, "claims": {}}))


@pytest.mark.parametrize("count", [0, MAX_ENTRIES + 1])
def test_a_manifest_names_so_many_entries_and_no_more(count: int) -> None:
    with pytest.raises(InvalidInput, match="names 1 to"):
        Manifest.of([f"{number:064x}" for number in range(count)], {})


def test_a_manifest_is_read_as_it_was_written() -> None:
    manifest = Manifest.of(["b" * 64, "a" * 64], {"time": 1})
    assert read_manifest(manifest.to_bytes()) == manifest


def test_a_manifest_is_valid_by_the_schema() -> None:
    manifest = json.loads(Manifest.of(["a" * 64], {"time": 1}).to_bytes())
    Draft202012Validator(load_schema("manifest")).validate(manifest)
