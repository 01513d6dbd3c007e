"""The gate: whose commits are held to what, and by which policy (contract, section 10)."""

from dataclasses import replace

import pytest

from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.evidence.verdict import CandidateCommit, Verdict
from hkgit.gate.commit_range import CommitRange, list_commits_of
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from tests.support.cases import cases
from tests.support.commits import AGENT, PERSON, Change, applied, commit, judge, rejection, verdict
from tests.support.gating import begun, blind, by_hand, good, opened
from tests.support.planning import Operation, protocol
from tests.support.repos import Repo


@pytest.fixture
def started(repo: Repo) -> Repo:
    return begun(repo)


# Who is governed


def test_a_person_who_brings_an_entry_is_held_to_it(started: Repo) -> None:
    change = replace(applied(started, protocol(blind())), author=PERSON)
    commit(started, change)
    assert judge(started).rule == "blind"


def test_a_policy_may_govern_everyone_or_name_its_own_agents(started: Repo) -> None:
    commit(started, by_hand("My Robot <robot@example.org>"))
    assert judge(started).passes
    assert rejection(started, policy=Policy(agents=("my robot*",))) == "blind"
    assert rejection(started, policy=Policy(govern="all")) == "blind"
    [finding] = judge(started, policy=Policy(govern="all")).findings
    assert "the policy governs everyone" in finding.what
    assert rejection(started, policy=Policy(verdicts=("strict",))) == "verdict"
    [finding] = judge(started, policy=Policy(verdicts=("strict",))).findings
    assert finding.what == "the policy does not accept ungoverned"


# Floors


@cases(
    "policy, rule",
    {
        "none": (Policy(), "verdict strict"),
        "evidence": (Policy(accept=("receipt",)), "blind"),
        "tiers": (Policy(tiers=("exact",)), "tier"),
        "tiers and confidence it meets": (
            Policy(tiers=("exact", "range"), min_confidence=1000),
            "verdict strict",
        ),
        "verdicts": (Policy(verdicts=("merge",)), "verdict"),
    },
)
def test_floors_only_tighten(started: Repo, policy: Policy, rule: str) -> None:
    commit(started, applied(started, protocol(good())))
    ruling = judge(started, policy=policy)
    assert ruling.rule == rule
    assert ruling.passes == (rule == "verdict strict")


@pytest.mark.parametrize("accept", ["quote", "none"])
def test_weaker_evidence_may_be_accepted(started: Repo, accept: str) -> None:
    operation: Operation = {
        "op": "replace_text",
        "path": "a.txt",
        "old_text": "two\n",
        "new_text": "zwei\n",
    }
    commit(started, applied(started, protocol(operation if accept == "quote" else blind())))
    assert verdict(started, policy=Policy(accept=(accept,))) is Verdict.STRICT


def test_what_came_before_since_is_left_alone(started: Repo) -> None:
    old = started.head
    commit(started, by_hand(PERSON, "By hand\n"))
    commit(started, Change({"a.txt": File(b"x\n")}, message="Blind\n"))
    repository, asked = opened(started), CommitRange(old, started.head)
    assert list_commits_of(repository, asked, Policy(since="HEAD~1")) == [started.head]
    with pytest.raises(InvalidInput, match="is not a commit here"):
        list_commits_of(repository, asked, Policy(since="v0"))


def test_amending_is_judged_on_either_parent(started: Repo) -> None:
    """A hook is not told of --amend, so what passes on HEAD's parent passes too."""
    commit(started, applied(started, protocol(good())))
    gate = Gate(opened(started), Policy())
    candidates = [
        CandidateCommit(None, started.tree(), parents, AGENT, AGENT, None)
        for parents in ((), (started.resolve("HEAD^"),))
    ]
    assert gate.judge_any(candidates).judged.verdict is Verdict.STRICT
