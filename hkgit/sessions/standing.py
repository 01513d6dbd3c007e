"""standing.py: what a session's journal says about how things stand."""

from __future__ import annotations

from hkgit.edits import Snapshot
from hkgit.errors import InvalidInput
from hkgit.sessions.answers import CallStatus, Status
from hkgit.sessions.drafting import ACCEPTED
from hkgit.sessions.journal import State
from hkgit.sessions.knowledge import Kept, carried
from hkgit.sessions.records import Call


def chosen(state: State, call: str | None, *, whole_session: bool) -> list[Call]:
    """The calls to be undone, the oldest first. Raises InvalidInput when there is none."""
    standing = state.standing
    if call is None:
        found = standing if whole_session else standing[-1:]
        where = "the session"
    else:
        found = [each for each in standing if str(each.id) == call]
        where = f"call {call}"
    if not found:
        raise InvalidInput(where, "holds no call that can be undone", "Look: hkgit undo --list")
    return found


def status_of(session: str, state: State, files: Snapshot, kept: Kept) -> Status:
    """How a session stands."""
    receipts = [
        receipt
        for path, known in sorted(state.known.items())
        if (file := files.get(path)) is not None
        for receipt in carried(known, file.data, kept).receipts(path)
    ]
    waiting = [
        kind
        for call in state.standing
        for at, spec in enumerate(call.specs)
        for number, kind in enumerate(spec.evidence, 1)
        if (call.id, at, number) not in state.committed
    ]
    blind = sum(kind not in ACCEPTED for kind in waiting)
    calls = tuple(_call(state, call) for id, call in state.calls.items() if id in state.done)
    return Status(session, calls, tuple(receipts), len(waiting), blind)


def _call(state: State, call: Call) -> CallStatus:
    kinds = [kind for spec in call.specs for kind in spec.evidence]
    return CallStatus(
        str(call.id),
        call.time,
        call.agent,
        len(kinds),
        sum(kind not in ACCEPTED for kind in kinds),
        sum(key[0] == call.id for key in state.committed),
        tuple(call.states()),
        call.id in state.undone,
    )
