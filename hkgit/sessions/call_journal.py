"""The journal of a session: a file for each call."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from hkgit.applying.evidence import covers, is_blind
from hkgit.edits import File, Read
from hkgit.errors import GitRefused, InvalidInput
from hkgit.evidence.entry import (
    Entry,
    FileMark,
    RecordedEdit,
    RecordedFile,
    parse_entry,
    parse_file,
    part_json,
)
from hkgit.sessions.blobs import Blobs, expect_writable, keep_json, list_noted_versions
from hkgit.sessions.homes import STATE_FILE, UNNAMED, say_waiting
from hkgit.sessions.knowledge import FileKnowledge, Knowledge
from hkgit.text.strict_json import JsonObject
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
    call is known from, if not from the tool that made it. The journal gives it its number, `id`.
    """

    agent: str
    entries: tuple[Entry, ...] = field(default=(), compare=False)
    reversals: tuple[RecordedFile, ...] = field(default=(), compare=False)
    undoes: tuple[int, ...] = ()
    origin: str = ""
    time: int = field(default_factory=lambda: time.time_ns() // 10**6)
    id: int = 0

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


def _call_json(call: JournaledCall) -> JsonObject:
    entries, reversals = part_json(call.entries), part_json(call.reversals)
    return vars(call) | {"entries": entries, "reversals": reversals}


def _parse_call(value: JsonObject) -> JournaledCall:
    return JournaledCall(
        **value
        | {
            "entries": tuple(map(parse_entry, value["entries"])),
            "reversals": tuple(map(parse_file, value["reversals"])),
            "undoes": tuple(value["undoes"]),
        }
    )


def _refuse_damaged(place: Path) -> GitRefused:
    fix = "Move this file away: the session goes on without it, the files stay as they are."
    return GitRefused(str(place), "is damaged", fix)


LATEST = 64
"""So many calls are kept in memory: a server's session may last a thousand."""

KEPT = 50
"""So many calls that wait for no commit are kept at least: without a session they can be undone,
and `git reset` may take a commit back."""

UnitKey = tuple[int, int, int]
"""An edit by its call, its spec (from 0), and its number there (from 1)."""


class SessionJournal:
    """One session on disk; `load` before anything is asked, the rest under the lock.

    `last` is the number of the last call that was written as a whole: that says it has been.
    `recorded` maps the entries that commits were given to the edits that each accounts for; those
    that `landed` HEAD was seen to have.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blobs = Blobs.of_session(folder)
        self.last = 0
        self.knowledge = Knowledge()
        self.recorded: Mapping[str, frozenset[UnitKey]] = {}
        self.landed: frozenset[str] = frozenset()
        self._place = folder / STATE_FILE
        self._read = b""
        self._latest: dict[int, JournaledCall] = {}

    def load(self) -> Self:
        """Read what others have left since, too. Raises GitRefused."""
        try:
            data = self._place.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise GitRefused(str(self._place), f"cannot be read: {error.strerror}") from error
        if not data:  # all calls that are there count as written
            self.last = max(self.list_numbers(), default=0)
            self.knowledge, self.recorded = Knowledge(), {}
        elif data != self._read:
            try:
                state = json.loads(data)
                self.last, self.knowledge = state["last"], Knowledge.read(state["knowledge"])
                self.recorded = {
                    name: frozenset((call, spec, number) for call, spec, number in edits)
                    for name, edits in state["recorded"].items()
                }
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise _refuse_damaged(self._place) from error
        self._read = data
        return self

    def update(self, **changes: Any) -> None:
        """Change some of `last`, `knowledge` and `recorded`, and write all. Raises GitRefused."""
        vars(self).update(changes)
        recorded = {name: sorted(edits) for name, edits in self.recorded.items()}
        state = {"last": self.last, "knowledge": self.knowledge.write(), "recorded": recorded}
        with expect_writable(self._place):
            self._read = keep_json(self._place, state)

    def list_numbers(self) -> list[int]:
        """List the numbers of all calls, the one that has begun among them."""
        try:
            with os.scandir(self.folder / "calls") as found:
                names = [each.name for each in found]
        except FileNotFoundError:
            return []
        return sorted(int(name[:-5]) for name in names if re.fullmatch(r"\d+\.json", name))

    @property
    def calls(self) -> list[JournaledCall]:
        """The calls that were written as a whole, the oldest first. Raises GitRefused."""
        return [*self._iterate(self.list_numbers())]

    def list_since(self, time: int) -> list[JournaledCall]:
        """List those since a time, in ms since 1970, the latest first. Raises GitRefused."""
        latest = self._iterate(reversed(self.list_numbers()))
        return [*takewhile(lambda call: call.time >= time, latest)]

    def _iterate(self, numbers: Iterable[int]) -> Iterator[JournaledCall]:
        found = (self._read_call(each) for each in numbers if each <= self.last)
        return (call for call in found if call is not None)

    @property
    def begun(self) -> JournaledCall | None:
        """The call of which it is not known that it was written as a whole. Raises GitRefused."""
        return self._read_call(self.last + 1)

    @property
    def undone(self) -> frozenset[int]:
        """The numbers of the calls that were taken back."""
        return frozenset(number for call in self.calls for number in call.undoes)

    @property
    def effective(self) -> list[JournaledCall]:
        """The calls whose edits were written and not taken back, the oldest first."""
        undone = self.undone
        return [call for call in self.calls if call.id not in undone and not call.undoes]

    @property
    def committed(self) -> frozenset[UnitKey]:
        """The edits that HEAD has with their entries."""
        return frozenset().union(*(self.recorded.get(name, ()) for name in self.landed))

    def list_units(self, call: JournaledCall) -> Iterator[PendingEdit]:
        """List the edits of a call."""
        for spec, entry in enumerate(call.entries):
            yield from (PendingEdit(self, call, spec, edit.id) for edit in entry.edits)

    @property
    def units(self) -> list[PendingEdit]:
        """The edits of its calls that were not undone, as it was last loaded."""
        return [unit for call in self.effective for unit in self.list_units(call)]

    @property
    def waiting(self) -> list[PendingEdit]:
        """Those of them that HEAD was not seen to have."""
        done = self.committed
        return [unit for unit in self.units if unit.id not in done]

    @property
    def standing(self) -> list[JournaledCall]:
        """The calls that were not undone, of which HEAD does not have all."""
        return [*{unit.call.id: unit.call for unit in self.waiting}.values()]

    def begin_turn(self, turn: str = "") -> None:
        """See `Knowledge.begin_turn`; it is written with what comes next."""
        self.knowledge = self.knowledge.begin_turn(turn, self.blobs.get)

    def begin(self, call: JournaledCall) -> JournaledCall:
        """Record that a call is about to be written; answers with its number. Raises GitRefused."""
        if not self._read:
            self.update()
        call = replace(call, id=self.last + 1)
        if self.folder.name != UNNAMED:  # calls without a session wait for no commit
            with expect_writable(self.folder.parent):
                say_waiting(self.folder.parent)
        self._put(call)
        return call

    def follow(self, call: JournaledCall, known: Mapping[str, FileKnowledge | None]) -> None:
        """See what a call has made known of its files; it is written with what comes next."""
        left = {path: after.sha256 for path, (_, after) in call.states().items() if after}
        self.knowledge = self.knowledge.follow(known, left, self.blobs.get)

    def end(self, call: JournaledCall, known: Mapping[str, FileKnowledge | None]) -> None:
        """Record that all files of a call are written, and what the session knows of each."""
        self.follow(call, known)
        self.update(last=call.id)

    def abort(self, call: JournaledCall) -> None:
        """Record that a call was not written, or was taken back."""
        self._drop(call.id)
        nothing = dict.fromkeys(call.states())
        self.update(knowledge=self.knowledge.follow(nothing, {}, self.blobs.get))

    def mend(self, call: JournaledCall, spec: int, read: Read) -> None:
        """Record a read of a file as it was before a call. Raises GitRefused."""
        entries = [*call.entries]
        entries[spec] = replace(entries[spec], reads=(*entries[spec].reads, read))
        self._put(replace(call, entries=tuple(entries)))

    def record(self, entries: Mapping[str, frozenset[UnitKey]]) -> None:
        """Record what a commit is given; entries that nobody has are forgotten."""
        kept = {name: each for name, each in self.recorded.items() if name in self.landed}
        kept |= {name: edits for name, edits in entries.items() if edits}
        if kept != self.recorded:
            self.update(recorded=kept)

    def shorten(self) -> None:
        """Forget calls that wait for no commit, but for the last ones. Raises GitRefused."""
        standing = [] if self.folder.name == UNNAMED else self.standing
        if len(self.list_numbers()) - len(standing) > 2 * KEPT:
            done = [call for call in self.effective if call not in standing]
            self.forget([*done[-KEPT:], *standing])

    def forget(self, kept: Sequence[JournaledCall]) -> None:
        """Drop all calls but these and what they depend on. Raises GitRefused."""
        numbers = {call.id for call in kept}
        self.update(
            recorded={
                name: each
                for name, each in self.recorded.items()
                if any(call in numbers for call, _, _ in each)
            },
        )
        for number in {*self.list_numbers()} - numbers:
            self._drop(number)
        changes = (change for call in kept for change in call.changes)
        sides = (side for change in changes for side in (change.before, change.after))
        used = {side.sha256 for side in sides if side is not None}
        self.blobs.keep(used.union(self.knowledge.versions, list_noted_versions(self.folder)))

    def _place_of(self, number: int) -> Path:
        return self.folder / "calls" / f"{number:06}.json"

    def _read_call(self, number: int) -> JournaledCall | None:
        if number in self._latest:
            return self._latest[number]
        place = self._place_of(number)
        try:
            call = _parse_call(json.loads(place.read_bytes()))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise GitRefused(str(place), f"cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, InvalidInput) as error:
            raise _refuse_damaged(place) from error
        self._latest[number] = call
        if len(self._latest) > LATEST:
            del self._latest[next(iter(self._latest))]
        return call

    def _put(self, call: JournaledCall) -> None:
        self._latest.pop(call.id, None)
        place = self._place_of(call.id)
        with expect_writable(place):
            keep_json(place, _call_json(call))

    def _drop(self, number: int) -> None:
        self._latest.pop(number, None)
        self._place_of(number).unlink(missing_ok=True)


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
    def id(self) -> UnitKey:
        """What identifies it in its session."""
        return self.call.id, self.spec, self.number

    @property
    def key(self) -> tuple[str, int, int]:
        """What identifies its spec: session, call, number of the spec."""
        return self.journal.folder.name, self.call.id, self.spec

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"edit {self.number} of call {self.call.id}, session {self.journal.folder.name}"

    @property
    def change(self) -> RecordedFile | None:
        """What its entry has made of its file; None for nothing."""
        path, files = self.edit.path, self.entry.files
        return next((each for each in files if path in (each.path, each.new_path)), None)

    @property
    def paths(self) -> frozenset[str]:
        """Every path that its file has or has had."""
        change = self.change
        names = (self.edit.path,) if change is None else (change.path, change.new_path)
        return frozenset(filter(None, names))

    @property
    def is_unread(self) -> bool:
        """Whether no read, before it or after the fact, covers the lines that it touched."""
        edit = self.edit
        return is_blind(edit.evidence) and not any(
            read.path == edit.path
            and read.start_line is not None
            and read.end_line is not None
            and all(covers((read.start_line, read.end_line), lines) for lines in edit.base_lines)
            for read in self.entry.reads
        )

    def version(self, side: FileMark | None) -> File | None:
        """Return a version that its entry refers to; None for none, and where it is not kept."""
        return self.journal.blobs.file(side)


def list_waiting(journals: Iterable[SessionJournal]) -> list[PendingEdit]:
    """List the edits that HEAD was not seen to have, in the order of their calls."""
    units = (unit for journal in journals for unit in journal.load().waiting)
    return sorted(units, key=lambda unit: unit.call.time)


@dataclass(frozen=True)
class RecordedChange:
    """What a call of the session in a folder has recorded of one path; `time` in ms since 1970."""

    time: int
    folder: Path
    path: str
    before: FileMark | None
    after: FileMark | None


def list_recorded(folders: Iterable[Path], since: int = 0) -> list[RecordedChange]:
    """List what sessions have recorded since a time, in ms since 1970, in the order of the calls.

    Those that have written nothing since are not read, and of damaged ones there is nothing.
    """
    found: list[RecordedChange] = []
    for folder in folders:
        with suppress(OSError, GitRefused):
            if (folder / STATE_FILE).stat().st_mtime * 1000 >= since:
                for call in SessionJournal(folder).load().list_since(since):
                    states = call.states().items()
                    found += (RecordedChange(call.time, folder, x, *sides) for x, sides in states)
    return sorted(found, key=lambda each: each.time)


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
