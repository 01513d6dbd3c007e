"""retrying.py: lands what was planned; where the branch moved meanwhile, plans it again first."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from hkgit.git.repository import Repository
from hkgit.git.transactions.branch_queue import turn
from hkgit.git.transactions.landing import BranchMoved
from hkgit.workflows.commits.commits import LandedCommit, Watch, carry_out
from hkgit.workflows.commits.preparing import FirstPlan, PlannedCommit, prepare
from hkgit.workflows.commits.targets import ApplyOptions, LandingTarget, find_target

TRIES = 20
TRIES_WITH_VERIFY = 3
"""How often at most; each loses only when somebody lands within the time of one attempt."""

_LONGEST_PAUSE = 0.5
"""Seconds."""

Say = Callable[[str], None]
Check = Callable[[Sequence[PlannedCommit]], None]


def land(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
    say: Say,
    check: Check | None,
    watch: Watch = iter,
) -> tuple[LandedCommit, ...]:
    """Carry the steps out (see `commits`).

    Where the branch has moved, they are planned again: from the base they were first planned on,
    carried onto the new tip. `check` sees each new plan and raises what is to be refused; None
    means no second try. Raises BranchMoved when all were in vain.
    """
    if check is None:
        return carry_out(repository, target, steps, choices, say, watch)
    origin = FirstPlan.of(repository, target, steps)
    with turn(repository, target.branch):
        for tried in range(1, TRIES if choices.verify is None else TRIES_WITH_VERIFY):
            try:
                return carry_out(repository, target, steps, choices, say, watch)
            except BranchMoved as moved:
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                target = _find_moved_target(repository, target, steps, choices, origin, moved)
            say(f"{target.branch} moved: planned again on {target.tip[:12]}")
            specs = [step.spec for step in steps]
            steps = prepare(repository, specs, choices, target, origin)
            check(steps)
        return carry_out(repository, target, steps, choices, say, watch)


def _find_moved_target(
    repository: Repository,
    target: LandingTarget,
    steps: Sequence[PlannedCommit],
    choices: ApplyOptions,
    origin: FirstPlan,
    moved: BranchMoved,
) -> LandingTarget:
    """Where the branch is now; raises when it was not moved forward."""
    now = find_target(repository, [step.spec for step in steps], choices)
    if now.branch != target.branch or not repository.is_ancestor(origin.tip, now.tip):
        raise moved
    return now
