"""apply.py: `hkgit apply`, from specs to landed commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from hkgit.applying.diff import render_diff
from hkgit.applying.outcome import EditOutcome, number_outcomes
from hkgit.applying.planner import Options
from hkgit.applying.reporting import refusal_text, render_apply_json
from hkgit.cli.agent.sessions import session_option
from hkgit.cli.common import echo_json, open_repository, root_relative
from hkgit.cli.edit.advice import Judge
from hkgit.cli.edit.merging import merge_option, tell_merge
from hkgit.cli.edit.reflecting import Prepare, Reflection
from hkgit.cli.edit.specs import (
    Input,
    echo_notes,
    outcome_line,
    read_expects,
    read_specs,
    spec_options,
)
from hkgit.cli.output import (
    VERBOSE,
    finish,
    loudness,
    print_error,
    print_info,
    print_note,
    show_progress,
)
from hkgit.cli.streams import printable_text
from hkgit.edits import Read
from hkgit.errors import HkgitError
from hkgit.evidence.ledger.trailers import decimal
from hkgit.gate.conflicts.tracking import open_conflicts
from hkgit.git.repository import Repository
from hkgit.git.transactions.recovery import settle_abandoned
from hkgit.sessions.session import EditSession
from hkgit.workflows.commits.commits import LandedCommit, record_step
from hkgit.workflows.commits.conflicts import note_refused, settle
from hkgit.workflows.commits.preparing import PlannedCommit, prepare
from hkgit.workflows.commits.retrying import land
from hkgit.workflows.commits.targets import ApplyOptions, LandingTarget, find_target


@click.command()
@spec_options
@click.option("--base", metavar="REV", help="The commit that the edits were written against.")
@click.option("--branch", metavar="NAME", help="Land on this branch, made at the base if absent.")
@merge_option
@click.option("--agent", metavar="NAME", help="Who made the edits, as name/version.")
@session_option("Take what this session has read for evidence.")
@click.option("-m", "--message", metavar="TEXT", help="The commit message.")
@click.option("--verify", metavar="COMMAND", help="Commit only if this passes on the edited files.")
@click.option(
    "--accept-hook-changes",
    is_flag=True,
    help="Commit what hooks of the repository change as well, recorded as theirs.",
)
@click.option("--reflect", metavar="COMMAND", help="Ask this command to correct refused edits.")
@click.option(
    "--retry/--no-retry",
    default=True,
    show_default=True,
    help="Plan again where the branch moved meanwhile.",
)
@click.pass_context
def command(ctx: click.Context, /, *, dry_run: bool, as_json: bool, **asked: Any) -> None:
    """Apply specs of edits and commit them with their evidence.

    Each SPEC is a file, or - for standard input, in any dialect that hkgit reads, and becomes one
    commit. Nothing lands unless every edit of every spec applies.
    """
    outcomes: list[EditOutcome] = []

    def check(steps: Sequence[PlannedCommit]) -> None:
        outcomes[:] = _outcomes(steps)
        if not dry_run:
            for said in note_refused(repository, steps, choices):
                print_note(said)
        _refuse(outcomes)
        outcomes[:] = _outcomes(judge.check(steps))
        _refuse(outcomes)

    try:
        repository = open_repository()
        if not dry_run:
            _repair(repository)
        choices = _choices(repository, asked)
        target, steps, asks, prepared = _prepare(repository, asked, choices)
        judge = Judge.of(ctx, repository, target, choices)
        check(steps)
        if dry_run:
            _show(repository, steps, choices, as_json=as_json)
            judge.tell()
            return
        again = check if asked["retry"] else None
        watch = show_progress("committing spec")

        def landed(steps: Sequence[PlannedCommit]) -> tuple[LandedCommit, ...]:
            check(steps)
            return land(repository, target, steps, choices, print_note, again, watch)

        done = landed(steps) if asks is None else asks.landed(steps, prepared, landed)
        settle(choices, done)
        _answer(repository, target, done, outcomes, as_json=as_json)
        judge.tell(done)
    except HkgitError as error:
        if as_json:
            mend = {} if error.mend is None else {"mend": error.mend}
            refused = render_apply_json(error.status, outcomes, None, error, dry_run=dry_run)
            echo_json(refused | mend)
        print_error(refusal_text(outcomes) or str(error))
        ctx.exit(error.exit_code)


_CHOSEN = ("branch", "merge", "base", "agent", "message", "verify")


def _choices(repository: Repository, asked: Mapping[str, Any]) -> ApplyOptions:
    """How the specs are to be applied, as asked on the command line."""
    expected = read_expects(asked["expect"], partial(root_relative, repository))
    return ApplyOptions(
        options=Options.of(
            asked["threshold"],
            relocate=asked["relocate"],
            check_syntax=asked["check_syntax"],
            allow_blind=True,  # of all edits at once the judge speaks, see `judge.checked`
        ),
        reads=(*expected, *_receipts(repository, asked["session"])),
        **{key: asked[key] for key in _CHOSEN},
        accept_hook_changes=asked["accept_hook_changes"],
        allow_blind=asked["allow_blind"],
        met=open_conflicts(repository, asked["branch"]),
        hears_verify=asked["reflect"] is not None,
    )


def _receipts(repository: Repository, session: str | None) -> tuple[Read, ...]:
    """What a session has read and still stands so in the checkout."""
    if session is None or repository.work_tree is None:
        return ()
    return EditSession.open(repository.work_tree, session).status().receipts


def _prepare(
    repository: Repository, asked: Mapping[str, Any], choices: ApplyOptions
) -> tuple[LandingTarget, Sequence[PlannedCommit], Reflection | None, Prepare]:
    """Where the specs land, and what each comes to; a command may correct what is refused."""
    root = repository.work_tree
    reader = partial(read_specs, Input.of(asked), root, partial(root_relative, repository))
    asks = None
    if asked["reflect"] is not None:
        asks = Reflection(asked["reflect"], Path.cwd(), None if root is None else str(root))
    parsed = reader() if asks is None else asks.parsed(reader)
    target = find_target(repository, parsed, choices)
    prepared = partial(prepare, repository, choices=choices, target=target)
    steps = prepared(parsed) if asks is None else asks.steps(parsed, prepared)
    return target, steps, asks, prepared


def _outcomes(steps: Sequence[PlannedCommit]) -> list[EditOutcome]:
    """The outcomes of all specs, numbered through."""
    return [*number_outcomes((step.spec, step.made) for step in steps)]


def _refuse(outcomes: Sequence[EditOutcome]) -> None:
    """Raise the first refusal."""
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error


def _show(
    repository: Repository, steps: Sequence[PlannedCommit], choices: ApplyOptions, *, as_json: bool
) -> None:
    """What would change, and the evidence it would have."""
    records = [record_step(step, choices, None) for step in steps]
    outcomes = _outcomes(steps)
    echo_notes(outcomes)
    merge = tell_merge(repository, steps[-1])
    if as_json:
        echo_json(render_apply_json("applied", outcomes, None, dry_run=True) | merge)
    for step, record in zip(steps, records, strict=True):
        if as_json:
            continue
        for change in step.made.files:
            shown = render_diff(change).encode("utf-8", "surrogateescape")
            click.echo(printable_text(shown), nl=False)
        click.echo(b"\n" + printable_text(record.message), nl=False)


def _repair(repository: Repository) -> None:
    """Clear away what a crash left, quietly; only what needs somebody is told."""
    for settled in settle_abandoned(repository):
        if settled.hindrance is not None:
            print_note(f"warning: {settled.hindrance}")


def _answer(
    repository: Repository,
    target: LandingTarget,
    done: Sequence[LandedCommit],
    outcomes: Sequence[EditOutcome],
    *,
    as_json: bool,
) -> None:
    finish(f"commit {done[-1].commit} landed on {target.branch}")
    echo_notes(outcomes)
    merge = tell_merge(repository, done[-1].step)
    if as_json:
        echo_json(render_apply_json("applied", outcomes, done[-1].commit) | merge)
        return
    for each in done:
        print_info(summary_line(target.branch, each))
    if loudness() == VERBOSE:
        for outcome in outcomes:
            click.echo(f"  {outcome_line(outcome)}  {outcome.evidence.kind}")


def summary_line(branch: str, done: LandedCommit) -> str:
    """One line as git prints it, with the least sure edit."""
    subject = done.record.message.decode("utf-8", "replace").split("\n", 1)[0]
    least = min(done.record.entry.edits, key=lambda edit: edit.confidence)
    return (
        f"[{branch} {done.commit[:7]}] {subject}"
        f" (lowest confidence {decimal(least.confidence)}, {least.tier})"
    )
