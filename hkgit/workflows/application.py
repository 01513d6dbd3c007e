"""Specs become commits, tried again where the branch moves."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hkgit.applying.outcome import EditOutcome, find_first_error, number_outcomes
from hkgit.edits import Spec
from hkgit.errors import BlindEdit, HkgitError, Near
from hkgit.evidence.refusal_log import (
    RefusalLog,
    describe_conflicts,
    note_refused,
    settle_refusals,
)
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import BranchMoved
from hkgit.git.transaction.transaction import settle_abandoned, turn
from hkgit.text.document import Lines
from hkgit.values import dataclass, replace
from hkgit.workflows.commit_plan import RecordedCommit, prepare, record_step
from hkgit.workflows.landing_policy import Unread, list_unread, refuse_blind
from hkgit.workflows.target import ApplyRequest, LandingTarget, PlannedCommit, find_target
from hkgit.workflows.worktree_commit import carry_out

TRIES = 20
TRIES_WITH_VERIFY = 3
"""The most attempts. One fails only where somebody else lands while it runs."""

_LONGEST_PAUSE = 0.5
"""Seconds."""


@dataclass
class ApplyResult:
    """What became of a request; `error` decides the exit code, None where all went well.

    `outcomes` are numbered through all specs. `commits` are those that landed, or in a dry run
    those that would. `blind` are the edits without evidence that a policy accepts, allowed or not,
    and `blocking` those for which the request was refused. `conflicts` says in words which
    conflicts a refused spec met.
    """

    target: LandingTarget | None = None
    outcomes: tuple[EditOutcome, ...] = ()
    commits: tuple[RecordedCommit, ...] = ()
    blind: tuple[Unread, ...] = ()
    blocking: tuple[Unread, ...] = ()
    conflicts: tuple[str, ...] = ()
    error: HkgitError | None = None

    @property
    def landed(self) -> tuple[str, ...]:
        """The ids of the commits that landed."""
        return tuple(each.commit for each in self.commits if each.commit is not None)


def apply(repository: Repository, request: ApplyRequest) -> ApplyResult:
    """Commit specs, or say why not; what a crash has left in the repository is repaired first.

    Raises GitRefused where the repair cannot be done; every other refusal is in the result.
    """
    if not request.dry_run:
        for settled in settle_abandoned(repository):
            if settled.hindrance is not None:
                request.say(f"warning: {settled.hindrance}")
    result = ApplyResult()

    def plan(specs: Sequence[Spec]) -> tuple[PlannedCommit, ...]:
        result.target = find_target(repository, replace(request, specs=tuple(specs)))
        return prepare(result.target)

    def land(steps: Sequence[PlannedCommit]) -> tuple[RecordedCommit, ...]:
        assert result.target is not None, "what lands was planned"
        _check(result.target, steps, result)
        if request.dry_run:
            return tuple(record_step(result.target, step) for step in steps)
        return _land(result.target, steps, result)

    try:
        if request.reflection is None:
            result.commits = land(plan(request.specs))
        else:
            result.commits = request.reflection.land(plan, land)
    except HkgitError as error:
        result.error = error
    for each in result.commits:
        if each.commit is not None:
            settle_refusals(repository, [each.id], each.commit)
    return result


def advise(result: ApplyResult, fix: str, lines: Lines | None = None) -> ApplyResult:
    """Add to a result of blind edits what their author can do, and the lines to look at first."""
    refused = result.error
    if not isinstance(refused, BlindEdit):
        return result
    near = () if lines is None else (Near(*lines),)
    error = BlindEdit(refused.where, refused.what, fix, *near)
    outcomes = (each.refuse(error) if each.error is refused else each for each in result.outcomes)
    return replace(result, outcomes=tuple(outcomes), error=error)


def _land(
    first: LandingTarget, planned: Sequence[PlannedCommit], result: ApplyResult
) -> tuple[RecordedCommit, ...]:
    """Commit planned specs and land them.

    Where the branch has moved and `retry` is set, the specs are planned again: against the base
    that they were first planned on, carried onto the new tip.
    """
    repository, request = first.repository, first.request
    if not request.retry:
        return carry_out(first, planned)
    target, steps = first, planned
    with turn(repository, target.branch):
        for tried in range(1, TRIES if request.verify is None else TRIES_WITH_VERIFY):
            try:
                return carry_out(target, steps)
            except BranchMoved as moved:
                import random  # few branches move

                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**tried)))
                target = find_target(repository, request)
                is_ahead = repository.is_ancestor(first.tip, target.tip)
                if target.branch != first.branch or not is_ahead:
                    raise moved
            request.say(f"{target.branch} moved: planned again on {target.tip[:12]}")
            steps = prepare(target, planned)
            _check(target, steps, result)
        return carry_out(target, steps)


def _check(target: LandingTarget, steps: Sequence[PlannedCommit], result: ApplyResult) -> None:
    """Raise the first refusal: of an edit, or of edits that are blind where none may be."""
    request = target.request
    result.outcomes = number_outcomes((step.spec, step.plan) for step in steps)
    error = find_first_error(result.outcomes)
    if error is None:
        result.blind = tuple(list_unread(target, steps))
        binds = target.policy.mode == "enforce"
        blocking = [each for each in result.blind if binds or each.by_number]
        if request.allow_blind or not blocking:
            return
        result.blocking = tuple(blocking)
        error = refuse_blind(target.policy, blocking)
        numbers = {each.number for each in blocking}
        result.outcomes = tuple(
            each.refuse(error) if each.number in numbers else each for each in result.outcomes
        )
    if not request.dry_run:
        _note_refusals(target, steps, result)
    raise error


def _note_refusals(
    target: LandingTarget, steps: Sequence[PlannedCommit], result: ApplyResult
) -> None:
    """Keep what was refused, in the clone's own record, and report the conflicts met."""
    repository, request = target.repository, target.request
    log = RefusalLog.of(repository.common_dir)
    agent = request.agent or steps[-1].spec.agent or "unknown"
    edits = (edit for each in steps for edit in each.spec.edits)
    refused = note_refused(log, agent, "apply", edits, result.outcomes)
    notes = describe_conflicts(repository, log, agent, refused, request.branch or "HEAD")
    result.conflicts = (*result.conflicts, *notes)
