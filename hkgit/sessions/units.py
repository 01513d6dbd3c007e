"""units.py: the edits of all sessions of a checkout that are in no commit yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hkgit.edits import Read
from hkgit.sessions.journal import Journal
from hkgit.sessions.records import Call, Said


@dataclass(frozen=True, slots=True)
class Unit:
    """One journalled edit: `number` counts from 1 in its spec, `spec` from 0 in its call."""

    journal: Journal
    call: Call
    spec: int
    number: int

    @property
    def said(self) -> Said:
        """The spec that it is of."""
        return self.call.specs[self.spec]

    @property
    def key(self) -> tuple[str, int, int]:
        """What the units of one spec have in common."""
        return self.journal.folder.name, self.call.id, self.spec

    @property
    def name(self) -> str:
        """How a message names it."""
        session, call, _ = self.key
        return f"edit {self.number} of call {call}, session {session}"

    @property
    def paths(self) -> frozenset[str]:
        """Every path that its file has or had."""
        path = self.said.paths[self.number - 1]
        for change in self.said.changes:
            if path in (change.path, change.new_path):
                return frozenset(each for each in (change.path, change.new_path) if each)
        return frozenset({path})

    @property
    def reads(self) -> tuple[Read, ...]:
        """What was read of the files of its spec before it was applied, or in mending it."""
        mended = self.journal.state.mended
        here = (self.call.id, self.spec)
        later = (each.read for each in mended if (each.call, each.spec) == here)
        return (*self.said.reads, *later)


def waiting(journals: Iterable[Journal]) -> list[Unit]:
    """The edits that stand and are in no commit yet, in the order of their calls."""
    units = [
        Unit(journal, call, spec, number)
        for journal in journals
        for call in journal.load().standing
        for spec, said in enumerate(call.specs)
        for number in range(1, len(said.blocks) + 1)
        if (call.id, spec, number) not in journal.state.committed
    ]
    return sorted(units, key=lambda unit: unit.call.time)


def connected(units: Sequence[Unit]) -> Iterator[tuple[list[str], list[Unit]]]:
    """Groups of files that edits moved one to the other, each with its edits; most are one file."""
    groups: list[set[str]] = []
    for unit in units:
        met = [group for group in groups if group & unit.paths]
        groups = [group for group in groups if not group & unit.paths]
        groups.append(set(unit.paths).union(*met))
    for group in groups:
        yield sorted(group), [unit for unit in units if unit.paths & group]
