"""applying.py: `apply` for a connected agent: the way of `hkgit apply`, with its receipts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hkgit.applying.outcome import EditOutcome
from hkgit.applying.planner import Options
from hkgit.applying.reporting import applied_json, shown_text, visible
from hkgit.committing.commits import Committed, recorded
from hkgit.committing.minding import note_refused, open_conflicts, settle
from hkgit.committing.preparing import Step, prepare
from hkgit.committing.retrying import land
from hkgit.committing.targets import Choices, find_target
from hkgit.dialects import parse_expect
from hkgit.edits import Read, Spec
from hkgit.errors import HkgitError
from hkgit.git.recovery import settle_abandoned
from hkgit.git.repository import Repository
from hkgit.mcp.replies import Reply, of_refused, outcome_line
from hkgit.sessions.desk import Desk


@dataclass(frozen=True, slots=True)
class Asked:
    """How a spec is to be applied, as the call says."""

    expect: Sequence[str] = ()
    threshold: float = 0.8
    relocate: bool = False
    check_syntax: bool = False
    dry_run: bool = False
    message: str | None = None
    branch: str | None = None
    base: str | None = None


def applied(desk: Desk, spec: Spec, asked: Asked) -> Reply:
    """Commit a spec with its evidence. Raises what `hkgit apply` raises before it has a plan."""
    repository = Repository.discover(desk.root)
    if not asked.dry_run:
        settle_abandoned(repository)
    choices = _choices(repository, desk, spec, asked)
    outcomes: list[EditOutcome] = []
    said: list[str] = []

    def check(steps: Sequence[Step]) -> None:
        outcomes[:] = [outcome for step in steps for outcome in step.made.outcomes]
        if not asked.dry_run:
            said.extend(note_refused(repository, steps, choices))
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error

    try:
        target = find_target(repository, [spec], choices)
        steps = prepare(repository, [spec], choices, target)
        check(steps)
        if asked.dry_run:
            return _would_be([recorded(step, choices, None).message for step in steps], outcomes)
        done = land(repository, target, steps, choices, _say, check)
    except HkgitError as error:
        reply = of_refused(outcomes, error)
        return replace(reply, text="\n".join([reply.text, *map(visible, said)]))
    settle(choices, done)
    return _landed(target.branch, done[-1], outcomes)


def _choices(repository: Repository, desk: Desk, spec: Spec, asked: Asked) -> Choices:
    return Choices(
        branch=asked.branch,
        base=asked.base,
        agent=desk.agent if spec.agent is None else spec.agent,
        message=asked.message,
        options=Options.of(
            asked.threshold, relocate=asked.relocate, check_syntax=asked.check_syntax
        ),
        reads=(*map(parse_expect, asked.expect), *_receipts(desk, spec)),
        met=open_conflicts(repository, asked.branch),
    )


def _receipts(desk: Desk, spec: Spec) -> list[Read]:
    """What the session has read of the files that a spec names."""
    named = {edit.path for edit in spec.edits}
    return [read for read in desk.status().receipts if read.path in named]


def _landed(branch: str, done: Committed, outcomes: Sequence[EditOutcome]) -> Reply:
    subject = done.record.message.decode("utf-8", "replace").split("\n", 1)[0]
    warned = [f"warning: {each.where}: {each.what}\n{each.fix}" for each in done.record.warnings]
    head = f"[{branch} {done.commit[:12]}] {visible(subject)}"
    text = "\n".join([head, *map(outcome_line, outcomes), *warned])
    return Reply(applied_json("applied", outcomes, done.commit), text)


def _would_be(messages: Sequence[bytes], outcomes: Sequence[EditOutcome]) -> Reply:
    diffs = "".join(shown_text(outcome.diff) or "" for outcome in outcomes)
    shown = "\n".join(message.decode("utf-8", "replace") for message in messages)
    return Reply(applied_json("applied", outcomes, None), f"{diffs}\n{shown}")


def _say(text: str) -> None:
    print(f"hkgit: {text}", file=sys.stderr)
