"""retrying.py: lands what was planned; where the branch moved meanwhile, plans it again first."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from hkgit.committing.commits import Committed, Watch, carry_out
from hkgit.committing.preparing import Origin, Step, prepare
from hkgit.committing.targets import Choices, Target, find_target
from hkgit.git.landing import BranchMoved
from hkgit.git.repository import Repository
from hkgit.git.turns import turn

TRIES = 20
TRIES_WITH_VERIFY = 3
"""How often at most; each loses only when somebody lands within the time of one attempt."""

_LONGEST_PAUSE = 0.5
"""Seconds."""

Say = Callable[[str], None]
Check = Callable[[Sequence[Step]], None]


def land(
    repository: Repository,
    target: Target,
    steps: Sequence[Step],
    choices: Choices,
    say: Say,
    check: Check | None,
    watch: Watch = iter,
) -> tuple[Committed, ...]:
    """Carry the steps out (see `commits`).

    Where the branch has moved, they are planned again: from the base they were first planned on,
    carried onto the new tip. `check` sees each new plan and raises what is to be refused; None
    means no second try. Raises BranchMoved when all were in vain.
    """
    if check is None:
        return carry_out(repository, target, steps, choices, say, watch)
    origin = Origin.of(repository, target, steps)
    with turn(repository, target.branch):
        for tried in range(1, TRIES if choices.verify is None else TRIES_WITH_VERIFY):
            try:
                return carry_out(repository, target, steps, choices, say, watch)
            except BranchMoved as moved:
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                target = _moved_target(repository, target, steps, choices, origin, moved)
            say(f"{target.branch} moved: planned again on {target.tip[:12]}")
            specs = [step.spec for step in steps]
            steps = prepare(repository, specs, choices, target, origin)
            check(steps)
        return carry_out(repository, target, steps, choices, say, watch)


def _moved_target(
    repository: Repository,
    target: Target,
    steps: Sequence[Step],
    choices: Choices,
    origin: Origin,
    moved: BranchMoved,
) -> Target:
    """Where the branch is now; raises when it was not moved forward."""
    now = find_target(repository, [step.spec for step in steps], choices)
    if now.branch != target.branch or not repository.is_ancestor(origin.tip, now.tip):
        raise moved
    return now
