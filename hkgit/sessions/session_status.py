"""The status of a session: its calls, its receipts, and what waits for a commit."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.edits import Read, Snapshot
from hkgit.sessions.answers import CallStatus, Status
from hkgit.sessions.call_journal import JournaledCall, SessionJournal, list_units
from hkgit.sessions.knowledge import NOTHING, carry_knowledge, merge_knowledge
from hkgit.sessions.outstanding import find_effective, is_unread


def collect_status(
    session: str, journal: SessionJournal, files: Snapshot, batches: tuple[str, ...]
) -> Status:
    """Collect the status of a session; edits gone from the checkout wait for no commit."""
    done = journal.committed
    waiting = [
        is_unread(unit.entry, unit.number)
        for unit in find_effective(files, list_units(journal))
        if (unit.call.id, unit.spec, unit.number) not in done
    ]
    return Status(
        session=session,
        calls=tuple(_call(journal, each) for each in _list_calls(journal)),
        receipts=tuple(_list_receipts(journal, files)),
        uncommitted=len(waiting),
        blind=sum(waiting),
        batches=batches,
    )


def _list_calls(journal: SessionJournal) -> list[JournaledCall]:
    """List the calls that a session tells of: what HEAD has is git's."""
    state = journal.state
    undone = [call for id, call in state.calls.items() if id in state.undone and not call.undoes]
    return sorted([*undone, *journal.standing], key=lambda call: call.id)


def _list_receipts(journal: SessionJournal, files: Snapshot) -> Iterator[Read]:
    """List the receipts of a session that hold for files as they stand."""
    state, kept = journal.state, journal.blobs.get
    for path in sorted({*state.known, *state.fresh}):
        file = files.get(path)
        if file is not None:
            known, fresh = (each.get(path, NOTHING) for each in (state.known, state.fresh))
            merged = merge_knowledge(known, fresh, kept)
            yield from carry_knowledge(merged, file.data, kept).receipts(path)


def _call(journal: SessionJournal, call: JournaledCall) -> CallStatus:
    blind = [is_unread(entry, edit.id) for entry in call.entries for edit in entry.edits]
    return CallStatus(
        id=str(call.id),
        time=call.time // 1000,
        agent=call.agent,
        edits=len(blind),
        blind=sum(blind),
        committed=sum(key[0] == call.id for key in journal.committed),
        files=tuple(call.states()),
        is_undone=call.id in journal.state.undone,
    )
