"""conflicts.py: note the conflicts of refused specs; forget those that landed commits resolve."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.gate.conflicts.noting import STATUSES, RefusedSpec
from hkgit.gate.conflicts.tracking import note_tried, tip_of
from hkgit.git.repository import Repository
from hkgit.workflows.commits.commits import LandedCommit
from hkgit.workflows.commits.preparing import PlannedCommit
from hkgit.workflows.commits.targets import ApplyOptions


def note_refused(
    repository: Repository, steps: Sequence[PlannedCommit], choices: ApplyOptions
) -> list[str]:
    """Write down the conflicts of a spec that was refused; what a person shall hear of it."""
    refused = steps[-1] if steps else None
    if refused is None or all(each.status not in STATUSES for each in refused.made.outcomes):
        return []
    tip = tip_of(repository, choices.branch)
    if tip is None:
        return []
    spec = refused.spec
    agent = choices.agent or spec.agent or "unknown"
    base = refused.base if refused.base != tip else None
    tried = RefusedSpec(spec, refused.made.outcomes, choices.reads, agent, base, tip)
    return note_tried(repository, tried)


def settle(choices: ApplyOptions, done: Sequence[LandedCommit]) -> None:
    """Forget the conflicts that commits which have landed resolve."""
    if choices.met is not None:
        for each in done:
            choices.met.settle(each.record.entry.agent, each.step.made.outcomes)
