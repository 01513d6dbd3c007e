"""`hkgit undo`: the way back from `hkgit edit`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from hkgit.cli.answer import Answer, json_option
from hkgit.cli.common import find_work_root
from hkgit.cli.options import option_of
from hkgit.cli.output import finish
from hkgit.sessions.session_status import Status
from hkgit.text.escape import count_noun, visible
from hkgit.workflows.arguments import CALL, WHOLE_SESSION
from hkgit.workflows.session_calls import open_session


@click.command()
@click.option("--session", metavar="NAME", envvar="HKGIT_SESSION", help="The session of the call.")
@option_of(CALL, metavar="ID")
@option_of(WHOLE_SESSION, "--all", "whole")
@click.option("--list", "only_list", is_flag=True, help="Only list the calls.")
@json_option
def command(session: str | None, call: str | None, whole: bool, only_list: bool) -> Answer:
    """Undo the last call of `hkgit edit`, and nothing that came after it.

    Without a session, that of the latest call. If later work is in the way, nothing changes and
    the exit code is 3.
    """
    if call is not None and whole:
        raise click.UsageError("--call and --all exclude each other.")
    edit_session = open_session(find_work_root(), session)
    if only_list:
        status = edit_session.status()
        return Answer(status.document, _list(status))
    undone = edit_session.undo(call, whole_session=whole)
    finish("the call is undone")
    document = {
        "status": "undone",
        "session": edit_session.session,
        "calls": list(undone.calls),
        "files": sorted(undone.files),
    }
    lines = [
        f"{path}: {'deleted again' if file is None else 'as it was'}"
        for path, file in sorted(undone.files.items())
    ]
    nothing = f"nothing is left of {count_noun(len(undone.calls), 'call')}: no file changed"
    return Answer(document, lines or [nothing], is_info=True)


def _list(status: Status) -> Iterator[str]:
    for call in status.calls:
        if not call.undone:
            notes = {"blind": call.blind, "committed": call.committed}
            suffix = "".join(f", {count} {what}" for what, count in notes.items() if count)
            edits = count_noun(call.edits, "edit")
            line = f"{call.call}  {' '.join(call.files)}  {edits} by {call.agent}{suffix}"
            yield visible(line)
