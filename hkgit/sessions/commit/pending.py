"""pending.py: the edits of all sessions of a checkout that are in no commit yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.edits import Read
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import JournaledCall, JournaledSpec
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """One journalled edit: `number` counts from 1 in its spec, `spec` from 0 in its call."""

    journal: SessionJournal
    call: JournaledCall
    spec: int
    number: int

    @property
    def journaled(self) -> JournaledSpec:
        """The spec that it is of."""
        return self.call.specs[self.spec]

    @property
    def key(self) -> tuple[str, int, int]:
        """What identifies its spec: session, call, number of the spec."""
        return self.journal.folder.name, self.call.id, self.spec

    @property
    def name(self) -> str:
        """Its name in messages."""
        session, call, _ = self.key
        return f"edit {self.number} of call {call}, session {session}"

    @property
    def paths(self) -> frozenset[str]:
        """Every path that its file has or has had."""
        path = self.journaled.paths[self.number - 1]
        for change in self.journaled.changes:
            if path in (change.path, change.new_path):
                return frozenset(each for each in (change.path, change.new_path) if each)
        return frozenset({path})

    @property
    def reads(self) -> tuple[Read, ...]:
        """The reads of its spec's files, from before it was applied or after the fact."""
        mended = self.journal.state.mended
        here = (self.call.id, self.spec)
        later = (each.read for each in mended if (each.call, each.spec) == here)
        return (*self.journaled.reads, *later)


def list_waiting(journals: Iterable[SessionJournal]) -> list[PendingEdit]:
    """List the edits that are in effect and in no commit yet, in the order of their calls."""
    units = [
        unit
        for journal in journals
        if journal.load().effective
        for unit in list_units(journal)
        if (unit.call.id, unit.spec, unit.number) not in journal.state.committed
    ]
    return sorted(units, key=lambda unit: unit.call.time)


def list_units(journal: SessionJournal) -> list[PendingEdit]:
    """List all edits of a session's calls that were not undone, as the journal was last loaded."""
    return [
        PendingEdit(journal, call, spec, number)
        for call in journal.state.effective
        for spec, journaled in enumerate(call.specs)
        for number in range(1, len(journaled.blocks) + 1)
    ]


def group_connected(units: Sequence[PendingEdit]) -> Iterator[tuple[list[str], list[PendingEdit]]]:
    """Group files that renames connect, each group with its edits; most groups are one file."""
    groups: list[set[str]] = []
    for unit in units:
        met = [group for group in groups if group & unit.paths]
        groups = [group for group in groups if not group & unit.paths]
        groups.append(set(unit.paths).union(*met))
    for group in groups:
        yield sorted(group), [unit for unit in units if unit.paths & group]
