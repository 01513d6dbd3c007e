"""The status of a session: its calls, its receipts, and what waits for a commit.

Fields have the names that they have in the document (`hkgit schema status`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hkgit.edits import Read, Snapshot
from hkgit.sessions.call_journal import JournaledCall, SessionJournal, list_units
from hkgit.sessions.waiting_edits import find_effective, is_unread
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict, dataclass


@dataclass(frozen=True)
class CallStatus:
    """One call: its edits and files, and how many edits are blind or in a commit already."""

    call: str
    time: int
    agent: str
    edits: int
    blind: int
    committed: int
    files: tuple[str, ...]
    undone: bool


@dataclass(frozen=True)
class Status:
    """A session: its calls, the receipts that hold now, and edits not in a commit yet.

    `coverage` is the share of uncommitted edits that have evidence, in [0, 1]; None without any.
    """

    session: str
    calls: tuple[CallStatus, ...]
    receipts: tuple[Read, ...]
    uncommitted: int
    blind: int
    coverage: float | None

    @property
    def document(self) -> JsonObject:
        """It as JSON."""
        document: JsonObject = asdict(self)
        for each in document["calls"]:
            each["files"] = [*map(to_json_text, each["files"])]
        for each in document["receipts"]:
            each["path"] = to_json_text(each["path"])
            del each["kind"]
        return document


def collect_status(session: str, journal: SessionJournal, files: Snapshot) -> Status:
    """Collect the status of a session; edits gone from the checkout wait for no commit."""
    undone, done = journal.undone, journal.committed
    waiting = [
        is_unread(unit.entry, unit.number)
        for unit in find_effective(files, list_units(journal))
        if (unit.call.id, unit.spec, unit.number) not in done
    ]
    # What HEAD has is git's.
    gone = (call for call in journal.calls if call.id in undone and not call.undoes)
    calls = sorted([*gone, *journal.standing], key=lambda call: call.id)
    return Status(
        session=session,
        calls=tuple(_describe_call(journal, each, undone) for each in calls),
        receipts=tuple(_list_receipts(journal, files)),
        uncommitted=len(waiting),
        blind=sum(waiting),
        coverage=1 - sum(waiting) / len(waiting) if waiting else None,
    )


def _list_receipts(journal: SessionJournal, files: Snapshot) -> Iterator[Read]:
    """List the receipts of a session that hold for files as they are."""
    kept = journal.blobs.get
    for path, known in sorted(journal.state.knowledge.merge(kept).items()):
        file = files.get(path)
        if file is not None:
            yield from known.receipts(path, file.data, kept)


def _describe_call(
    journal: SessionJournal, call: JournaledCall, undone: Collection[int]
) -> CallStatus:
    blind = [is_unread(entry, edit.id) for entry in call.entries for edit in entry.edits]
    return CallStatus(
        call=str(call.id),
        time=call.time // 1000,
        agent=call.agent,
        edits=len(blind),
        blind=sum(blind),
        committed=sum(key[0] == call.id for key in journal.committed),
        files=tuple(call.states()),
        undone=call.id in undone,
    )
