"""effective.py: the calls of a session that are in effect, and what is known from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import covers, is_blind
from hkgit.edits import File, MappingSnapshot, Read, Snapshot
from hkgit.errors import InvalidInput
from hkgit.sessions.abandoning import find_effective
from hkgit.sessions.answers import CallStatus, Status
from hkgit.sessions.commit.pending import list_units
from hkgit.sessions.readings.knowledge import NOTHING, carry_knowledge, merge_knowledge
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import JournaledCall
from hkgit.sessions.storage.state import JournalState


def choose_calls(
    state: JournalState,
    call: str | None,
    effective: Sequence[JournaledCall],
    *,
    whole_session: bool,
) -> list[JournaledCall]:
    """Choose the calls to be undone, the oldest first; without a name, the last `effective` one.

    Raises InvalidInput when there is none.
    """
    kept = state.effective
    if call is not None:
        found = [each for each in kept if str(each.id) == call]
        where = f"call {call}"
    else:
        found = kept if whole_session else [*(effective or kept)][-1:]
        where = "the session"
    if not found:
        fix = "hkgit undo --list shows the calls; what is committed git takes back: git revert"
        raise InvalidInput(where, "holds no call that can be undone", fix)
    return found


def find_calls_in(files: Snapshot, journal: SessionJournal) -> list[JournaledCall]:
    """List the calls of a session of which some edit is still in `files`, the oldest first."""
    ids = {unit.call.id for unit in find_effective(files, list_units(journal))}
    return [call for call in journal.state.effective if call.id in ids]


def find_before(journal: SessionJournal, call: str, path: str) -> tuple[int, int, Snapshot]:
    """Find the call and spec that changed a file, and the file before. Raises InvalidInput."""
    changes = (
        (each.id, at, change.before)
        for each in journal.state.effective
        if str(each.id) == call
        for at, spec in enumerate(each.specs)
        for change in spec.changes
        if path in (change.path, change.new_path)
    )
    first = next(changes, None)
    if first is None:
        raise InvalidInput(f"call {call}", f"did not change {path}, or was undone")
    number, at, before = first
    data = None if before is None else journal.blobs.get(before.sha256)
    return number, at, MappingSnapshot({} if data is None else {path: File(data)})


def collect_status(
    session: str, journal: SessionJournal, files: Snapshot, batches: tuple[str, ...]
) -> Status:
    """Collect the status of a session; edits gone from the checkout wait for no commit."""
    state = journal.load()
    waiting = [
        is_unread(state, unit.call, unit.spec, unit.number)
        for unit in find_effective(files, list_units(journal))
        if (unit.call.id, unit.spec, unit.number) not in state.committed
    ]
    done = (call for id, call in state.calls.items() if state.is_done(id) and not call.undoes)
    return Status(
        session=session,
        calls=tuple(_call(state, call) for call in done),
        receipts=tuple(_list_receipts(journal, files)),
        uncommitted=len(waiting),
        blind=sum(waiting),
        batches=batches,
    )


def _list_receipts(journal: SessionJournal, files: Snapshot) -> Iterator[Read]:
    """List the receipts of a session that hold for files as they stand."""
    state, kept = journal.state, journal.blobs.get
    for path in sorted({*state.known, *state.fresh}):
        file = files.get(path)
        if file is not None:
            known, fresh = (each.get(path, NOTHING) for each in (state.known, state.fresh))
            merged = merge_knowledge(known, fresh, kept)
            yield from carry_knowledge(merged, file.data, kept).receipts(path)


def _call(state: JournalState, call: JournaledCall) -> CallStatus:
    blind = [
        is_unread(state, call, at, number)
        for at, spec in enumerate(call.specs)
        for number in range(1, len(spec.blocks) + 1)
    ]
    return CallStatus(
        id=str(call.id),
        time=call.time // 1000,
        agent=call.agent,
        edits=len(blind),
        blind=sum(blind),
        committed=sum(key[0] == call.id for key in state.committed),
        files=tuple(call.states()),
        is_undone=call.id in state.undone,
    )


def is_unread(state: JournalState, call: JournaledCall, spec: int, number: int) -> bool:
    """Whether no read, before the edit or after the fact, covers the lines that it touched."""
    journaled = call.specs[spec]
    if not is_blind(journaled.evidence[number - 1]):
        return False
    path, touched = journaled.paths[number - 1], journaled.touched[number - 1]
    reads = [each.read for each in state.mended if (each.call, each.spec) == (call.id, spec)]
    return not any(
        read.path == path
        and read.start_line is not None
        and read.end_line is not None
        and all(covers((read.start_line, read.end_line), lines) for lines in touched)
        for read in reads
    )
