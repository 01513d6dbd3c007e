"""land.py: land planned commits; plan them again where the branch has moved meanwhile."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from hkgit.git.repository import Repository
from hkgit.git.transactions.branch_queue import turn
from hkgit.git.transactions.landing import BranchMoved
from hkgit.workflows.commits.commit import LandedCommit, carry_out
from hkgit.workflows.commits.plan import FirstPlan, PlannedCommit, prepare
from hkgit.workflows.commits.targets import ApplyOptions, LandingTarget, Progress, find_target

TRIES = 20
TRIES_WITH_VERIFY = 3
"""The most attempts. One fails only where somebody else lands while it runs."""

_LONGEST_PAUSE = 0.5
"""Seconds."""


def land(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
    progress: Progress,
    check: Callable[[Sequence[PlannedCommit]], None],
) -> tuple[LandedCommit, ...]:
    """Commit planned specs and land them (see `commit`).

    Where the branch has moved and `choices.retry` is set, the specs are planned again: against
    the base that they were first planned on, carried onto the new tip. `check` gets each new plan
    and raises what is to be refused. Raises BranchMoved when every attempt came too late.
    """
    if not choices.retry:
        return carry_out(repository, target, steps, choices, progress)
    origin = FirstPlan.of(repository, target, steps)
    with turn(repository, target.branch):
        for tried in range(1, TRIES if choices.verify is None else TRIES_WITH_VERIFY):
            try:
                return carry_out(repository, target, steps, choices, progress)
            except BranchMoved as moved:
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                target = _find_moved_target(repository, target, steps, choices, origin, moved)
            progress.say(f"{target.branch} moved: planned again on {target.tip[:12]}")
            specs = [step.spec for step in steps]
            steps = prepare(repository, specs, choices, target, origin)
            check(steps)
        return carry_out(repository, target, steps, choices, progress)


def _find_moved_target(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
    origin: FirstPlan,
    moved: BranchMoved,
) -> LandingTarget:
    """The branch as it is now. Raises `moved` unless it only gained commits."""
    now = find_target(repository, [step.spec for step in steps], choices)
    if now.branch != target.branch or not repository.is_ancestor(origin.tip, now.tip):
        raise moved
    return now
