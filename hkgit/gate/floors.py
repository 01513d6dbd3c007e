"""floors.py: where the entries of a commit fall below the policy's floors."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.ledger.entry import Entry, RecordedEdit
from hkgit.ledger.trailers import decimal
from hkgit.policy.model import Policy
from hkgit.replay.findings import Finding

APPLY = "Make the change with `hkgit apply`, each edit with the hash of what was read."


def entry_findings(policy: Policy, entry: Entry) -> Iterator[Finding]:
    """Where an entry falls below a policy's floors."""
    if policy.ladders is not None and entry.ladder not in policy.ladders:
        yield Finding("ladder", "ledger entry", f"ladder {entry.ladder} is not accepted", APPLY)
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
