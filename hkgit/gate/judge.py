"""judge.py: one function judges a commit under a policy.

A judgement says the verdict of replay, the rule that decided, and whether the policy lets the
commit pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hkgit.errors import InvalidInput, Unverifiable
from hkgit.gate.arrival import UNKNOWN, Arrival
from hkgit.gate.budget import OutOfTime, limited
from hkgit.gate.case import Case
from hkgit.gate.checks import CHECKS
from hkgit.gate.floors import APPLY
from hkgit.gate.glass import record_for
from hkgit.gate.grants import granted
from hkgit.gate.hand import blind_commit, changed_paths
from hkgit.gate.rulings import Ruling, Tried
from hkgit.git.repository import Repository
from hkgit.policy.model import ATTEST, Policy
from hkgit.replay.findings import Candidate, Finding, Judged, Verdict
from hkgit.replay.judging import candidate_of, replay
from hkgit.replay.messages import stray_trailers

MOST_LEANING = 50
"""So many reverts may lean on each other where none was judged before."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The judge: a repository and a policy.

    `arrival` says how the commits came here. `tip` is one whose history covers those that are
    judged, by default each one's own; `trusted` the commit of the trusted side, whose entries
    alone may be pruned, by default each one's parent. `known` says which commits were judged
    already, `depth` how many lean on the one that is. Raises InvalidInput for a policy that
    extends another one which was not read.
    """

    repository: Repository
    policy: Policy
    arrival: Arrival = UNKNOWN
    tip: str | None = None
    trusted: str | None = None
    known: dict[str, bool] = field(default_factory=dict, repr=False)
    depth: int = 0

    def __post_init__(self) -> None:
        if self.policy.extends is not None:
            what = f"extends {self.policy.extends}, which was not read"
            raise InvalidInput(self.policy.source, what, "Read it with gate.trusted_policy.")

    def judge(self, candidate: Candidate) -> Ruling:
        """The ruling on one commit."""
        tried: list[Tried] = []
        try:
            with limited(self.policy.max_seconds):
                ruling = self._judge(candidate, tried)
        except Unverifiable as error:
            ruling = _refused(candidate, Verdict.UNVERIFIABLE, Finding.of("unverifiable", error))
        except OutOfTime:
            if self.depth:  # the time is that of the commit that leans on this one
                raise
            what = f"takes longer than {self.policy.max_seconds} s to judge"
            fix = "Split it, or raise the policy's max_seconds."
            ruling = _refused(candidate, Verdict.FAIL, Finding("budget", "commit", what, fix))
        ruling = self._despite(self._attested(ruling, tried), tried)
        ruling = replace(ruling, tried=tuple(tried))
        if candidate.id is not None:
            self.known[candidate.id] = ruling.passes
        return ruling

    def judge_any(self, candidates: Sequence[Candidate]) -> Ruling:
        """The ruling on a commit whose parents are not known yet: the first that passes."""
        rulings = [self.judge(candidate) for candidate in candidates]
        return next((ruling for ruling in rulings if ruling.passes), rulings[0])

    def _judge(self, candidate: Candidate, tried: list[Tried]) -> Ruling:
        identities = (candidate.author, candidate.committer)
        agent = self.policy.governing_name(identities, candidate.message)
        judged = self._replayed(candidate)
        rule = None
        if judged is None:
            judged, rule = self._without_evidence(candidate, agent)
        case = Case(
            self.repository, self.policy, judged, agent,
            lambda paths: self._grant(candidate, paths), self.arrival.coming,
        )  # fmt: skip
        tried += [Tried("govern", _governed(case)), Tried("replay", str(judged.verdict))]
        judged = _checked(case, tried)
        return self._ruling(judged, rule, tried)

    def _replayed(self, candidate: Candidate) -> Judged | None:
        """What replay says; a revert counts only of a commit that passes itself."""
        tip = self.tip or next(iter(candidate.parents), None)
        tip = tip if candidate.id is not None else None
        judged = replay(self.repository, candidate, tip=tip)
        if judged is not None and judged.verdict is Verdict.PRUNE:
            return _pruned(self.repository, self.trusted, judged)
        basis = judged.basis if judged is not None and judged.verdict is Verdict.REVERT else None
        if basis is None or self._passes(basis):
            return judged
        again = replay(self.repository, candidate, tip=tip, reverts=False)
        note = f"takes back {basis[:12]}, which does not pass itself"
        return None if again is None else replace(again, notes=(*again.notes, note))

    def _passes(self, commit: str) -> bool:
        """Whether an earlier commit passes, or came before the policy's `since`."""
        if commit not in self.known:
            since = self.policy.since
            if since is not None:
                start = self.repository.resolve(since)
                self.known[commit] = self.repository.is_ancestor(commit, start)
            if not self.known.get(commit) and self.depth < MOST_LEANING:
                deeper = replace(self, depth=self.depth + 1, trusted=None)
                deeper.judge(candidate_of(self.repository, commit))
        return self.known.get(commit, False)

    def _ruling(self, judged: Judged, rule: str | None, tried: list[Tried]) -> Ruling:
        """What a verdict comes to; `rule` is the one that lets it pass, if it passes."""
        findings = judged.findings
        refused = self._unaccepted(judged)
        if not findings and refused is not None:
            what = f"the policy does not accept {refused}"
            findings = (Finding("verdict", "commit", what, APPLY),)
            tried.append(Tried("verdict", what))
        if findings:
            return Ruling(judged, False, findings[0].rule, findings)
        return Ruling(judged, True, rule or f"verdict {judged.verdict}")

    def _unaccepted(self, judged: Judged) -> Verdict | None:
        """The verdict that the policy does not accept: its own, or that beneath what is by hand."""
        if self.policy.any_verdict:
            return None
        verdicts = (judged.verdict, judged.beneath)
        refused = (each for each in verdicts if each is not None)
        return next((each for each in refused if each not in self.policy.verdicts), None)

    def _attested(self, ruling: Ruling, tried: list[Tried]) -> Ruling:
        """The ruling, let pass where somebody who is trusted has signed for this very change."""
        candidate, policy = ruling.judged.candidate, self.policy
        is_trusting = policy.attest_keys or policy.roles.get(ATTEST)
        if ruling.passes or candidate.id is None or not is_trusting:
            return ruling
        if Verdict.ATTESTED not in policy.verdicts:
            return ruling
        # Few commits need it.
        from hkgit.attestations.trusting import attestation_of

        signer = attestation_of(self.repository, policy, candidate, self.arrival.ref)
        if signer is None:
            return ruling
        tried.append(Tried("attested", f"by {signer}"))
        entries, notes = ruling.judged.entries, ruling.judged.notes
        judged = Judged(candidate, Verdict.ATTESTED, entries, notes=notes, basis=signer)
        return Ruling(judged, True, f"verdict {Verdict.ATTESTED}")

    def _despite(self, ruling: Ruling, tried: list[Tried]) -> Ruling:
        """The ruling, let pass where somebody who may has broken the glass for this commit."""
        commit = ruling.judged.candidate.id
        if ruling.passes or commit is None:
            return ruling
        record = record_for(self.repository, self.policy, commit, self.arrival.coming)
        if record is None:
            return ruling
        tried.append(Tried("break-glass", str(record)))
        told = Finding("break-glass", "commit", str(record), "Look at what it let pass.")
        findings = (*ruling.findings, told)
        return replace(ruling, findings=findings, passes=True, rule="break-glass")

    def _without_evidence(
        self, candidate: Candidate, agent: str | None
    ) -> tuple[Judged, str | None]:
        """No entry accounts for what this commit changes: whose is it, and may they?"""
        notes = stray_trailers(candidate)
        if agent is None and self.policy.govern == "agents":
            judged = Judged(candidate, Verdict.UNGOVERNED, notes=notes)
            return judged, "author is not governed"
        paths = changed_paths(self.repository, candidate)
        grant = self._grant(candidate, paths)
        if grant is not None:
            return Judged(candidate, Verdict.MANUAL, notes=notes), grant
        finding = blind_commit(candidate, paths, agent)
        return Judged(candidate, Verdict.FAIL, findings=(finding,), notes=notes), None

    def _grant(self, candidate: Candidate, paths: Sequence[str]) -> str | None:
        return granted(self.repository, self.policy, candidate, paths, self.arrival)


def _pruned(repository: Repository, trusted: str | None, judged: Judged) -> Judged:
    """A prune, as far as the trusted side has the entries."""
    if trusted is None:
        return judged
    files = repository.snapshot(trusted)
    what, fix = "the trusted side does not have this entry yet", "Land it first, then prune it."
    missing = tuple(
        Finding("prune", path, what, fix, path)
        for path in judged.removed if files.entry(path) is None
    )  # fmt: skip
    return replace(judged, verdict=Verdict.FAIL, findings=missing) if missing else judged


def _checked(case: Case, tried: list[Tried]) -> Judged:
    """What replay says, and against it everything in which the commit breaks a rule."""
    judged = case.judged
    if judged.verdict is Verdict.FAIL or not case.is_governed:
        tried += [Tried(each.rule, f"{each.where}: {each.what}") for each in judged.findings]
        return judged
    broken: list[Finding] = []
    for name, check in CHECKS.items():
        found = [*check(case)]
        tried += [Tried(each.rule, f"{each.where}: {each.what}") for each in found]
        tried += [] if found else [Tried(name, "holds")]
        broken += found
    if not broken:
        return judged
    return replace(judged, verdict=Verdict.FAIL, findings=(*judged.findings, *broken))


def _governed(case: Case) -> str:
    """Why a commit is held to the rules, or that it is not."""
    if case.agent is not None:
        return f"governed: {case.agent} is an agent"
    if case.judged.entries:
        return "governed: it carries ledger entries"
    if case.policy.govern == "all":
        return "governed: the policy governs everyone"
    return "not governed: no entry, and neither author nor committer nor co-author is an agent"


def _refused(candidate: Candidate, verdict: Verdict, finding: Finding) -> Ruling:
    return Ruling(
        Judged(candidate, verdict, findings=(finding,)), False, finding.rule, (finding,)
    )
