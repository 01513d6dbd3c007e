"""journal.py: the record of one session: lines of JSON, append-only, under a lock.

A line that a crash cut short was never acted upon, and is dropped. A process reads all lines
before it adds one, so two that share a session lose nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hkgit.edits import Read
from hkgit.errors import GitRefused
from hkgit.evidence.ledger.readings import MOST, ShownLines
from hkgit.sessions.readings.knowledge import FileKnowledge
from hkgit.sessions.storage.blobs import Blobs, unwritable
from hkgit.sessions.storage.calls import JournaledCalls, LinePlace
from hkgit.sessions.storage.paths import UNNAMED, say_waiting
from hkgit.sessions.storage.records import (
    JournaledCall,
    Proposed,
    call_json,
    call_of,
    knowledge_json,
    parse_knowledge,
    read_of,
    shown_of,
)
from hkgit.text.json_nodes import Json
from hkgit.values import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Mended:
    """A read of what a blind edit had replaced, made after it."""

    call: int
    spec: int
    read: Read


@dataclass
class JournalState:
    """The state that the lines of a journal add up to.

    `done` are calls that were written as a whole, `aborted` those that were not; `committed` are
    edits in somebody's commit, as call, spec and number. `last` is the number of the last call.
    A session that has ended knows nothing, and is there for what waits; the next call begins anew.
    """

    calls: JournaledCalls = field(default_factory=JournaledCalls)
    unsettled: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    undone: set[int] = field(default_factory=set)
    committed: set[tuple[int, int, int]] = field(default_factory=set)
    known: dict[str, FileKnowledge] = field(default_factory=dict)
    shown: dict[str, tuple[ShownLines, ...]] = field(default_factory=dict)
    proposed: dict[str, Proposed] = field(default_factory=dict)
    mended: list[Mended] = field(default_factory=list)
    last: int = 0
    is_ended: bool = False

    @property
    def broken(self) -> JournaledCall | None:
        """A call that died before all its files were written."""
        return self.calls[min(self.unsettled)] if self.unsettled else None

    @property
    def standing(self) -> list[JournaledCall]:
        """The calls whose edits were written and not taken back, the oldest first."""
        written = (id for id in self.calls if id in self.done and id not in self.undone)
        return [call for call in map(self.calls.__getitem__, written) if not call.undoes]

    @property
    def waiting(self) -> list[JournaledCall]:
        """The calls that stand, of which some edit is in no commit yet."""
        return [
            call
            for call in self.standing
            for spec, said in enumerate(call.specs)
            if any((call.id, spec, n) not in self.committed for n in range(1, len(said.blocks) + 1))
        ]

    def add(self, line: Json, place: LinePlace) -> None:
        """Take in one line of the journal, which stands there."""
        match line["kind"]:
            case "begin":
                call = call_of(line["call"])
                self.calls.take(call, place)
                self.unsettled.add(call.id)
                self.last = call.id
                self.is_ended = False
            case "end":
                self.done.add(line["call"])
                self.unsettled.discard(line["call"])
                self.undone.update(self.calls[line["call"]].undoes)
                self._learn(line["known"])
            case "abort":
                self.aborted.add(line["call"])
                self.unsettled.discard(line["call"])
            case "known":
                self.is_ended = False
                self._learn(line["known"])
                self._show(line)
            case "ended":
                self.is_ended = True
                self.known.clear()
            case "mended":
                self.mended.append(Mended(line["call"], line["spec"], read_of(line["read"])))
                self._show(line)
            case "proposed":
                self.proposed = {each["entry"]: _parse_proposed(each) for each in line["entries"]}
            case "committed":
                self.commit(line["entries"])
            case "forgotten":
                self.last = line["last"]
                self.committed = {(call, spec, edit) for call, spec, edit in line["committed"]}

    def _learn(self, known: Sequence[Json]) -> None:
        for path, knowledge in map(parse_knowledge, known):
            if knowledge is None:
                self.known.pop(path, None)
            else:
                self.known[path] = knowledge

    def _show(self, line: Json) -> None:
        for shown in map(shown_of, line.get("shown", ())):
            before = self.shown.get(shown.path, ())
            self.shown[shown.path] = (*before, shown)[-MOST:]

    def commit(self, entries: Sequence[str]) -> None:
        """Count the edits of these entries, which were proposed, as committed."""
        for name in entries:
            made = self.proposed.pop(name, None)
            if made is not None:
                self.committed.update((made.call, made.spec, number) for number in made.edits)


def _parse_proposed(value: Json) -> Proposed:
    return Proposed(value["entry"], value["call"], value["spec"], tuple(value["edits"]))


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
        """What all lines come to, those that others have added since too. Raises GitRefused."""
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

    def foresee(self, entries: Sequence[str]) -> tuple[bytes | None, set[str]]:
        """What a commit of these entries leaves: the journal, and the names of versions.

        The journal is None where some edits would still wait, or the session has ended. From here
        on the entries count as committed; what is on disk stays as it is.
        """
        self.state.commit(entries)
        if self.state.waiting or self.state.is_ended:
            return None, set()
        return _encode_lines(self._lines(())), self._versions(())

    def _lines(self, calls: Sequence[JournaledCall]) -> list[Json]:
        """The shortest journal that keeps these calls, and all that the session knows."""
        state, kept = self.state, {call.id: call for call in calls}
        committed = sorted(key for key in state.committed if key[0] in kept)
        lines: list[Json] = [{"kind": "begin", "call": call_json(call)} for call in calls]
        lines += [{"kind": "end", "call": id, "known": []} for id in kept]
        known = [knowledge_json(*each) for each in state.known.items()]
        shown = [asdict(each) for lines_shown in state.shown.values() for each in lines_shown]
        lines += [{"kind": "known", "known": known, "shown": shown}]
        lines += [
            {"kind": "mended", "call": each.call, "spec": each.spec, "read": asdict(each.read)}
            for each in state.mended
            if each.call in kept
        ]
        proposed = [asdict(each) for each in state.proposed.values()]
        lines += [{"kind": "proposed", "entries": proposed}]
        lines += [{"kind": "forgotten", "last": state.last, "committed": committed}]
        lines += [{"kind": "ended"}] if state.is_ended else []
        return lines

    def _versions(self, calls: Sequence[JournaledCall]) -> set[str]:
        """The versions of files that these calls and the session's knowledge depend on."""
        versions = {each.version for each in self.state.known.values()}
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
            raise unwritable(self._path, error) from error
        self.load()

    def _take(self, line: bytes) -> None:
        place = LinePlace(self._path, self._identity, self._read, len(line))
        try:
            self.state.add(json.loads(line), place)
        except (ValueError, KeyError, TypeError) as error:
            fix = "Move this file away: the session begins anew, the files stay as they are."
            raise GitRefused(str(self._path), "is damaged", fix) from error
        self._read += len(line)

    def add(self, kind: str, **said: Json) -> None:
        """Add a line and take it in; all lines before it have been loaded. Raises GitRefused."""
        line = _encode_line({"kind": kind, **said})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._path.open("r+b" if self._path.exists() else "x+b") as stream:
                stream.seek(self._read)
                stream.truncate()
                stream.write(line)
                status = os.fstat(stream.fileno())
        except OSError as error:
            raise unwritable(self._path, error) from error
        self._identity = status.st_dev, status.st_ino
        self._take(line)

    def begin(self, call: JournaledCall) -> None:
        """Record that a call is about to be written. Raises GitRefused."""
        if self.folder.name != UNNAMED:  # calls without a session wait for no commit
            try:
                say_waiting(self.folder.parent)
            except OSError as error:
                raise unwritable(self.folder.parent, error) from error
        self.add("begin", call=call_json(call))

    def end(self, call: int, known: Mapping[str, FileKnowledge | None]) -> None:
        """Record that all files of a call are written, and what the session knows of each."""
        self.add("end", call=call, known=[knowledge_json(*each) for each in known.items()])

    def learn(self, path: str, known: FileKnowledge, shown: ShownLines) -> None:
        """Record what the session knows of a file, now that a call has shown these lines."""
        self.add("known", known=[knowledge_json(path, known)], shown=[asdict(shown)])

    def show(self, shown: Iterable[ShownLines]) -> None:
        """Record calls that showed lines, of which nothing more is known than that."""
        self.add("known", known=[], shown=[asdict(each) for each in shown])

    def mend(self, call: int, spec: int, read: Read, shown: ShownLines) -> None:
        """Record a read of a file as it was before a call."""
        self.add("mended", call=call, spec=spec, read=asdict(read), shown=[asdict(shown)])

    def propose(self, entries: Sequence[Proposed]) -> None:
        """The ledger entries that a commit is about to get; they replace earlier proposals."""
        self.add("proposed", entries=[asdict(each) for each in entries])


def _encode_lines(lines: Iterable[Json]) -> bytes:
    return b"".join(map(_encode_line, lines))


def _encode_line(line: Json) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
