"""recovered.py: what a policy asks of entries that were made from a transcript.

That an entry was is its own claim, made by `hkgit adopt`; those of a record beside the history are,
whatever they claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.evidence.ledger.entry import Entry
from hkgit.evidence.replay.findings import Finding, Verdict
from hkgit.gate.case import JudgedCommit
from hkgit.gate.rules.floors import APPLY
from hkgit.gate.rules.strength import measure_strengths
from hkgit.matching.places import format_decimal

ORIGIN = "recovered"


def recovered_findings(case: JudgedCommit) -> Iterator[Finding]:
    """Find where the recovered entries of a commit are refused, or fall below their floors."""
    found = [each for each in case.judged.entries if _is_recovered(case, each[1])]
    rules = case.policy.recovered
    for _, entry in found:
        if not rules.is_accepted:
            what = f"the evidence of {entry.agent} was recovered from a transcript: not accepted"
            yield Finding("recovered", entry.edits[0].where, what, APPLY)
        else:
            yield from _confidence_findings(entry, rules.min_confidence)
    if found and rules.is_accepted and rules.min_tightness:
        yield from _tightness_findings(case, found, rules.min_tightness)


def _is_recovered(case: JudgedCommit, entry: Entry) -> bool:
    return case.judged.verdict is Verdict.RECOVERED or entry.claims.get("origin") == ORIGIN


def _confidence_findings(entry: Entry, floor: int) -> Iterator[Finding]:
    for edit in entry.edits:
        if edit.confidence < floor:
            confidence = format_decimal(edit.confidence)
            what = f"recovered with confidence {confidence}, below {format_decimal(floor)}"
            yield Finding("recovered", edit.where, what, APPLY)


def _tightness_findings(
    case: JudgedCommit, found: list[tuple[str, Entry]], floor: int
) -> Iterator[Finding]:
    """The files of recovered entries whose evidence names many more lines than they change."""
    names = {file.name for _, entry in found for file in entry.files}
    for strength in measure_strengths(case.repository, case.judged):
        if strength.path in names and strength.tightness < floor:
            tightness = format_decimal(strength.tightness)
            what = f"recovered with tightness {tightness}, below {format_decimal(floor)}"
            yield Finding("recovered", strength.path, what, APPLY)
