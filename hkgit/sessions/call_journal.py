"""The journal of a session, and the edits of it that wait for a commit.

A line that a crash cut short was never acted upon, and is dropped. A process reads all lines
before it adds one, so two that share a session lose nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.edits import Read
from hkgit.errors import GitRefused
from hkgit.sessions.blobs import Blobs, refuse_unwritable
from hkgit.sessions.homes import UNNAMED, say_waiting
from hkgit.sessions.journaled_call import (
    JournaledCall,
    JournaledSpec,
    Proposed,
    call_json,
    knowledge_json,
)
from hkgit.sessions.knowledge import FileKnowledge
from hkgit.sessions.state import JournalState, LinePlace
from hkgit.text.strict_json import Json
from hkgit.values import asdict, dataclass


class SessionJournal:
    """One session's journal on disk; `load` before anything is asked, `add` under the lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blobs = Blobs(folder / "versions")
        self.state = JournalState()
        self._path = folder / "journal"
        self._read = 0
        self._identity: tuple[int, int] | None = None

    def load(self) -> JournalState:
        """Read all lines, those that others have added since too. Raises GitRefused."""
        try:
            with self._path.open("rb") as stream:
                status = os.fstat(stream.fileno())
                identity = status.st_dev, status.st_ino
                if identity != self._identity or status.st_size < self._read:
                    self.state, self._read, self._identity = JournalState(), 0, identity
                stream.seek(self._read)
                data = stream.read()
        except FileNotFoundError:
            self.state, self._read, self._identity = JournalState(), 0, None
            return self.state
        except OSError as error:
            raise GitRefused(str(self._path), f"cannot be read: {error.strerror}") from error
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines(keepends=True):
            self._take(line)
        return self.state

    def forget(self, calls: Sequence[JournaledCall]) -> None:
        """Drop all calls but these and those they depend on. Raises GitRefused."""
        self._rewrite(_encode_lines(self._lines(calls)))
        self.blobs.keep(self._versions(calls))

    def _lines(self, calls: Sequence[JournaledCall]) -> list[Json]:
        """The shortest journal that keeps these calls, and all that the session knows."""
        state, kept = self.state, {call.id: call for call in calls}
        committed = sorted(key for key in state.committed if key[0] in kept)
        lines: list[Json] = [{"kind": "begin", "call": call_json(call)} for call in calls]
        lines += [{"kind": "end", "call": id, "known": []} for id in kept]
        known = [knowledge_json(*each) for each in state.known.items()]
        lines += [{"kind": "known", "known": known}]
        fresh = [knowledge_json(*each) for each in state.fresh.items()]
        lines += [{"kind": "fresh", "known": fresh, "turn": state.turn}] if fresh else []
        lines += [
            {"kind": "mended", "call": each.call, "spec": each.spec, "read": asdict(each.read)}
            for each in state.mended
            if each.call in kept
        ]
        proposed = [asdict(each) for part in state.proposed.values() for each in part]
        lines += [{"kind": "proposed", "entries": proposed}]
        lines += [{"kind": "forgotten", "last": state.last, "committed": committed}]
        lines += [{"kind": "ended"}] if state.is_ended else []
        return lines

    def _versions(self, calls: Sequence[JournaledCall]) -> set[str]:
        """The versions of files that these calls and the session's knowledge depend on."""
        known = (*self.state.known.values(), *self.state.fresh.values())
        versions = {each.version for each in known}
        states = (
            pair
            for call in calls
            for change in call.changes
            for pair in (change.before, change.after)
        )
        return versions.union(each.sha256 for each in states if each is not None)

    def _rewrite(self, data: bytes) -> None:
        fresh = self._path.with_name("journal.new")
        try:
            fresh.write_bytes(data)
            fresh.replace(self._path)
        except OSError as error:
            raise refuse_unwritable(self._path, error) from error
        self.load()

    def _take(self, line: bytes) -> None:
        place = LinePlace(self._path, self._identity, self._read, len(line))
        try:
            self.state.add(json.loads(line), place)
        except (ValueError, KeyError, TypeError) as error:
            fix = "Move this file away: the session begins anew, the files stay as they are."
            raise GitRefused(str(self._path), "is damaged", fix) from error
        self._read += len(line)

    def add(self, kind: str, **fields: Json) -> None:
        """Add a line and take it in; all lines before it have been loaded. Raises GitRefused."""
        line = _encode_line({"kind": kind, **fields})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._path.open("r+b" if self._path.exists() else "x+b") as stream:
                stream.seek(self._read)
                stream.truncate()
                stream.write(line)
                status = os.fstat(stream.fileno())
        except OSError as error:
            raise refuse_unwritable(self._path, error) from error
        self._identity = status.st_dev, status.st_ino
        self._take(line)

    def begin(self, call: JournaledCall) -> None:
        """Record that a call is about to be written. Raises GitRefused."""
        if self.folder.name != UNNAMED:  # calls without a session wait for no commit
            try:
                say_waiting(self.folder.parent)
            except OSError as error:
                raise refuse_unwritable(self.folder.parent, error) from error
        self.add("begin", call=call_json(call))

    def end(self, call: int, known: Mapping[str, FileKnowledge | None]) -> None:
        """Record that all files of a call are written, and what the session knows of each."""
        self.add("end", call=call, known=[knowledge_json(*each) for each in known.items()])

    def learn(self, known: Mapping[str, FileKnowledge]) -> None:
        """Record what the session knows of files, now that it has read some of them."""
        self.add("known", known=[knowledge_json(*each) for each in known.items()])

    def learn_fresh(self, path: str, fresh: FileKnowledge, turn: str) -> None:
        """Record what calls of a turn of the model have shown of a file, unseen by that turn."""
        self.add("fresh", known=[knowledge_json(path, fresh)], turn=turn)

    def see(self, known: Mapping[str, FileKnowledge]) -> None:
        """Record what the session knows once the model has been shown what is fresh."""
        self.add("seen", known=[knowledge_json(*each) for each in known.items()])

    def mend(self, call: int, spec: int, read: Read) -> None:
        """Record a read of a file as it was before a call."""
        self.add("mended", call=call, spec=spec, read=asdict(read))

    def propose(self, entries: Sequence[Proposed]) -> None:
        """Record the entries that a commit is about to get; they replace earlier proposals."""
        self.add("proposed", entries=[asdict(each) for each in entries])


def _encode_lines(lines: Iterable[Json]) -> bytes:
    return b"".join(map(_encode_line, lines))


def _encode_line(line: Json) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


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
        for number in range(1, len(journaled.edits) + 1)
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
