"""manual.py: judge changes that no entry accounts for: somebody must be allowed to make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.evidence.ledger.names import ATTRIBUTES_PATH, LEDGER
from hkgit.evidence.replay.findings import BLIND, CandidateCommit, Finding, Verdict
from hkgit.gate.case import JudgedCommit
from hkgit.gate.context import JudgeContext
from hkgit.gate.policy.agents import find_co_authors, matches
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.floors import APPLY
from hkgit.gate.rules.grants import VOUCH, explain_refused_voucher
from hkgit.git.repository import Repository

HOSTS = ("github <noreply@github.com>", "gitlab <*", "*@users.noreply.gitlab.com>", "gitea <*")
"""Committers of hosted squash merges; not treated as people."""


def hand_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find changes beside a commit's entries that neither a person nor a grant allows.

    A commit with entries is governed, whoever made it. So a person's name is enough only where
    the policy itself says that `mixed` passes.
    """
    left = case.judged.leftovers
    is_theirs = Verdict.MIXED in case.policy.verdicts and _has_person(case)
    if not left or is_theirs or case.grant([each.path for each in left]) is not None:
        return
    yield from (each.finding for each in left)


def _has_person(case: JudgedCommit) -> bool:
    """Whether, where only agents are governed, somebody who is none has a part in the commit."""
    if case.policy.govern != "agents":
        return False
    candidate = case.candidate
    everyone = (candidate.author, candidate.committer, *find_co_authors(candidate.message or b""))
    return any(not case.policy.is_agent(name) and not matches(name, HOSTS) for name in everyone)


OF_EVIDENCE = frozenset(
    {BLIND, "tier", "confidence", "tightness", "ladder", "claimed", "recovered", "verdict"}
)
"""Rules by which evidence is missing or weak; those by which it is false are not among them."""
_LEFT = ("bytes", "mode")
_OWN = (f"{LEDGER}/", ATTRIBUTES_PATH)


def find_vouched_paths(case: JudgedCommit, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Find what a person would vouch for in a commit with entries; nothing if none can.

    Nobody vouches for evidence that is false: for entries that do not replay, or for other bytes
    than they make in a file of theirs.
    """
    judged = case.judged
    if not judged.entries or judged.verdict in (Verdict.FAIL, Verdict.UNVERIFIABLE):
        return ()
    files = [file for _, entry in judged.entries for file in entry.files]
    names = {name for file in files for name in (file.path, file.new_path)}
    left = {each.path for each in judged.leftovers}
    known = (each.rule in OF_EVIDENCE or (left and each.rule in _LEFT) for each in findings)
    if left & names or not all(known):
        return ()
    paths = find_changed_paths(case.repository, case.candidate)
    return tuple(path for path in paths if not path.startswith(_OWN))


def refuse_vouchers(
    policy: Policy, candidate: CandidateCommit, paths: Sequence[str], context: JudgeContext
) -> tuple[Finding, ...]:
    """Say why whoever the message names may not vouch for it."""
    why = explain_refused_voucher(policy, candidate, paths, context)
    return () if why is None else (Finding(BLIND, "Hkgit-Vouched-by", *why),)


def find_changed_paths(repository: Repository, candidate: CandidateCommit) -> list[str]:
    """Find every path that a commit changes; of a merge, where it is not what git makes of it.

    So a merge that drops a side changes all that the side brought.
    """
    if len(candidate.parents) == 2:
        first, second = candidate.parents
        how = repository.resolve_merge((first, second), candidate.tree)
        return sorted({*how.conflicts, *how.others})
    parents: Sequence[str | None] = candidate.parents or (None,)
    trees = (None if each is None else repository.commit(each).tree for each in parents)
    changes = (repository.changes(tree, candidate.tree) for tree in trees)
    return sorted({change.path for each in changes for change in each})


_NAMES = (
    "A [[gate.manual]] covers this by name alone, and names count in clones only, not under"
    " --range, --ci or on a server: give that grant keys, principals or pushers."
)


def explain_blind_commit(
    policy: Policy, candidate: CandidateCommit, paths: Sequence[str], agent: str | None
) -> Finding:
    """Say why a commit without evidence does not pass."""
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
    fix = _way(policy, candidate, paths, agent)
    return Finding(BLIND, shown, f"blind commit: no ledger entry, and {who}", fix)


def _way(
    policy: Policy, candidate: CandidateCommit, paths: Sequence[str], agent: str | None
) -> str:
    """What whoever made a commit without evidence can do: an agent, a bot, or a person."""
    if any(
        grant.covers(paths) and matches(candidate.author, grant.names) for grant in policy.manual
    ):
        return f"{_NAMES} {APPLY}"
    if agent is not None and "[bot]" in agent.lower():
        listed = ", ".join(f'"{path}"' for path in paths[:5])
        return (
            f"{APPLY} Or let the bot change these by hand: [[gate.manual]] with paths = [{listed}]"
            " and keys (what signs its commits), or pushers on a server."
        )
    if agent is not None and any(grant.covers(paths) for grant in policy.manual):
        return f"{APPLY} Or a person whom the policy grants these paths vouches for it: {VOUCH}"
    return APPLY
