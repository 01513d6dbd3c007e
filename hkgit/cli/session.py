"""`hkgit session`: list the sessions of a checkout, and remove them."""

from __future__ import annotations

import time

from hkgit.cli.answer import Answer
from hkgit.cli.common import find_work_root, open_repository
from hkgit.cli.options import argument, declare, group, option
from hkgit.sessions import session_states
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.session_states import SessionState
from hkgit.text.escape import count_noun, visible
from hkgit.values import asdict


@declare
def list_() -> Answer:
    """List the sessions, and how many edits of each are not committed yet."""
    repository, root = open_repository(), find_work_root()
    session_states.expire(root)
    found = session_states.list_sessions(repository, root)
    lines = [visible(describe_session(each)) for each in found] or ["no session in this checkout"]
    return Answer({"sessions": [*map(asdict, found)]}, lines, is_info=not found)


@declare
def show(*, name: str = argument()) -> Answer:
    """Show the calls of one session, and what it has read."""
    root = find_work_root()
    state = session_states.find_state(session_states.list_sessions(open_repository(), root), name)
    status = EditSession.open(root, name).status()
    lines = [describe_session(state)]
    for call in status.calls:
        undone = ", undone" if call.undone else ""
        edits = count_noun(call.edits, "edit")
        lines.append(f"  call {call.call}  {' '.join(call.files)}  {edits} by {call.agent}{undone}")
    lines += (f"  read {each.path}:{each.start_line}-{each.end_line}" for each in status.receipts)
    return Answer(asdict(state) | status.document, map(visible, lines))


@declare
def clean(
    *,
    names: tuple[str, ...] = argument("[NAME]..."),
    force: bool = option("Also those with uncommitted edits: these get no evidence."),
    dry_run: bool = option("Only show what would be removed."),
) -> Answer:
    """Remove the sessions without uncommitted edits, or of these the NAMEs.

    Files are not changed.
    """
    gone, kept = session_states.clean(
        open_repository(), find_work_root(), names, force=force, dry_run=dry_run
    )
    word = "would be removed" if dry_run else "removed"
    lines = [f"{word}  {each.session}" for each in gone]
    for each in kept:
        waiting = f"{count_noun(each.waiting, 'edit')} would lose evidence"
        why = waiting if each.waiting else "damaged"
        lines.append(f"kept  {each.session}: {why}; hkgit session clean --force {each.session}")
    document = {
        "status": "cleaned",
        "dry_run": dry_run,
        "removed": [each.session for each in gone],
        "kept": [each.session for each in kept],
    }
    return Answer(document, lines or ["nothing to remove"], is_info=True)


command = group(
    "List the sessions of a checkout, and remove them.", list=list_, show=show, clean=clean
)


def describe_session(state: SessionState) -> str:
    """Describe a session in one line."""
    if state.damage is not None:
        fix = f"hkgit session clean --force {state.session} removes it"
        return f"{state.session}  its journal {state.damage}: {fix}"
    waits = "nothing to commit"
    if state.waiting:
        blind = f", {state.waiting_blind} blind" if state.waiting_blind else ""
        waits = f"{count_noun(state.waiting, 'edit')} to be committed{blind}"
    ends = "" if state.expires is None else f", expires {_day(state.expires)}"
    calls = count_noun(state.call_count, "call")
    return f"{state.session}  {calls}, {waits}, used {_day(state.last_used)}{ends}"


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
