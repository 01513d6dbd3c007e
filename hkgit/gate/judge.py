"""judge.py: one function judges a commit under a policy.

A judgement says the verdict of replay, the rule that decided, and whether the policy lets the
commit pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hkgit.errors import Unverifiable
from hkgit.gate.floors import APPLY, entry_findings
from hkgit.gate.rulings import Ruling
from hkgit.git.repository import Repository
from hkgit.git.store import EMPTY_TREE
from hkgit.policy.agents import matches
from hkgit.policy.files import CONFIG, PYPROJECT, policy_value
from hkgit.policy.model import Grant, Policy
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.judging import replay
from hkgit.replay.messages import stray_trailers


@dataclass(frozen=True, slots=True)
class Gate:
    """The judge: a repository and a policy. `on_client` lets plain names use manual grants."""

    repository: Repository
    policy: Policy
    on_client: bool = False

    def judge(self, candidate: Candidate) -> Ruling:
        """The ruling on one commit."""
        try:
            return self._judge(candidate)
        except Unverifiable as error:
            finding = Finding.of("unverifiable", error)
            judged = Judged(candidate, Verdict.UNVERIFIABLE, findings=(finding,))
            return self._ruling(judged)

    def _judge(self, candidate: Candidate) -> Ruling:
        identities = (candidate.author, candidate.committer)
        agent = self.policy.governing_name(identities, candidate.message)
        judged = replay(self.repository, candidate)
        if judged is None:
            return self._without_evidence(candidate, agent)
        below = tuple(self._policy_findings(candidate, judged, agent))
        if below:
            judged = replace(judged, verdict=Verdict.FAIL, findings=judged.findings + below)
        return self._ruling(judged)

    def _ruling(self, judged: Judged, rule: str | None = None) -> Ruling:
        """What a verdict comes to; `rule` is the one that lets it pass, if it passes."""
        findings = judged.findings
        if not findings and judged.verdict not in self.policy.verdicts:
            what = f"the policy does not accept {judged.verdict}"
            findings = (Finding("verdict", "commit", what, APPLY),)
        if findings:
            return Ruling(judged, False, findings[0].rule, findings)
        return Ruling(judged, True, rule or f"verdict {judged.verdict}")

    def judge_any(self, candidates: Sequence[Candidate]) -> Ruling:
        """The ruling on a commit whose parents are not known yet: the first that passes."""
        rulings = [self.judge(candidate) for candidate in candidates]
        return next((ruling for ruling in rulings if ruling.passes), rulings[0])

    def _without_evidence(self, candidate: Candidate, agent: str | None) -> Ruling:
        """No entry accounts for what this commit changes: whose is it, and may they?"""
        notes = stray_trailers(candidate)
        if agent is None and self.policy.govern == "agents":
            judged = Judged(candidate, Verdict.UNGOVERNED, notes=notes)
            return self._ruling(judged, "author is not governed")
        paths = self._paths(candidate)
        grant = self._grant(candidate, paths)
        if grant is not None:
            return self._ruling(Judged(candidate, Verdict.MANUAL, notes=notes), grant)
        finding = _blind_commit(candidate, paths, agent)
        return self._ruling(Judged(candidate, Verdict.FAIL, findings=(finding,), notes=notes))

    def _paths(self, candidate: Candidate) -> list[str]:
        """Every path that the commit leaves unlike its first parent."""
        parent = self.repository.commit(candidate.parents[0]).tree if candidate.parents else None
        return [change.path for change in self.repository.changes(parent, candidate.tree)]

    def _grant(self, candidate: Candidate, paths: Sequence[str]) -> str | None:
        """The rule by which these paths may be changed by hand, or None."""
        for grant in self.policy.manual:
            if not grant.covers(paths):
                continue
            if self.on_client and matches(candidate.author, grant.names):
                return f"manual grant to {candidate.author} (by name: provisional)"
            if candidate.id is not None and grant.keys:
                principal = self.repository.verify_signature(candidate.id, _signers(grant))
                if principal is not None:
                    return "manual grant to the key that signed it"
        return None

    def _policy_findings(
        self, candidate: Candidate, judged: Judged, agent: str | None
    ) -> Iterator[Finding]:
        """Where a commit that replays falls below the policy's floors."""
        if judged.verdict is Verdict.FAIL or not (judged.entries or agent):
            return
        for _, entry in judged.entries:
            yield from entry_findings(self.policy, entry)
        changed = self._changed_policy(candidate, judged)
        if changed and self._grant(candidate, changed) is None:
            fix = "A person with a manual grant changes it."
            yield Finding("policy", ", ".join(changed), "changes the gate's policy", fix)

    def _changed_policy(self, candidate: Candidate, judged: Judged) -> list[str]:
        """The files whose policy has another value than in the parent; a merge adds none."""
        if judged.verdict is Verdict.MERGE:
            return []
        parent = candidate.parents[0] if candidate.parents else EMPTY_TREE
        before, after = map(self.repository.snapshot, (parent, candidate.tree))
        paths = [path for path in (PYPROJECT, CONFIG) if before.entry(path) != after.entry(path)]
        return [path for path in paths if policy_value(before, path) != policy_value(after, path)]


def _blind_commit(candidate: Candidate, paths: Sequence[str], agent: str | None) -> Finding:
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    if len(candidate.parents) > 2:
        fix = "Merge them one by one."
        return Finding("merge", shown, "has more than two parents, and no ledger entry", fix)
    if len(candidate.parents) == 2:
        what = "differs from the automatic merge of its parents, and has no ledger entry"
        fix = "Merge without changes of your own, and make those in a commit after it."
        return Finding("merge", shown, what, fix)
    who = f"{agent} is an agent" if agent is not None else "the policy governs everyone"
    return Finding("blind", shown, f"blind commit: no ledger entry, and {who}", APPLY)


def _signers(grant: Grant) -> str:
    """The grant's keys as git's file of allowed signers."""
    return "".join(f"granted {key}\n" for key in grant.keys)
