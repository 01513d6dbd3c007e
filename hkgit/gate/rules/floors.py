"""floors.py: check the edits of an entry against the policy's minimum requirements."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.applying.evidence import is_blind
from hkgit.evidence.ledger.entry import Entry, RecordedEdit
from hkgit.evidence.replay.findings import BLIND, Finding
from hkgit.gate.policy.model import Floors, Policy
from hkgit.matching.places import format_decimal

APPLY = "Make the change with `hkgit apply`, each edit with the hash of what was read."


def entry_findings(policy: Policy, entry: Entry) -> Iterator[Finding]:
    """Find where an entry is below the policy's minimum requirements."""
    if policy.ladders is not None and entry.ladder not in policy.ladders:
        yield Finding("ladder", "ledger entry", f"ladder {entry.ladder} is not accepted", APPLY)
    if entry.threshold < policy.min_threshold:
        floor, threshold = format_decimal(policy.min_threshold), format_decimal(entry.threshold)
        what = f"its threshold {threshold} is below {floor}"
        yield Finding("ladder", "ledger entry", what, f"Apply it with --threshold {floor}.")
    for floors, edit in _with_floors(policy, entry):
        yield from _edit_findings(floors, edit)


def find_blind_edits(
    policy: Policy, entry: Entry
) -> Iterator[tuple[RecordedEdit, tuple[str, ...]]]:
    """Yield the edits whose evidence the policy does not accept, each with the kinds it accepts."""
    for floors, edit in _with_floors(policy, entry):
        accepted = _in_all(each.accept for each in floors)
        if accepted is not None and is_blind(edit.evidence, accepted):
            yield edit, accepted


def _with_floors(policy: Policy, entry: Entry) -> Iterator[tuple[tuple[Floors, ...], RecordedEdit]]:
    """Each edit with the floors that apply to it."""
    names = {
        name: (file.path, file.new_path)
        for file in entry.files
        for name in (file.path, file.new_path)
    }
    for edit in entry.edits:
        yield policy.floors_of(*names.get(edit.path, (edit.path,))), edit


def _edit_findings(floors: tuple[Floors, ...], edit: RecordedEdit) -> Iterator[Finding]:
    where = edit.where
    accepted = _in_all(each.accept for each in floors)
    if accepted is not None and is_blind(edit.evidence, accepted):
        what = f"blind edit: its evidence is {edit.evidence}, accepted are"
        fix = f"Give its hash: `hkgit read {where}` prints the one to pass with --expect."
        yield Finding(BLIND, where, f"{what} {', '.join(accepted)}", fix)
    tiers = _in_all(each.tiers for each in floors)
    if tiers is not None and edit.tier not in tiers:
        yield Finding("tier", where, f"tier {edit.tier} is not accepted", "Quote the file exactly.")
    floor = max(each.min_confidence for each in floors)
    if edit.confidence < floor:
        what = f"confidence {format_decimal(edit.confidence)} is below {format_decimal(floor)}"
        yield Finding("confidence", where, what, "Quote the file exactly.")


def _in_all(lists: Iterator[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The intersection of lists; None accepts everything."""
    given = [each for each in lists if each is not None]
    if not given:
        return None
    return tuple(value for value in given[0] if all(value in each for each in given))
