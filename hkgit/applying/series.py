"""Plan whole specs, each on the files that those before it leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from hkgit.applying.outcome import (
    EditOutcome,
    Plan,
    expect_change,
    files_after,
    number_outcomes,
    refuse_spec,
)
from hkgit.applying.path_names import resolve_names
from hkgit.applying.planner import Options, plan
from hkgit.edits import File, Overlay, Read, Snapshot, Spec
from hkgit.errors import HkgitError
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class PlannedSpec:
    """One spec, its plan, and the reads that held on the files that it was planned on."""

    spec: Spec
    plan: Plan
    reads: tuple[Read, ...]

    @property
    def files(self) -> dict[str, File | None]:
        """The changed files by path; None where one is gone."""
        return files_after(self.plan)


Step = TypeVar("Step", bound=PlannedSpec)


class Series(Generic[Step]):
    """Specs that were planned one after the other.

    `start` are the files before them, and `files` those that they leave. `changed` is every path
    that they touch, with its file then; None where it is gone.
    """

    def __init__(self, start: Snapshot) -> None:
        self.start = start
        self.files = start
        self.changed: dict[str, File | None] = {}
        self.steps: list[Step] = []

    @property
    def is_ok(self) -> bool:
        """Whether every edit applied."""
        return all(step.plan.ok for step in self.steps)

    @property
    def outcomes(self) -> tuple[EditOutcome, ...]:
        """The outcomes of all specs, numbered through."""
        return number_outcomes((step.spec, step.plan) for step in self.steps)

    def add(self, step: Step) -> None:
        """Take in the plan of the next spec."""
        self.steps.append(step)
        if step.plan.ok:
            self.changed |= step.files
            self.files = Overlay(self.start, dict(self.changed))


def plan_series(
    specs: Iterable[Spec], start: Snapshot, plan_next: Callable[[Spec, Series[Step]], Step]
) -> Series[Step]:
    """Plan specs in order; stops behind the first in which an edit is refused.

    `plan_next` plans one of them on the files that the series so far leaves.
    """
    series: Series[Step] = Series(start)
    for spec in specs:
        series.add(plan_next(spec, series))
        if not series.steps[-1].plan.ok:
            break
    return series


def plan_spec(spec: Spec, files: Snapshot, options: Options, reads: Sequence[Read] = ()) -> Plan:
    """Plan a spec with its loose names settled; refusals stand in the outcomes."""
    try:
        return expect_change(plan(resolve_names(spec, files), files, options, reads))
    except HkgitError as error:
        return refuse_spec(spec, error)
