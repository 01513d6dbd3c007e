"""One commit under one policy: what the rules say, and the ruling.

A judgement says the verdict of replay, the rule that decided, and whether the policy lets the
commit pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.evidence import LATE
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.evidence.replay import candidate_of, replay, replay_record
from hkgit.evidence.trailers import find_stray_trailers, read_trailers
from hkgit.evidence.verdict import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.gate.clock import OutOfTime, limit_time
from hkgit.gate.judged_commit import UNKNOWN, JudgeContext, JudgedCommit
from hkgit.gate.policy.defaults import ATTEST
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.checks import CHECKS, FOR_ALL
from hkgit.gate.rules.floors import APPLY, describe_strengths
from hkgit.gate.rules.grants import (
    choose_redo,
    explain_blind_commit,
    find_changed_paths,
    find_grant,
    find_record,
    find_vouched_paths,
    find_voucher,
    refuse_vouchers,
)
from hkgit.gate.ruling import RuleResult, Ruling
from hkgit.git.repository import Repository
from hkgit.values import dataclass, field, replace


def check_rules(case: JudgedCommit, tried: list[RuleResult]) -> ReplayResult:
    """Add every broken rule to what replay says."""
    judged = case.judged
    if judged.verdict is Verdict.FAIL or not (case.is_governed or judged.verdict is Verdict.MERGE):
        tried += [RuleResult(each.rule, f"{each.where}: {each.what}") for each in judged.findings]
        return judged
    broken: list[Finding] = []
    for name, check in (CHECKS if case.is_governed else FOR_ALL).items():
        found = [*check(case)]
        told = [RuleResult(each.rule, f"{each.where}: {each.what}") for each in found]
        tried += told or [_HOLDS[name]]
        broken += found
    if not broken:
        return judged
    return replace(judged, verdict=Verdict.FAIL, findings=(*judged.findings, *broken))


_HOLDS = {name: RuleResult(name, "holds") for name in (*CHECKS, *FOR_ALL)}


def explain_governed(case: JudgedCommit) -> str:
    """Say why a commit is held to the rules, or that it is not."""
    if case.agent is not None:
        return f"governed: {case.agent} is an agent"
    if case.judged.entries:
        return "governed: it carries ledger entries"
    if case.policy.govern == "all":
        return "governed: the policy governs everyone"
    return "not governed: no entry, and neither author nor committer nor co-author is an agent"


def judge_prune(repository: Repository, trusted: str | None, judged: ReplayResult) -> ReplayResult:
    """Fail a prune of entries that the trusted side does not have."""
    if trusted is None:
        return judged
    files = repository.snapshot(trusted)
    what, fix = "the trusted side does not have this entry yet", "Land it first, then prune it."
    missing = tuple(
        Finding.at("prune", path, what, fix) for path in judged.removed if files.entry(path) is None
    )
    return replace(judged, verdict=Verdict.FAIL, findings=missing) if missing else judged


def judge_without_evidence(case: JudgedCommit) -> tuple[ReplayResult, str | None]:
    """No entry accounts for what a commit changes: whose is it, and by which rule may they?"""
    judged, agent = case.judged, case.agent
    if agent is None and case.policy.govern == "agents":
        return judged, "author is not governed"
    paths = find_changed_paths(case.repository, case.candidate)
    found = None if agent is None else find_voucher(case, paths)
    if found is not None and found.person:
        return replace(judged, verdict=Verdict.VOUCHED, basis=found.person), found.rule
    grant = find_grant(case, paths)
    if grant is not None:
        return replace(judged, verdict=Verdict.MANUAL), grant
    recovered = replay_record(case.repository, case.candidate, case.context.incoming)
    if recovered is not None:
        return replace(recovered, notes=(*recovered.notes, *judged.notes)), None
    if found is not None:  # nobody is named yet
        return replace(judged, verdict=Verdict.VOUCHED), found.rule
    refused = refuse_vouchers(case, paths) if agent else ()
    findings = (explain_blind_commit(case, paths), *refused)
    return replace(judged, verdict=Verdict.FAIL, findings=findings), None


def apply_voucher(case: JudgedCommit, ruling: Ruling, tried: list[RuleResult]) -> Ruling:
    """Let a commit pass where only evidence is missing and somebody who may vouches for it."""
    paths = () if ruling.passes else find_vouched_paths(case, ruling.findings)
    if not paths:
        return ruling
    found = find_voucher(case, paths)
    if found is None:
        return replace(ruling, findings=(*ruling.findings, *refuse_vouchers(case, paths)))
    tried.append(RuleResult("vouched", found.rule))
    notes = tuple(f"{each.where}: {each.what}" for each in ruling.findings)
    judged = replace(
        case.judged,
        verdict=Verdict.VOUCHED,
        notes=(*case.judged.notes, *notes),
        underlying=None,
        basis=found.person,
    )
    return rule_on(case.policy, judged, Verdict.VOUCHED, found.rule, tried, agent=case.agent)


def rule_on(
    policy: Policy,
    judged: ReplayResult,
    replayed: Verdict | None,
    rule: str | None,
    tried: list[RuleResult],
    *,
    agent: str | None,
) -> Ruling:
    """Make the ruling that a verdict leads to; `rule` is the one that accepts it, if any."""
    findings = judged.findings
    verdicts = () if policy.any_verdict else (judged.verdict, judged.underlying)
    refused = [each for each in verdicts if each is not None and each not in policy.verdicts]
    if not findings and refused:
        what = f"the policy does not accept {refused[0]}"
        findings = (Finding("verdict", "commit", what, APPLY),)
        tried.append(RuleResult("verdict", what))
    if findings:
        rule = findings[0].rule
    elif rule is None:
        is_late = any(edit.evidence == LATE for edit in judged.edits)
        rule = f"verdict {judged.verdict}{', its evidence is late' if is_late else ''}"
    passes = not findings
    return Ruling(judged, replayed, passes=passes, rule=rule, findings=findings, agent=agent)


def refuse_commit(candidate: CandidateCommit, verdict: Verdict, finding: Finding) -> Ruling:
    """Make the ruling on a commit that could not be judged."""
    return Ruling(
        judged=ReplayResult(candidate, verdict, findings=(finding,)),
        replayed=Verdict.UNVERIFIABLE,
        passes=False,
        rule=finding.rule,
        findings=(finding,),
    )


_ALONE = "The entries are those of HEAD: make this a separate commit, without --amend."

MOST_LEANING = 50
"""So many reverts may depend on each other where none was judged before."""


@dataclass
class Gate:
    """The judge: a repository and a policy. It remembers which commits it has accepted.

    `context` says how the commits came here. `tip` is one whose history covers those that are
    judged, by default each one's own; `trusted` the commit of the trusted side, whose entries
    alone may be pruned, by default each one's parent; `landing` the one that the ref has which
    the commits are for: what it says must be accounted for. `known` says which commits were judged
    already, `depth` how many depend on the one that is. Raises InvalidInput for a policy that
    extends another one which was not read.
    """

    repository: Repository
    policy: Policy
    context: JudgeContext = UNKNOWN
    tip: str | None = None
    trusted: str | None = None
    landing: str | None = None
    known: dict[str, bool] = field(default_factory=dict, repr=False)
    depth: int = 0

    def __post_init__(self) -> None:
        if self.policy.extends is not None:
            what = f"extends {self.policy.extends}, which was not read"
            raise InvalidInput(self.policy.source, what, "Read it with read_trusted_policy.")

    def judge(self, candidate: CandidateCommit) -> Ruling:
        """Judge one commit; what cannot be judged is rejected."""
        tried: list[RuleResult] = []
        try:
            with limit_time(self.policy.max_seconds):
                ruling = self._judge(candidate, tried)
        except Unverifiable as error:
            ruling = refuse_commit(
                candidate, Verdict.UNVERIFIABLE, Finding.of("unverifiable", error)
            )
        except OutOfTime:
            if self.depth:  # the time is that of the commit that depends on this one
                raise
            what = f"takes more than {self.policy.max_seconds} s to judge"
            fix = "Split it, or raise the policy's max_seconds."
            ruling = refuse_commit(candidate, Verdict.FAIL, Finding("budget", "commit", what, fix))
        ruling = self._apply_break_glass(self._apply_attestation(ruling, tried), tried)
        strengths = describe_strengths(self.repository, ruling.judged)
        evidence = tuple(strengths) if self.context.explain else ()
        ruling = replace(ruling, tried=tuple(tried), evidence=evidence)
        if candidate.id is not None:
            self.known[candidate.id] = ruling.passes
        return ruling

    def judge_any(self, candidates: Sequence[CandidateCommit]) -> Ruling:
        """Judge a commit whose parents are not known yet: return the first ruling that passes.

        Git amends no commit to an empty one; so what is that beside the parents of HEAD is a
        commit on HEAD, which takes back what HEAD did. A message that names entries of HEAD is
        that of a commit in its place.
        """
        first = self.judge(candidates[0])
        named = {*read_trailers(candidates[0].message or b"").entries} - _list_entry_names(first)
        if first.passes and not named:  # as nearly always: the others need no judgement
            return first
        others = (self.judge(candidate) for candidate in candidates[1:])
        if first.passes:
            found = next((each for each in others if named & _list_entry_names(each)), first)
            alone = [replace(each, fix=_ALONE) for each in found.findings if found.rule == "bytes"]
            return replace(found, findings=tuple(alone)) if alone else found
        amended = (each for each in others if each.judged.verdict is not Verdict.EMPTY)
        return next((ruling for ruling in amended if ruling.passes), first)

    def _judge(self, candidate: CandidateCommit, tried: list[RuleResult]) -> Ruling:
        identities = (candidate.author, candidate.committer)
        agent = self.policy.governing_name(identities, candidate.message) or self.context.shell
        judged, rule = self._replay(candidate), None
        replayed = None if judged is None else judged.verdict
        if judged is None:
            notes = find_stray_trailers(candidate)
            judged = ReplayResult(candidate, Verdict.UNGOVERNED, notes=notes)
        case = JudgedCommit(
            repository=self.repository,
            policy=self.policy,
            context=self.context,
            judged=judged,
            agent=agent,
        )
        if replayed is None:
            judged, rule = judge_without_evidence(case)
            case = replace(case, judged=judged)
            if judged.entries or judged.verdict is Verdict.VOUCHED:  # those of a record
                replayed = judged.verdict
        tried += [
            RuleResult("govern", explain_governed(case)),
            RuleResult("replay", str(judged.verdict)),
        ]
        checked = check_rules(case, tried)
        ruling = rule_on(self.policy, checked, replayed, rule, tried, agent=agent)
        ruling = apply_voucher(case, ruling, tried)
        if ruling.passes:
            return ruling
        return replace(ruling, redo=choose_redo(self.repository, self.policy, ruling))

    def _replay(self, candidate: CandidateCommit) -> ReplayResult | None:
        """What replay says; a revert counts only of a commit that passes itself."""
        tip = self.tip or next(iter(candidate.parents), None)
        tip = tip if candidate.id is not None else None
        judged = replay(self.repository, candidate, tip=tip)
        if judged is not None and judged.verdict is Verdict.PRUNE:
            return judge_prune(self.repository, self.trusted, judged)
        if judged is not None and judged.verdict is not Verdict.FAIL:
            judged = self._account_for_merge(judged)
        basis = judged.basis if judged is not None and judged.verdict is Verdict.REVERT else None
        if basis is None or self._passes(basis):
            return judged
        again = replay(self.repository, candidate, tip=tip, reverts=False)
        note = f"reverts {basis[:12]}, which does not pass itself"
        return None if again is None else replace(again, notes=(*again.notes, note))

    def _account_for_merge(self, judged: ReplayResult) -> ReplayResult:
        """What replay says of a merge, held against the ref that it lands on."""
        if len(judged.candidate.parents) != 2:
            return judged
        # Most commits are no merges.
        from hkgit.evidence.merge_landing import merge_findings

        found = tuple(merge_findings(self.repository, judged, self.landing))
        return replace(judged, verdict=Verdict.FAIL, findings=found) if found else judged

    def _passes(self, commit: str) -> bool:
        """Whether an earlier commit passes, or came before the policy's `since`."""
        if commit not in self.known:
            since = self.policy.since
            if since is not None:
                start = self.repository.resolve(since)
                self.known[commit] = self.repository.is_ancestor(commit, start)
            if not self.known.get(commit) and self.depth < MOST_LEANING:
                deeper = replace(self, depth=self.depth + 1, trusted=None, landing=None)
                deeper.judge(candidate_of(self.repository, commit))
        return self.known.get(commit, False)

    def _apply_attestation(self, ruling: Ruling, tried: list[RuleResult]) -> Ruling:
        """The ruling, accepted where somebody who is trusted has signed for this very change."""
        candidate, policy = ruling.judged.candidate, self.policy
        is_trusting = policy.attest_keys or policy.roles.get(ATTEST)
        if ruling.passes or candidate.id is None or not is_trusting:
            return ruling
        if Verdict.ATTESTED not in policy.verdicts:
            return ruling
        from hkgit.gate.attestations.trust import find_attestation  # few policies trust a key

        signer = find_attestation(self.repository, policy, candidate, self.context.ref)
        if signer is None:
            return ruling
        tried.append(RuleResult("attested", f"by {signer}"))
        judged = ReplayResult(
            candidate=candidate,
            verdict=Verdict.ATTESTED,
            entries=ruling.judged.entries,
            notes=ruling.judged.notes,
            basis=signer,
        )
        return rule_on(policy, judged, Verdict.ATTESTED, None, tried, agent=ruling.agent)

    def _apply_break_glass(self, ruling: Ruling, tried: list[RuleResult]) -> Ruling:
        """The ruling, accepted where somebody who may has used break-glass for this commit."""
        commit = ruling.judged.candidate.id
        if ruling.passes or commit is None:
            return ruling
        record = find_record(self.repository, self.policy, commit, self.context.incoming)
        if record is None:
            return ruling
        tried.append(RuleResult("break-glass", str(record)))
        finding = Finding("break-glass", "commit", str(record), "Review what it allowed.")
        findings = (*ruling.findings, finding)
        return replace(ruling, findings=findings, passes=True, rule="break-glass")


def _list_entry_names(ruling: Ruling) -> set[str]:
    """The names of the entries that a commit adds."""
    return {name for name, _ in ruling.judged.entries}
