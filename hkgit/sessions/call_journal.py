"""The journal of a session: a file for each call."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.edits import Read
from hkgit.errors import GitRefused, InvalidInput
from hkgit.evidence.entry import (
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    entry_json,
    file_json,
    parse_entry,
    parse_file,
)
from hkgit.sessions.blobs import Blobs, keep_json, refuse_unwritable
from hkgit.sessions.homes import STATE_FILE, UNNAMED, say_waiting
from hkgit.sessions.knowledge import FileKnowledge
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


@dataclass(frozen=True)
class JournaledCall:
    """One call of `edit` or `undo`: all of its files were written, or none.

    `entries` are its specs, each as a ledger entry on the files that it was applied to; base and
    claims are the commit's matter. `undoes` are the calls that it took back, `reversals` what that
    changed; then it has no entries. `time` is in milliseconds since 1970. `origin` says where the
    call is known from, if not from the tool that made it.
    """

    id: int
    time: int
    agent: str
    entries: tuple[Entry, ...] = field(compare=False)
    reversals: tuple[RecordedFile, ...] = field(default=(), compare=False)
    undoes: tuple[int, ...] = ()
    origin: str = ""

    @property
    def changes(self) -> tuple[RecordedFile, ...]:
        """What it changed, in order."""
        return (*(file for entry in self.entries for file in entry.files), *self.reversals)

    def states(self) -> dict[str, tuple[FileMark | None, FileMark | None]]:
        """Map every path that the call changed to what was there before, and after."""
        states: dict[str, tuple[FileMark | None, FileMark | None]] = {}
        for change in self.changes:
            for path, before in change.needs:
                states.setdefault(path, (before, before))
            for path, after in change.leaves:
                states[path] = states[path][0], after
        return states


def call_json(call: JournaledCall) -> Json:
    """Write a call as JSON."""
    return {
        "id": call.id,
        "time": call.time,
        "agent": call.agent,
        "entries": [*map(entry_json, call.entries)],
        "reversals": [*map(file_json, call.reversals)],
        "undoes": call.undoes,
        "origin": call.origin,
    }


def parse_call(value: Json) -> JournaledCall:
    """Parse the call that `call_json` wrote. Raises InvalidInput, KeyError, TypeError."""
    return JournaledCall(
        id=value["id"],
        time=value["time"],
        agent=value["agent"],
        entries=tuple(map(parse_entry, value["entries"])),
        reversals=tuple(map(parse_file, value["reversals"])),
        undoes=tuple(value["undoes"]),
        origin=value["origin"],
    )


LATEST = 64
"""So many calls are kept in memory: a server's session may last a thousand."""

UnitKey = tuple[int, int, int]
"""An edit by its call, its spec (from 0), and its number there (from 1)."""

_Knowledge = Mapping[str, FileKnowledge]


class JournaledCalls(Mapping[int, JournaledCall]):
    """Every call by its number, the oldest first; each is read when it is asked for.

    `begun` are those of which it is not known that they were written as a whole.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._latest: dict[int, JournaledCall] = {}
        self._numbers: list[int] = []
        self.begun: list[int] = []

    def look(self) -> None:
        """See which there are now."""
        try:
            with os.scandir(self._folder) as found:
                names = [each.name[:-5] for each in found if each.name.endswith(".json")]
        except FileNotFoundError:
            names = []
        self.begun = sorted(int(name[1:]) for name in names if name[0] == ".")
        self._numbers = sorted(int(name) for name in names if name[0] != ".")

    def __getitem__(self, number: int) -> JournaledCall:
        if number not in self._latest:
            self._latest[number] = self._read(self.place(number))
            if len(self._latest) > LATEST:
                del self._latest[next(iter(self._latest))]
        return self._latest[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def place(self, number: int, *, is_begun: bool = False) -> Path:
        """Name the place of a call."""
        return self._folder / f"{'.' * is_begun}{number:06}.json"

    def begun_call(self) -> JournaledCall | None:
        """Find the first call that died before all its files were written."""
        return self._read(self.place(self.begun[0], is_begun=True)) if self.begun else None

    def put(self, call: JournaledCall, *, is_begun: bool) -> None:
        """Write a call. Raises OSError."""
        self._latest.pop(call.id, None)
        keep_json(self.place(call.id, is_begun=is_begun), call_json(call))
        self.look()

    def end(self, number: int) -> None:
        """Count a call that has begun as written. Raises OSError."""
        with suppress(FileNotFoundError):  # where it could not be said at once, it is said again
            self.place(number, is_begun=True).replace(self.place(number))
        self.look()

    def drop(self, numbers: Iterable[int]) -> None:
        """Take calls out, those that have begun as well."""
        for number in numbers:
            for is_begun in (False, True):
                self.place(number, is_begun=is_begun).unlink(missing_ok=True)
            self._latest.pop(number, None)
        self.look()

    def _read(self, place: Path) -> JournaledCall:
        try:
            return parse_call(json.loads(place.read_bytes()))
        except FileNotFoundError:
            raise KeyError(place.name) from None
        except OSError as error:
            raise GitRefused(str(place), f"cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, InvalidInput) as error:
            raise _refuse_damaged(place) from error


def _refuse_damaged(place: Path) -> GitRefused:
    fix = "Move this file away: the session goes on without it, the files stay as they are."
    return GitRefused(str(place), "is damaged", fix)


@dataclass(frozen=True)
class JournalState:
    """What a session knows, and has recorded.

    `last` is the number of the last call. `recorded` maps the entries that commits were given to
    the edits that each accounts for. `fresh` is what calls of a `turn` of the model have shown:
    the other calls of that turn were written before, so it is known from the next one on.
    """

    last: int = 0
    undone: frozenset[int] = frozenset()
    known: _Knowledge = field(default_factory=dict)
    fresh: _Knowledge = field(default_factory=dict)
    turn: str = ""
    recorded: Mapping[str, frozenset[UnitKey]] = field(default_factory=dict)

    def write(self) -> JsonObject:
        """Write it as JSON."""
        return {
            "last": self.last,
            "undone": sorted(self.undone),
            "known": _knowledge_json(self.known),
            "fresh": _knowledge_json(self.fresh),
            "turn": self.turn,
            "recorded": {name: sorted(edits) for name, edits in self.recorded.items()},
        }

    @classmethod
    def read(cls, value: Json) -> JournalState:
        """Read what `write` has written. Raises KeyError, TypeError, ValueError."""
        recorded = {
            name: frozenset((call, spec, number) for call, spec, number in edits)
            for name, edits in value["recorded"].items()
        }
        return cls(
            last=value["last"],
            undone=frozenset(value["undone"]),
            known=_parse_knowledge(value["known"]),
            fresh=_parse_knowledge(value["fresh"]),
            turn=value["turn"],
            recorded=recorded,
        )


def _knowledge_json(known: _Knowledge) -> Json:
    return {
        path: [each.version, *([*lines, part] for lines, part in each.ranges.items())]
        for path, each in known.items()
    }


def _parse_knowledge(value: Json) -> _Knowledge:
    return {
        path: FileKnowledge(version, {(first, last): part for first, last, part in parts})
        for path, (version, *parts) in value.items()
    }


class SessionJournal:
    """One session on disk; `load` before anything is asked, the rest under the lock.

    `landed` are the recorded entries that HEAD was seen to have.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blobs = Blobs.of_session(folder)
        self.calls = JournaledCalls(folder / "calls")
        self.state = JournalState()
        self.landed: frozenset[str] = frozenset()
        self._place = folder / STATE_FILE
        self._read = b""

    def load(self) -> Self:
        """Read what others have left since, too. Raises GitRefused."""
        try:
            data = self._place.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise GitRefused(str(self._place), f"cannot be read: {error.strerror}") from error
        if data != self._read or not data:
            try:
                self.state = JournalState.read(json.loads(data)) if data else JournalState()
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise _refuse_damaged(self._place) from error
            self._read = data
        self.calls.look()
        return self

    def update(self, **changes: Any) -> None:
        """Change some fields of the state, and write it. Raises GitRefused."""
        self.state = replace(self.state, **changes)
        try:
            self._read = keep_json(self._place, self.state.write())
        except OSError as error:
            raise refuse_unwritable(self._place, error) from error

    def learn(self, known: Mapping[str, FileKnowledge | None], **changes: Any) -> None:
        """Record what is known of files; None where nothing is any more."""
        both = {**self.state.known, **known}
        found = {path: each for path, each in both.items() if each is not None}
        self.update(known=found, **changes)

    @property
    def effective(self) -> list[JournaledCall]:
        """The calls whose edits were written and not taken back, the oldest first."""
        found = (self.calls.get(id) for id in self.calls if id not in self.state.undone)
        return [call for call in found if call is not None and not call.undoes]

    @property
    def committed(self) -> frozenset[UnitKey]:
        """The edits that HEAD has with their entries."""
        recorded = self.state.recorded
        return frozenset().union(*(recorded.get(name, ()) for name in self.landed))

    @property
    def standing(self) -> list[JournaledCall]:
        """The calls that were not undone, of which HEAD does not have all."""
        done = self.committed
        return [
            call
            for call in self.effective
            if any((call.id, *each) not in done for each in _list_edits(call))
        ]

    def begin(self, call: JournaledCall) -> None:
        """Record that a call is about to be written. Raises GitRefused."""
        place = self.calls.place(call.id, is_begun=True)
        try:
            if self.folder.name != UNNAMED:  # calls without a session wait for no commit
                say_waiting(self.folder.parent)
            self.calls.put(call, is_begun=True)
        except OSError as error:
            raise refuse_unwritable(place, error) from error

    def end(self, call: JournaledCall, known: Mapping[str, FileKnowledge | None]) -> None:
        """Record that all files of a call are written, and what the session knows of each."""
        state = self.state
        self.learn(known, last=max(state.last, call.id), undone=state.undone.union(call.undoes))
        try:
            self.calls.end(call.id)
        except OSError as error:
            raise refuse_unwritable(self.folder, error) from error

    def abort(self, call: JournaledCall) -> None:
        """Record that a call was not written, or was taken back."""
        undone = self.state.undone.difference(call.undoes)
        self.learn(dict.fromkeys(call.states()), undone=undone)
        self.calls.drop([call.id])

    def mend(self, call: JournaledCall, spec: int, read: Read) -> None:
        """Record a read of a file as it was before a call. Raises GitRefused."""
        entries = [*call.entries]
        entries[spec] = replace(entries[spec], reads=(*entries[spec].reads, read))
        try:
            self.calls.put(replace(call, entries=tuple(entries)), is_begun=False)
        except OSError as error:
            raise refuse_unwritable(self.folder, error) from error

    def record(self, entries: Mapping[str, frozenset[UnitKey]]) -> None:
        """Record what a commit is given; entries that nobody has are forgotten."""
        kept = {name: each for name, each in self.state.recorded.items() if name in self.landed}
        kept |= {name: edits for name, edits in entries.items() if edits}
        if kept != self.state.recorded:
            self.update(recorded=kept)

    def forget(self, kept: Sequence[JournaledCall]) -> None:
        """Drop all calls but these and what they depend on. Raises GitRefused."""
        state, numbers = self.state, {call.id for call in kept}
        self.update(
            last=max([state.last, *self.calls]),
            undone=state.undone & numbers,
            recorded={
                name: each
                for name, each in state.recorded.items()
                if any(call in numbers for call, _, _ in each)
            },
        )
        self.calls.drop([*(number for number in self.calls if number not in numbers)])
        known = (*state.known.values(), *state.fresh.values())
        sides = (side for call in kept for change in call.changes for side in _sides(change))
        self.blobs.keep({*(each.version for each in known), *sides})


def _sides(change: RecordedFile) -> Iterator[str]:
    return (each.sha256 for each in (change.before, change.after) if each is not None)


def _list_edits(call: JournaledCall) -> Iterator[tuple[int, int]]:
    for spec, entry in enumerate(call.entries):
        yield from ((spec, edit.id) for edit in entry.edits)


@dataclass(frozen=True)
class PendingEdit:
    """One journalled edit: `number` counts from 1 in its spec, `spec` from 0 in its call."""

    journal: SessionJournal
    call: JournaledCall
    spec: int
    number: int

    @property
    def entry(self) -> Entry:
        """The spec that it is of, as the call recorded it."""
        return self.call.entries[self.spec]

    @property
    def edit(self) -> RecordedEdit:
        """What the call recorded of it."""
        return self.entry.edits[self.number - 1]

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
        path = self.edit.path
        for change in self.entry.files:
            if path in (change.path, change.new_path):
                return frozenset(each for each in (change.path, change.new_path) if each)
        return frozenset({path})

    def version(self, side: FileMark | None) -> bytes | None:
        """Return the bytes of a version that its entry refers to; None where they are not kept."""
        return None if side is None else self.journal.blobs.get(side.sha256)


def list_waiting(journals: Iterable[SessionJournal]) -> list[PendingEdit]:
    """List the edits that were not undone and that HEAD was not seen to have, in the order of their
    calls."""
    units = []
    for journal in journals:
        journal.load()
        done = journal.committed
        units += [
            unit
            for unit in list_units(journal)
            if (unit.call.id, unit.spec, unit.number) not in done
        ]
    return sorted(units, key=lambda unit: unit.call.time)


def list_units(journal: SessionJournal) -> list[PendingEdit]:
    """List all edits of a session's calls that were not undone, as the journal was last loaded."""
    return [
        PendingEdit(journal, call, *each)
        for call in journal.effective
        for each in _list_edits(call)
    ]


def group_connected(
    parts: Sequence[Sequence[PendingEdit]],
) -> Iterator[tuple[list[str], list[PendingEdit]]]:
    """Group files that some edits connect, each group with its edits; a part stays together."""
    groups: list[set[str]] = []
    for part in parts:
        paths = {path for unit in part for path in unit.paths}
        met = [group for group in groups if group & paths]
        groups = [*(group for group in groups if not group & paths), paths.union(*met)]
    for paths in groups:
        yield sorted(paths), [unit for part in parts for unit in part if unit.paths & paths]
