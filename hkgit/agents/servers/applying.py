"""applying.py: `apply` for a connected agent: the way of `hkgit apply`, with its receipts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hkgit.agents.servers.replies import Reply, of_refused, outcome_line
from hkgit.applying.outcome import EditOutcome, first_error
from hkgit.applying.planner import Options
from hkgit.applying.reporting import render_apply_json
from hkgit.dialects import parse_expect
from hkgit.edits import Read, Spec
from hkgit.errors import HkgitError
from hkgit.gate.conflicts.tracking import open_conflicts
from hkgit.git.repository import Repository
from hkgit.git.transactions.recovery import settle_abandoned
from hkgit.sessions.session import EditSession
from hkgit.text.escaping import to_json_text, visible
from hkgit.values import dataclass, replace
from hkgit.workflows.commits.asking import Rules, refuse_steps
from hkgit.workflows.commits.commits import LandedCommit, record_step
from hkgit.workflows.commits.conflicts import note_refused, settle
from hkgit.workflows.commits.preparing import PlannedCommit, prepare
from hkgit.workflows.commits.retrying import land
from hkgit.workflows.commits.targets import ApplyOptions, find_target


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """How a spec is to be applied, as the call says."""

    expect: Sequence[str] = ()
    threshold: float = 0.8
    relocate: bool = False
    check_syntax: bool | None = None
    dry_run: bool = False
    message: str | None = None
    branch: str | None = None
    base: str | None = None


def apply_spec(desk: EditSession, spec: Spec, asked: ApplyRequest) -> Reply:
    """Commit a spec with its evidence. Raises what `hkgit apply` raises before it has a plan."""
    repository = Repository.discover(desk.root)
    if not asked.dry_run:
        settle_abandoned(repository)
    choices = _options_of(repository, desk, spec, asked)
    outcomes: list[EditOutcome] = []
    said: list[str] = []

    def check(steps: Sequence[PlannedCommit]) -> None:
        outcomes[:] = [outcome for step in steps for outcome in step.made.outcomes]
        if not asked.dry_run:
            said.extend(note_refused(repository, steps, choices))
        _refuse(outcomes)
        stopped = _refuse_blind(rules, steps, choices)
        outcomes[:] = [outcome for step in stopped for outcome in step.made.outcomes]
        _refuse(outcomes)

    try:
        target = find_target(repository, [spec], choices)
        rules = Rules.of(repository, target, choices)
        steps = prepare(repository, [spec], choices, target)
        check(steps)
        if asked.dry_run:
            return _would_be([record_step(step, choices, None).message for step in steps], outcomes)
        done = land(repository, target, steps, choices, _say, check)
    except HkgitError as error:
        reply = of_refused(outcomes, error)
        return replace(reply, text="\n".join([reply.text, *map(visible, said)]))
    settle(choices, done)
    return _reply_landed(target.branch, done[-1], outcomes)


def _refuse(outcomes: Sequence[EditOutcome]) -> None:
    """Raise the first refusal."""
    error = first_error(outcomes)
    if error is not None:
        raise error


def _refuse_blind(
    rules: Rules, steps: Sequence[PlannedCommit], choices: ApplyOptions
) -> Sequence[PlannedCommit]:
    """The steps, with a refusal at each edit that is blind where none may be."""
    unread = rules.unread(steps, [record_step(step, choices, None).entry for step in steps])
    stopping = rules.stopping(unread)
    if not stopping:
        return steps
    fix = "Read those lines in this session, then make this call again."
    return refuse_steps(stopping, rules.refusal(stopping, fix), steps)


def _options_of(
    repository: Repository, desk: EditSession, spec: Spec, asked: ApplyRequest
) -> ApplyOptions:
    return ApplyOptions(
        branch=asked.branch,
        base=asked.base,
        agent=desk.agent if spec.agent is None else spec.agent,
        message=asked.message,
        options=Options.of(
            asked.threshold,
            relocate=asked.relocate,
            check_syntax=asked.check_syntax,
            allow_blind=True,  # the judge speaks of all edits at once
        ),
        reads=(*map(parse_expect, asked.expect), *_receipts(desk, spec)),
        met=open_conflicts(repository, asked.branch),
    )


def _receipts(desk: EditSession, spec: Spec) -> list[Read]:
    """What the session has read of the files that a spec names."""
    named = {edit.path for edit in spec.edits}
    return [read for read in desk.status().receipts if read.path in named]


def _reply_landed(branch: str, done: LandedCommit, outcomes: Sequence[EditOutcome]) -> Reply:
    subject = done.record.message.decode("utf-8", "replace").split("\n", 1)[0]
    said = done.complaint
    warned = [] if said is None else [f"note: would be rejected: {said}"]
    head = f"[{branch} {done.commit[:12]}] {visible(subject)}"
    text = "\n".join([head, *map(outcome_line, outcomes), *warned])
    return Reply(render_apply_json("applied", outcomes, done.commit), text)


def _would_be(messages: Sequence[bytes], outcomes: Sequence[EditOutcome]) -> Reply:
    diffs = "".join(to_json_text(outcome.diff) or "" for outcome in outcomes)
    shown = "\n".join(message.decode("utf-8", "replace") for message in messages)
    return Reply(render_apply_json("applied", outcomes, None, dry_run=True), f"{diffs}\n{shown}")


def _say(text: str) -> None:
    print(f"hkgit: {text}", file=sys.stderr)
