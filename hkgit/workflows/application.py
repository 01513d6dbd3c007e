"""Specs become commits, tried again where the branch moves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from hkgit.applying.draft import Lines
from hkgit.applying.outcome import EditOutcome, find_first_error, number_outcomes
from hkgit.edits import Spec
from hkgit.errors import BlindEdit, HkgitError, Near
from hkgit.evidence.refusal_log import (
    RefusalLog,
    describe_conflicts,
    list_refused,
    settle_refusals,
)
from hkgit.git.repository import Repository
from hkgit.git.transaction.branch_queue import turn
from hkgit.git.transaction.landing import BranchMoved
from hkgit.git.transaction.recovery import settle_abandoned
from hkgit.values import dataclass, replace
from hkgit.workflows.commit_plan import (
    SILENT,
    FirstPlan,
    PlannedCommit,
    Progress,
    RecordedStep,
    prepare,
    record_step,
)
from hkgit.workflows.landing_policy import LandingRules, Unread
from hkgit.workflows.target import ApplyOptions, LandingTarget, find_target
from hkgit.workflows.worktree_commit import LandedCommit, carry_out

if TYPE_CHECKING:
    from hkgit.workflows.reflection import Reflection


TRIES = 20
TRIES_WITH_VERIFY = 3
"""The most attempts. One fails only where somebody else lands while it runs."""

_LONGEST_PAUSE = 0.5
"""Seconds."""


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """Specs, each of which becomes one commit. Nothing lands unless all of their edits apply.

    A dry run changes nothing. A `reflection` is asked to correct edits that are refused.
    """

    specs: tuple[Spec, ...]
    options: ApplyOptions
    dry_run: bool = False
    reflection: Reflection | None = None


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What became of a request; `error` decides the exit code, None where all went well.

    `outcomes` are numbered through all specs. `landed` holds the commits, and `records` what they
    would say where it was a dry run. `blind` are the edits without evidence that a policy accepts,
    allowed or not. `conflicts` says in words which conflicts a refused spec met.
    """

    outcomes: tuple[EditOutcome, ...] = ()
    steps: tuple[PlannedCommit, ...] = ()
    landed: tuple[LandedCommit, ...] = ()
    records: tuple[RecordedStep, ...] = ()
    target: LandingTarget | None = None
    rules: LandingRules | None = None
    blind: tuple[Unread, ...] = ()
    conflicts: tuple[str, ...] = ()
    error: HkgitError | None = None

    @property
    def blocking(self) -> tuple[Unread, ...]:
        """The blind edits for which the request was refused."""
        if self.rules is None or self.error is None:
            return ()
        return self.rules.find_blocking(self.blind)


def apply(
    repository: Repository, request: ApplyRequest, progress: Progress = SILENT
) -> ApplyResult:
    """Commit specs, or say why not; what a crash has left in the repository is repaired first.

    Raises GitRefused where that cannot be done; every other refusal stands in the result.
    """
    if not request.dry_run:
        for settled in settle_abandoned(repository):
            if settled.hindrance is not None:
                progress.say(f"warning: {settled.hindrance}")
    refused = RefusalLog.of(repository.common_dir)
    options = replace(request.options, refused=refused)
    under_way = _Application(repository, request, options, progress)
    try:
        under_way.run()
    except HkgitError as error:
        under_way.result = replace(under_way.result, error=error)
    return under_way.result


def advise(result: ApplyResult, fix: str, lines: Lines | None = None) -> ApplyResult:
    """Add to a result of blind edits what their author can do, and the lines to look at first."""
    refused = result.error
    if not isinstance(refused, BlindEdit):
        return result
    error = BlindEdit(refused.where, refused.what, fix)
    error.near = () if lines is None else (Near(*lines),)
    outcomes = (each.refuse(error) if each.error is refused else each for each in result.outcomes)
    return replace(result, outcomes=tuple(outcomes), error=error)


@dataclass
class _Application:
    """A request under way, and what has become of it so far."""

    repository: Repository
    request: ApplyRequest
    options: ApplyOptions
    progress: Progress
    result: ApplyResult = ApplyResult()

    def run(self) -> None:
        """Plan, ask the judge, and land. Raises what refuses the request."""
        target = find_target(self.repository, self.request.specs, self.options)
        rules = LandingRules.of(self.repository, target, self.options)
        self.result = replace(self.result, target=target, rules=rules)
        prepared = partial(prepare, self.repository, choices=self.options, target=target)
        reflection = self.request.reflection
        specs = self.request.specs
        steps = prepared(specs) if reflection is None else reflection.steps(specs, prepared)
        if self.request.dry_run:
            self._check(rules, steps)
            records = tuple(record_step(step, self.options, None) for step in steps)
            self.result = replace(self.result, records=records)
            return

        def land_steps(steps: Sequence[PlannedCommit]) -> tuple[LandedCommit, ...]:
            self._check(rules, steps)
            return self._land(target, rules, steps)

        if reflection is None:
            landed = land_steps(steps)
        else:
            landed = reflection.land(steps, prepared, land_steps)
        for each in landed:
            settle_refusals(self.repository, [each.record.id], each.commit)
        self.result = replace(self.result, landed=landed)

    def _land(
        self, target: LandingTarget, rules: LandingRules, steps: Sequence[PlannedCommit]
    ) -> tuple[LandedCommit, ...]:
        """Commit planned specs and land them.

        Where the branch has moved and `retry` is set, the specs are planned again: against the
        base that they were first planned on, carried onto the new tip.
        """
        commit = partial(carry_out, self.repository, choices=self.options, progress=self.progress)
        if not self.options.retry:
            return commit(target, steps, rules=rules)
        origin = FirstPlan.of(self.repository, target, steps)
        specs = [step.spec for step in steps]
        with turn(self.repository, target.branch):
            for tried in range(1, TRIES if self.options.verify is None else TRIES_WITH_VERIFY):
                try:
                    return commit(target, steps, rules=rules)
                except BranchMoved as moved:
                    import random  # few branches move

                    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                    now = find_target(self.repository, specs, self.options)
                    is_ahead = self.repository.is_ancestor(origin.tip, now.tip)
                    if now.branch != target.branch or not is_ahead:
                        raise moved
                    target = now
                self.progress.say(f"{target.branch} moved: planned again on {target.tip[:12]}")
                rules = LandingRules.of(self.repository, target, self.options)
                steps = prepare(self.repository, specs, self.options, target, origin)
                self._check(rules, steps)
            return commit(target, steps, rules=rules)

    def _check(self, rules: LandingRules, steps: Sequence[PlannedCommit]) -> None:
        """Raise the first refusal: of an edit, or of edits that are blind where none may be."""
        outcomes = number_outcomes((step.spec, step.plan) for step in steps)
        self.result = replace(self.result, steps=tuple(steps), outcomes=outcomes)
        refused = find_first_error(outcomes)
        if refused is not None:
            self._note_refusals(steps, outcomes)
            raise refused
        entries = [record_step(step, self.options, None, as_said=True).entry for step in steps]
        blind = rules.unread(steps, entries)
        self.result = replace(self.result, blind=blind)
        blocking = rules.find_blocking(blind)
        if blocking:
            error = rules.refusal(blocking)
            numbers = {each.number for each in blocking}
            outcomes = tuple(
                each.refuse(error) if each.number in numbers else each for each in outcomes
            )
            self.result = replace(self.result, outcomes=outcomes)
            self._note_refusals(steps, outcomes)
            raise error

    def _note_refusals(
        self, steps: Sequence[PlannedCommit], outcomes: Sequence[EditOutcome]
    ) -> None:
        """Keep what was refused, in the clone's own record, and tell of the conflicts met."""
        log = self.options.refused
        if self.request.dry_run or log is None:
            return
        agent = self.options.agent or steps[-1].spec.agent or "unknown"
        refused = list_refused((edit for step in steps for edit in step.spec.edits), outcomes)
        with suppress(OSError):  # nobody's edit is refused for want of a record
            log.note(agent, "apply", int(time.time()), refused)
        tip = self.options.branch or "HEAD"
        notes = describe_conflicts(self.repository, log, agent, refused, tip)
        self.result = replace(self.result, conflicts=(*self.result.conflicts, *notes))
