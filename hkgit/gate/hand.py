"""hand.py: what no entry accounts for needs somebody who may change it by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.gate.case import Case
from hkgit.gate.floors import APPLY
from hkgit.git.repository import Repository
from hkgit.policy.agents import co_authors, matches
from hkgit.replay.findings import Candidate, Finding, Verdict

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


def changed_paths(repository: Repository, candidate: Candidate) -> list[str]:
    """Every path that a commit changes; of a merge, where it is not what git makes of it.

    So a merge that drops a side changes all that the side brought.
    """
    if len(candidate.parents) == 2:
        first, second = candidate.parents
        how = repository.resolved_merge((first, second), candidate.tree)
        return sorted({*how.conflicts, *how.others})
    parents: Sequence[str | None] = candidate.parents or (None,)
    trees = (None if each is None else repository.commit(each).tree for each in parents)
    changes = (repository.changes(tree, candidate.tree) for tree in trees)
    return sorted({change.path for each in changes for change in each})


def blind_commit(candidate: Candidate, paths: Sequence[str], agent: str | None) -> Finding:
    """Why a commit without evidence does not pass."""
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    if len(candidate.parents) > 2:
        fix = "Merge them one by one."
        return Finding("merge", shown, "has more than two parents, and no ledger entry", fix)
    if len(candidate.parents) == 2:
        what = "differs from the automatic merge of its parents, and has no ledger entry"
        fix = (
            "Merge without changes of your own, and make those in a commit after it. Conflicts are"
            " resolved by a spec: git merge --abort, then"
            f" hkgit apply --merge {candidate.parents[1][:12]} SPEC"
        )
        return Finding("merge", shown, what, fix)
    who = f"{agent} is an agent" if agent is not None else "the policy governs everyone"
    return Finding("blind", shown, f"blind commit: no ledger entry, and {who}", APPLY)
