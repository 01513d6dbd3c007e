"""check.py: hold what replay says to the rules and verdicts of the policy."""

from __future__ import annotations

from hkgit.applying.evidence import LATE
from hkgit.evidence.replay.findings import CandidateCommit, Finding, ReplayResult, Verdict
from hkgit.gate.case import JudgedCommit
from hkgit.gate.policy.model import Policy
from hkgit.gate.rules.checks import CHECKS, FOR_ALL
from hkgit.gate.rules.floors import APPLY
from hkgit.gate.rulings import RuleResult, Ruling
from hkgit.git.repository import Repository
from hkgit.values import replace


def check_rules(case: JudgedCommit, tried: list[RuleResult]) -> ReplayResult:
    """Add every broken rule to what replay says."""
    judged = case.judged
    if judged.verdict is Verdict.FAIL or not (case.is_governed or judged.verdict is Verdict.MERGE):
        tried += [RuleResult(each.rule, f"{each.where}: {each.what}") for each in judged.findings]
        return judged
    broken: list[Finding] = []
    for name, check in (CHECKS if case.is_governed else FOR_ALL).items():
        found = [*check(case)]
        tried += [RuleResult(each.rule, f"{each.where}: {each.what}") for each in found]
        tried += [] if found else [RuleResult(name, "holds")]
        broken += found
    if not broken:
        return judged
    return replace(judged, verdict=Verdict.FAIL, findings=(*judged.findings, *broken))


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
        Finding(rule="prune", where=path, what=what, fix=fix, path=path)
        for path in judged.removed
        if files.entry(path) is None
    )
    return replace(judged, verdict=Verdict.FAIL, findings=missing) if missing else judged


def asks_for_person(finding: Finding) -> bool:
    """Whether no evidence lets it pass: a file that is too long is no entry's either."""
    is_too_long = finding.rule == "budget" and finding.path is not None
    return is_too_long or finding.rule in ("policy", "protected")


def rule_on(
    policy: Policy,
    judged: ReplayResult,
    replayed: Verdict | None,
    rule: str | None,
    tried: list[RuleResult],
) -> Ruling:
    """Make the ruling that a verdict leads to; `rule` is the one that lets it pass, if any."""
    findings = judged.findings
    refused = _find_unaccepted(policy, judged)
    if not findings and refused is not None:
        what = f"the policy does not accept {refused}"
        findings = (Finding("verdict", "commit", what, APPLY),)
        tried.append(RuleResult("verdict", what))
    if findings:
        return Ruling(
            judged=judged, replayed=replayed, passes=False, rule=findings[0].rule, findings=findings
        )
    return Ruling(judged, replayed, True, rule or f"verdict {judged.verdict}{_name_late(judged)}")


def _name_late(judged: ReplayResult) -> str:
    """Say beside a verdict that evidence was read after the change."""
    is_late = any(edit.evidence == LATE for _, entry in judged.entries for edit in entry.edits)
    return ", its evidence is late" if is_late else ""


def _find_unaccepted(policy: Policy, judged: ReplayResult) -> Verdict | None:
    """Find the verdict that the policy does not accept: its own, or the one under `mixed`."""
    if policy.any_verdict:
        return None
    verdicts = (judged.verdict, judged.underlying)
    refused = (each for each in verdicts if each is not None)
    return next((each for each in refused if each not in policy.verdicts), None)


def refuse_commit(candidate: CandidateCommit, verdict: Verdict, finding: Finding) -> Ruling:
    """Make the ruling on a commit that could not be judged."""
    return Ruling(
        judged=ReplayResult(candidate, verdict, findings=(finding,)),
        replayed=Verdict.UNVERIFIABLE,
        passes=False,
        rule=finding.rule,
        findings=(finding,),
    )
