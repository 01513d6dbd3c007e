"""gate.py: one function judges commits under a policy; the rest finds out which and which policy.

A judgement says, for each commit, the verdict of replay, the rule that decided, and whether the
policy lets it pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hkgit.applying.evidence import KINDS
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from hkgit.git.store import EMPTY_TREE
from hkgit.ledger.entry import Entry, RecordedEdit
from hkgit.ledger.trailers import decimal
from hkgit.policy import CONFIG, PYPROJECT, Grant, Policy, matches, policy_value
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.judging import replay
from hkgit.replay.messages import stray_trailers

REJECTED = "hkgit-rejected"
"""The file that the gate, as a hook of a transaction, leaves in the git directory it judged."""

_APPLY = "Make the change with `hkgit apply`, each edit with the hash of what was read."


@dataclass(frozen=True, slots=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy lets it pass."""

    judged: Judged
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The rulings of one run of the gate; provisional on a client, whose hooks can be skipped."""

    policy: Policy
    rulings: tuple[Ruling, ...]
    provisional: bool = False

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or all(ruling.passes for ruling in self.rulings)


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
            findings = (Finding("verdict", "commit", what, _APPLY),)
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


def entry_findings(policy: Policy, entry: Entry) -> Iterator[Finding]:
    """Where an entry falls below a policy's floors."""
    if policy.ladders is not None and entry.ladder not in policy.ladders:
        yield Finding("ladder", "ledger entry", f"ladder {entry.ladder} is not accepted", _APPLY)
    for edit in entry.edits:
        yield from _edit_findings(policy, edit)


def _edit_findings(policy: Policy, edit: RecordedEdit) -> Iterator[Finding]:
    where = edit.where
    if edit.evidence not in policy.accept:
        what = f"blind edit: its evidence is {edit.evidence}, accepted are"
        fix = f"Give its hash: `hkgit read {where}` prints the one to pass with --expect."
        yield Finding("blind", where, f"{what} {', '.join(policy.accept)}", fix)
    if policy.tiers is not None and edit.tier not in policy.tiers:
        yield Finding("tier", where, f"tier {edit.tier} is not accepted", "Quote the file exactly.")
    if edit.confidence < policy.min_confidence:
        floor = decimal(policy.min_confidence)
        what = f"confidence {decimal(edit.confidence)} is below {floor}"
        yield Finding("confidence", where, what, "Quote the file exactly.")


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
    return Finding("blind", shown, f"blind commit: no ledger entry, and {who}", _APPLY)


def _signers(grant: Grant) -> str:
    """The grant's keys as git's file of allowed signers."""
    return "".join(f"granted {key}\n" for key in grant.keys)


def candidate_of(repository: Repository, commit_id: str) -> Candidate:
    """A commit that exists, as something to judge."""
    commit = repository.commit(commit_id)
    return Candidate(
        commit.id, commit.tree, commit.parents, commit.author, commit.committer, commit.message
    )


def split_range(argument: str) -> tuple[str, str]:
    """The two sides of `A..B`. Raises InvalidInput for anything else."""
    old, dots, new = argument.partition("..")
    if not dots or not old or not new or new.startswith(".") or ".." in new:
        raise InvalidInput(argument, "is not a range A..B", "Write OLD..NEW, with two dots.")
    return old, new


def commits_of(repository: Repository, old: str, new: str, policy: Policy) -> list[str]:
    """The commits of `old..new`, parents first, without what came before the policy's `since`.

    Raises InvalidInput for a range that runs backwards.
    """
    if old != new and repository.is_ancestor(new, old):
        fix = "Write the older revision first."
        raise InvalidInput(f"{old[:12]}..{new[:12]}", "the range runs backwards", fix)
    commits = list(repository.commits_between(old, new))
    if policy.since is None:
        return commits
    since = repository.resolve(policy.since)
    return [commit for commit in commits if not repository.is_ancestor(commit, since)]


def judge_range(repository: Repository, old: str, new: str, policy: Policy) -> Report:
    """The rulings on every commit of `old..new`, each judged on its own parents."""
    gate = Gate(repository, policy)
    commits = commits_of(repository, old, new, policy)
    return Report(policy, tuple(gate.judge(candidate_of(repository, each)) for each in commits))


def verify_range(repository: Repository, old: str, new: str, policy: Policy) -> Report:
    """The verdicts of `judge_range` without the policy's floors."""
    return judge_range(repository, old, new, without_floors(policy))


def without_floors(policy: Policy) -> Policy:
    """The policy with everything accepted that replays; who is governed stays as it is."""
    every = tuple(verdict for verdict in Verdict if verdict is not Verdict.FAIL)
    return replace(
        policy, mode="enforce", accept=KINDS, verdicts=(*policy.verdicts, *every),
        tiers=None, ladders=None, min_confidence=0,
    )  # fmt: skip


def judge_index(
    repository: Repository, policy: Policy, *, author: str, committer: str, message: bytes | None
) -> Report:
    """The provisional ruling on the commit that git is about to make."""
    gate = Gate(repository, policy, on_client=True)
    tree = repository.index_tree()
    candidates = [
        Candidate(None, tree, parents, author, committer, message)
        for parents in repository.commit_in_progress_parents()
    ]
    return Report(policy, (gate.judge_any(candidates),), provisional=True)
