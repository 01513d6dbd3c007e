"""edit.py: `hkgit edit` (also `hk apply`), edits straight into the working tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from hkgit.applying.planner import Options
from hkgit.applying.reporting import applied_json
from hkgit.commands.common import below, echo_json
from hkgit.commands.manners import complain, confirm, remark
from hkgit.commands.sessions import session_options, work_root
from hkgit.commands.specs import (
    Input,
    echo_notes,
    outcome_line,
    read_expects,
    read_specs,
    spec_options,
)
from hkgit.errors import HkgitError
from hkgit.sessions.answers import Answer
from hkgit.sessions.desk import Desk
from hkgit.sessions.places import UNNAMED
from hkgit.sessions.reporting import kept_json


@click.command()
@spec_options
@session_options
@click.option("--batch", metavar="ID[:N,...]", help="Correct the refused edits of a batch.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Apply edits to the working tree, without a commit; all of them or none.

    Outside a repository paths are relative to the current directory. `hkgit undo` takes it back.
    """
    answer = Answer(())
    try:
        answer = _edited(asked)
        for said in answer.conflicts:
            remark(said)
        if answer.error is not None:
            raise answer.error
    except HkgitError as error:
        if asked["as_json"]:
            refused = applied_json(error.status, answer.outcomes, None, error)
            echo_json(refused | kept_json(answer))
        complain(answer.for_model() or str(error))
        ctx.exit(error.exit_code)
    _print(answer, asked)


def _edited(asked: dict[str, Any]) -> Answer:
    """What became of the specs that were given. Raises what `Desk.edit` raises."""
    root = work_root()
    name = asked["session"]
    desk = Desk.open(root, UNNAMED if name is None else name, agent=asked["agent"])
    options = Options.of(
        asked["threshold"], relocate=asked["relocate"], check_syntax=asked["check_syntax"]
    )
    locate = partial(below, root)
    specs = read_specs(Input.of(asked), root, locate)
    expects = read_expects(asked["expect"], locate)
    if asked["batch"] is not None:
        specs = [desk.corrected(asked["batch"], specs)]
    return desk.edit_all(
        specs, options, expect=expects, dry_run=asked["dry_run"], batch=asked["batch"]
    )


def _print(answer: Answer, asked: dict[str, Any]) -> None:
    echo_notes(answer.outcomes)
    for each in answer.blind:
        remark(f"note: {each.what}\nMend it: {each.command}")
    if asked["as_json"]:
        echo_json({**applied_json("applied", answer.outcomes, None), **kept_json(answer)})
        return
    for outcome in answer.outcomes:
        if asked["dry_run"]:
            click.echo(outcome.diff.encode("utf-8", "surrogateescape"), nl=False)
        confirm(outcome_line(outcome))
