"""`hkgit edit` (also `hk apply`), edits straight into the working tree, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from hkgit.applying.outcome import outcome_line, render_apply_json
from hkgit.cli.answer import Answer
from hkgit.cli.common import find_work_root, make_relative_to
from hkgit.cli.options import declare, option, option_of, options_in, session_option
from hkgit.cli.output import CONSOLE, QUIET, print_note, printable_text
from hkgit.cli.spec_options import SpecOptions, echo_notes, read_expects, read_specs, refuse
from hkgit.errors import HkgitError
from hkgit.sessions.answers import EditReport
from hkgit.sessions.edit_session import EditSession, open_session
from hkgit.sessions.homes import UNNAMED
from hkgit.sessions.session_states import Status
from hkgit.text.escape import count_noun, visible
from hkgit.workflows.arguments import CALL, WHOLE_SESSION


@declare
def edit(
    *,
    given: SpecOptions = options_in(SpecOptions),
    session: str | None = session_option("Use what this session has read, and keep the call."),
    agent: str | None = option("Who edits in the session, as name/version.", metavar="NAME"),
) -> Answer:
    """Apply edits to the working tree, without a commit; all of them or none.

    `hkgit undo` undoes it. Outside a repository paths are relative to the current directory, and
    only what was edited with --session can be undone.
    """
    if agent is not None and session is None:  # such a call is undone, and never recorded
        raise click.UsageError("--agent needs --session: only a session's edits get evidence.")
    report = EditReport(())
    try:
        root = find_work_root()
        name = UNNAMED if session is None else session
        edit_session = EditSession.open(root, name, agent=agent or "unknown")
        locate = partial(make_relative_to, root)
        report = edit_session.edit_all(
            read_specs(given, root, locate, partial(edit_session.note_unread, "edit")),
            given.to_options(allow_blind=given.allow_blind),
            expect=read_expects(given.expect, locate),
            dry_run=given.dry_run,
        )
        for words in report.conflicts:
            print_note(words)
        if report.error is not None:
            raise report.error
    except HkgitError as error:
        return refuse(error, report.outcomes, given, report.document, report.for_model())
    if not given.dry_run:
        CONSOLE.done = "the files are edited"
    echo_notes(report.outcomes)
    for each in report.blind:
        print_note(f"note: {each.what}\nFix: {each.command}")
    document = render_apply_json("applied", report.outcomes, None, dry_run=given.dry_run)
    return Answer(document | report.document, _lines(report, given))


def _lines(report: EditReport, given: SpecOptions) -> Iterator[str | bytes]:
    for outcome in report.outcomes:
        if given.dry_run:
            yield printable_text(outcome.diff.encode("utf-8", "surrogateescape"))
        if CONSOLE.loudness > QUIET:
            yield outcome_line(outcome)


@declare
def undo(
    *,
    session: str | None = session_option("The session of the call."),
    call: str | None = option_of(CALL, metavar="ID"),
    whole: bool = option_of(WHOLE_SESSION, "--all"),
    only_list: bool = option("Only list the calls.", "--list"),
) -> Answer:
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
    CONSOLE.done = "the call is undone"
    lines = [
        f"{path}: {'deleted again' if file is None else 'as it was'}"
        for path, file in sorted(undone.files.items())
    ]
    nothing = f"nothing is left of {count_noun(len(undone.calls), 'call')}: no file changed"
    return Answer(undone.document, lines or [nothing], is_info=True)


def _list(status: Status) -> Iterator[str]:
    for call in status.calls:
        if not call.undone:
            notes = {"blind": call.blind, "committed": call.committed}
            suffix = "".join(f", {count} {what}" for what, count in notes.items() if count)
            edits = count_noun(call.edits, "edit")
            line = f"{call.call}  {' '.join(call.files)}  {edits} by {call.agent}{suffix}"
            yield visible(line)
