"""hand.py: what a commit changes beside its entries needs somebody who may change it by hand."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.gate.case import Case
from hkgit.policy.agents import co_authors, matches
from hkgit.replay.findings import Finding, Verdict

HOSTS = ("github <noreply@github.com>", "gitlab <*", "*@users.noreply.gitlab.com>", "gitea <*")
"""Committers of squashes made by a button: they stand for nobody."""


def hand_findings(case: Case) -> Iterator[Finding]:
    """What is left over in a `mixed` commit, where neither a person nor a grant stands for it.

    A commit with entries is governed, whoever made it. So a person's name is enough only where
    the policy itself says that `mixed` passes.
    """
    left = case.judged.leftovers
    is_theirs = Verdict.MIXED in case.policy.verdicts and _has_person(case)
    if not left or is_theirs or case.grant([each.path for each in left]) is not None:
        return
    yield from (each.finding for each in left)


def _has_person(case: Case) -> bool:
    """Whether, where only agents are governed, somebody who is none has a part in the commit."""
    if case.policy.govern != "agents":
        return False
    candidate = case.candidate
    everyone = (candidate.author, candidate.committer, *co_authors(candidate.message or b""))
    return any(not case.policy.is_agent(name) and not matches(name, HOSTS) for name in everyone)
