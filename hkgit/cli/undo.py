"""`hkgit undo`: the way back from `hkgit edit`."""

from __future__ import annotations

import click

from hkgit.cli.common import echo_json, json_option
from hkgit.cli.options import option_of
from hkgit.cli.output import finish, print_info
from hkgit.cli.session_options import find_work_root
from hkgit.sessions.answers import Status
from hkgit.sessions.session_json import status_json
from hkgit.text.escape import count_noun, visible
from hkgit.workflows.arguments import CALL, WHOLE_SESSION
from hkgit.workflows.session_calls import open_session


@click.command()
@click.option("--session", metavar="NAME", envvar="HKGIT_SESSION", help="The session of the call.")
@option_of(CALL, metavar="ID")
@option_of(WHOLE_SESSION, "--all", "whole")
@click.option("--list", "only_list", is_flag=True, help="Only list the calls.")
@json_option
def command(
    session: str | None, call: str | None, whole: bool, only_list: bool, as_json: bool
) -> None:
    """Undo the last call of `hkgit edit`, and nothing that came after it.

    Without a session, that of the latest call. If later work is in the way, nothing changes and
    the exit code is 3.
    """
    if call is not None and whole:
        raise click.UsageError("--call and --all exclude each other.")
    edit_session = open_session(find_work_root(), session)
    if only_list:
        _list(edit_session.status(), as_json=as_json)
        return
    undone = edit_session.undo(call, whole_session=whole)
    finish("the call is undone")
    if as_json:
        calls = list(undone.calls)
        files = sorted(undone.files)
        echo_json(
            {"status": "undone", "session": edit_session.session, "calls": calls, "files": files}
        )
        return
    for path, file in sorted(undone.files.items()):
        print_info(f"{path}: {'deleted again' if file is None else 'as it was'}")
    if not undone.files:
        print_info(f"nothing is left of {count_noun(len(undone.calls), 'call')}: no file changed")


def _list(status: Status, *, as_json: bool) -> None:
    if as_json:
        echo_json(status_json(status))
        return
    for call in status.calls:
        if not call.is_undone:
            notes = {"blind": call.blind, "committed": call.committed}
            suffix = "".join(f", {count} {what}" for what, count in notes.items() if count)
            edits = count_noun(call.edits, "edit")
            click.echo(
                visible(f"{call.id}  {' '.join(call.files)}  {edits} by {call.agent}{suffix}")
            )
