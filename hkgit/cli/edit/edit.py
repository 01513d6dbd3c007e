"""edit.py: `hkgit edit` (also `hk apply`), edits straight into the working tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from hkgit.applying.planner import Options
from hkgit.applying.reporting import render_apply_json
from hkgit.cli.agent.sessions import session_options, work_root
from hkgit.cli.common import below, echo_json
from hkgit.cli.edit.command_line import again, expecting
from hkgit.cli.edit.specs import (
    Input,
    echo_notes,
    outcome_line,
    read_expects,
    read_specs,
    spec_options,
)
from hkgit.cli.output import finish, print_error, print_info, print_note
from hkgit.cli.streams import printable_text
from hkgit.errors import BlindEdit, HkgitError
from hkgit.sessions.answers import EditReport
from hkgit.sessions.reporting import call_json
from hkgit.sessions.session import EditSession
from hkgit.sessions.storage.paths import UNNAMED
from hkgit.text.document import Document, terminate


@click.command()
@spec_options
@session_options
@click.option("--batch", metavar="ID[:N,...]", help="Correct the refused edits of a batch.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Apply edits to the working tree, without a commit; all of them or none.

    Outside a repository paths are relative to the current directory. `hkgit undo` takes it back.
    """
    answer = EditReport(())
    try:
        answer = _edit(asked)
        for said in answer.conflicts:
            print_note(said)
        if answer.error is not None:
            raise answer.error
    except HkgitError as error:
        mend = _mend(ctx, answer)
        if asked["as_json"]:
            refused = render_apply_json(
                error.status, answer.outcomes, None, error, dry_run=asked["dry_run"]
            )
            echo_json(refused | call_json(answer) | ({} if mend is None else {"mend": mend}))
        print_error(answer.for_model() or str(error))
        if mend is not None:
            print_note(f"Mend it: {mend}")
        ctx.exit(error.exit_code)
    _print(answer, asked)


def _mend(ctx: click.Context, answer: EditReport) -> str | None:
    """The command that gives edits the hashes that they lack; None where that is not what fails."""
    refused = [each for each in answer.outcomes if each.error is not None]
    if not refused or not all(isinstance(each.error, BlindEdit) for each in refused):
        return None
    root = work_root()
    files = {each.path: (root / each.path).read_bytes() for each in refused}
    hashes = {path: terminate(Document(data)).whole_hash for path, data in files.items()}
    return again(ctx, *expecting(root, hashes.items()))


def _edit(asked: dict[str, Any]) -> EditReport:
    """What became of the specs that were given. Raises what `Desk.edit` raises."""
    root = work_root()
    name = asked["session"]
    desk = EditSession.open(root, UNNAMED if name is None else name, agent=asked["agent"])
    options = Options.of(
        asked["threshold"],
        relocate=asked["relocate"],
        check_syntax=asked["check_syntax"],
        allow_blind=asked["allow_blind"],
    )
    locate = partial(below, root)
    specs = read_specs(Input.of(asked), root, locate)
    expects = read_expects(asked["expect"], locate)
    if asked["batch"] is not None:
        specs = [desk.correct_batch(asked["batch"], specs)]
    return desk.edit_all(
        specs, options, expect=expects, dry_run=asked["dry_run"], batch=asked["batch"]
    )


def _print(answer: EditReport, asked: dict[str, Any]) -> None:
    if not asked["dry_run"]:
        finish("the files are edited")
    echo_notes(answer.outcomes)
    for each in answer.blind:
        print_note(f"note: {each.what}\nMend it: {each.command}")
    if asked["as_json"]:
        document = render_apply_json("applied", answer.outcomes, None, dry_run=asked["dry_run"])
        echo_json(document | call_json(answer))
        return
    for outcome in answer.outcomes:
        if asked["dry_run"]:
            click.echo(printable_text(outcome.diff.encode("utf-8", "surrogateescape")), nl=False)
        print_info(outcome_line(outcome))
