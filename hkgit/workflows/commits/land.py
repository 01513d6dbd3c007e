"""land.py: land planned commits; plan them again where the branch has moved meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hkgit.git.repository import Repository
from hkgit.git.transactions.branch_queue import turn
from hkgit.git.transactions.landing import BranchMoved
from hkgit.values import dataclass
from hkgit.workflows.commits.commit import LandedCommit, carry_out
from hkgit.workflows.commits.plan import FirstPlan, PlannedCommit, Progress, prepare
from hkgit.workflows.commits.rules import LandingRules
from hkgit.workflows.commits.targets import ApplyOptions, LandingTarget, find_target

TRIES = 20
TRIES_WITH_VERIFY = 3
"""The most attempts. One fails only where somebody else lands while it runs."""

_LONGEST_PAUSE = 0.5
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Landing:
    """How planned specs are landed; `check` gets each new plan and raises what is to be refused."""

    repository: Repository
    choices: ApplyOptions
    progress: Progress
    check: Callable[[LandingRules, Sequence[PlannedCommit]], None]

    def land(
        self, target: LandingTarget, rules: LandingRules, steps: Sequence[PlannedCommit]
    ) -> tuple[LandedCommit, ...]:
        """Commit planned specs and land them (see `commit`).

        Where the branch has moved and `choices.retry` is set, the specs are planned again: against
        the base that they were first planned on, carried onto the new tip. Raises BranchMoved when
        every attempt came too late.
        """
        if not self.choices.retry:
            return self._carry_out(target, rules, steps)
        origin = FirstPlan.of(self.repository, target, steps)
        with turn(self.repository, target.branch):
            for tried in range(1, TRIES if self.choices.verify is None else TRIES_WITH_VERIFY):
                try:
                    return self._carry_out(target, rules, steps)
                except BranchMoved as moved:
                    import random  # few branches move

                    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                    target = self._find_moved_target(target, steps, origin, moved)
                self.progress.say(f"{target.branch} moved: planned again on {target.tip[:12]}")
                specs = [step.spec for step in steps]
                rules = LandingRules.of(self.repository, target, self.choices)
                steps = prepare(self.repository, specs, self.choices, target, origin)
                self.check(rules, steps)
            return self._carry_out(target, rules, steps)

    def _carry_out(
        self, target: LandingTarget, rules: LandingRules, steps: Sequence[PlannedCommit]
    ) -> tuple[LandedCommit, ...]:
        return carry_out(self.repository, target, steps, self.choices, rules, self.progress)

    def _find_moved_target(
        self,
        target: LandingTarget,
        steps: Sequence[PlannedCommit],
        origin: FirstPlan,
        moved: BranchMoved,
    ) -> LandingTarget:
        """Read the branch as it is now. Raises `moved` unless it only gained commits."""
        now = find_target(self.repository, [step.spec for step in steps], self.choices)
        if now.branch != target.branch or not self.repository.is_ancestor(origin.tip, now.tip):
            raise moved
        return now
