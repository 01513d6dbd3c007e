"""checks.py: the table of rules that a governed commit must keep, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hkgit.evidence.replay.findings import Finding, Verdict
from hkgit.gate.case import JudgedCommit
from hkgit.gate.rules.floors import APPLY, entry_findings
from hkgit.gate.rules.manual import hand_findings
from hkgit.gate.rules.protection import (
    collision_findings,
    merged_policy_findings,
    move_findings,
    name_findings,
    path_findings,
    policy_findings,
)

Check = Callable[[JudgedCommit], Iterator[Finding]]


def _check_floors(case: JudgedCommit) -> Iterator[Finding]:
    if not case.judged.is_recomputed and case.policy.needs_recomputing:
        what = "could not be recomputed here, so its tiers and confidences are only claimed"
        yield Finding("claimed", "ledger entry", what, APPLY)
    for _, entry in case.judged.entries:
        yield from entry_findings(case.policy, entry)


def _check_tightness(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.asks_for_tightness:
        # Only then is the text of every edited file needed, and the diff.
        from hkgit.gate.rules.strength import tightness_findings

        yield from tightness_findings(case)


def _check_recovered(case: JudgedCommit) -> Iterator[Finding]:
    is_record = case.judged.verdict is Verdict.RECOVERED
    if is_record or any(entry.claims.get("origin") for _, entry in case.judged.entries):
        from hkgit.gate.rules.recovered import recovered_findings

        yield from recovered_findings(case)


def _check_text(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.reject_text:
        from hkgit.gate.rules.text import text_findings

        yield from text_findings(case)


def _check_signatures(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.entries_signed:
        from hkgit.gate.rules.signing import signature_findings

        yield from signature_findings(case)


def _check_credits(case: JudgedCommit) -> Iterator[Finding]:
    if case.policy.assisted_by != "allow":
        from hkgit.gate.rules.crediting import credit_findings

        yield from credit_findings(case)


CHECKS: dict[str, Check] = {
    "by hand": hand_findings,
    "floors": _check_floors,
    "tightness": _check_tightness,
    "moved": move_findings,
    "recovered": _check_recovered,
    "signature": _check_signatures,
    "names": name_findings,
    "twins": collision_findings,
    "policy": policy_findings,
    "protected": path_findings,
    "text": _check_text,
    "assisted-by": _check_credits,
}
"""Each check yields what is wrong with a commit that replays."""

FOR_ALL: dict[str, Check] = {"policy": merged_policy_findings}
"""Those that hold for commits that nobody governs as well."""
