"""specs.py: a whole spec on some files: its names settled, its edits placed, or all refused."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.names import resolve_names
from hkgit.applying.outcome import EditOutcome, Plan, expect_change
from hkgit.applying.planner import Options, plan
from hkgit.edits import Read, Snapshot, Spec
from hkgit.errors import HkgitError


def plan_spec(spec: Spec, files: Snapshot, options: Options, reads: Sequence[Read] = ()) -> Plan:
    """Plan a spec as every caller does; refusals stand in the outcomes."""
    try:
        return expect_change(plan(resolve_names(spec, files), files, options, reads))
    except HkgitError as error:
        return all_refused(spec, error)


def all_refused(spec: Spec, error: HkgitError) -> Plan:
    """The plan of a spec that is refused as a whole."""
    outcomes = tuple(
        EditOutcome(number, edit.path, error.status, error=error)
        for number, edit in enumerate(spec.edits, 1)
    )
    return Plan(outcomes, ())
