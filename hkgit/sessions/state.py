"""What the lines of a session's journal add up to.

Of its calls only the latest are kept in memory: a server's session may last a thousand, each with
its edits and their lines. The older ones are read from the journal again when somebody undoes or
commits.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.edits import Read
from hkgit.sessions.journaled_call import (
    JournaledCall,
    Proposed,
    parse_call,
    parse_knowledge,
    parse_read,
)
from hkgit.sessions.knowledge import FileKnowledge
from hkgit.text.strict_json import Json
from hkgit.values import dataclass, field

LATEST = 64
"""So many calls are kept in memory."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where a line stands: a file, by path and by device and inode, and bytes from there."""

    path: Path
    identity: tuple[int, int] | None
    start: int
    size: int


class JournaledCalls(Mapping[int, JournaledCall]):
    """Every call by its number, the oldest first.

    The file stays open, so that what is read is what was taken in, also where another process has
    put a new journal in its place.
    """

    def __init__(self) -> None:
        self._latest: dict[int, JournaledCall] = {}
        # Some bytes a call: a server's session may last for days.
        self._numbers, self._starts, self._sizes = array("q"), array("q"), array("q")
        self._file: int | None = None

    def take(self, call: JournaledCall, place: LinePlace) -> None:
        """Take in a call whose line stands there."""
        self._numbers.append(call.id)
        self._starts.append(place.start)
        self._sizes.append(place.size)
        self._latest[call.id] = call
        if len(self._latest) > LATEST and self._is_open(place):
            del self._latest[next(iter(self._latest))]

    def _is_open(self, place: LinePlace) -> bool:
        """Whether older calls can be read again; Windows replaces no file that is open."""
        if self._file is None and os.name != "nt":
            import weakref  # short sessions need none

            opened = os.open(place.path, os.O_RDONLY)
            status = os.fstat(opened)
            if (status.st_dev, status.st_ino) == place.identity:
                self._file = opened
                weakref.finalize(self, os.close, opened)
            else:
                os.close(opened)
        return self._file is not None

    def __getitem__(self, number: int) -> JournaledCall:
        return self._latest[number] if number in self._latest else self._read(number)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def _read(self, number: int) -> JournaledCall:
        try:
            at = self._numbers.index(number)
        except ValueError:
            raise KeyError(number) from None
        assert self._file is not None
        line = os.pread(self._file, self._sizes[at], self._starts[at])
        return parse_call(json.loads(line)["call"])


@dataclass(frozen=True, slots=True)
class Mended:
    """A read of what a blind edit had replaced, made after it."""

    call: int
    spec: int
    read: Read


@dataclass
class JournalState:
    """The state that the lines of a journal add up to.

    `unsettled` are calls of which it is not known that they were written as a whole, `aborted`
    those that were not; `committed` are edits in somebody's commit, as call, spec and number.
    `last` is the number of the last call. `fresh` is what calls of a `turn` of the model have
    shown: the other calls of that turn were written before, so it is known from the next one on.
    A session that has ended knows nothing, and is there for what waits; the next call begins anew.
    """

    calls: JournaledCalls = field(default_factory=JournaledCalls)
    unsettled: set[int] = field(default_factory=set)
    aborted: set[int] = field(default_factory=set)
    undone: set[int] = field(default_factory=set)
    committed: set[tuple[int, int, int]] = field(default_factory=set)
    known: dict[str, FileKnowledge] = field(default_factory=dict)
    fresh: dict[str, FileKnowledge] = field(default_factory=dict)
    turn: str = ""
    proposed: dict[str, list[Proposed]] = field(default_factory=dict)
    mended: list[Mended] = field(default_factory=list)
    last: int = 0
    is_ended: bool = False

    @property
    def broken(self) -> JournaledCall | None:
        """A call that died before all its files were written."""
        return self.calls[min(self.unsettled)] if self.unsettled else None

    def is_done(self, call: int) -> bool:
        """Whether a call was written as a whole."""
        return call not in self.unsettled and call not in self.aborted

    @property
    def effective(self) -> list[JournaledCall]:
        """The calls whose edits were written and not taken back, the oldest first."""
        written = (id for id in self.calls if self.is_done(id) and id not in self.undone)
        return [call for call in map(self.calls.__getitem__, written) if not call.undoes]

    @property
    def waiting(self) -> list[JournaledCall]:
        """The calls that stand, of which some edit is in no commit yet."""
        return [
            call
            for call in self.effective
            for spec, journaled in enumerate(call.specs)
            if any(
                (call.id, spec, n) not in self.committed for n in range(1, len(journaled.edits) + 1)
            )
        ]

    def add(self, line: Json, place: LinePlace) -> None:
        """Take in one line of the journal, which stands there."""
        match line["kind"]:
            case "begin":
                call = parse_call(line["call"])
                self.calls.take(call, place)
                self.unsettled.add(call.id)
                self.last = call.id
                self.is_ended = False
            case "end":
                self.unsettled.discard(line["call"])
                self.undone.update(self.calls[line["call"]].undoes)
                self._learn(line["known"])
            case "abort":
                self.aborted.add(line["call"])
                self.unsettled.discard(line["call"])
            case "known":
                self.is_ended = False
                self._learn(line["known"])
            case "fresh":
                self.is_ended = False
                self.turn = line["turn"]
                fresh = map(parse_knowledge, line["known"])
                self.fresh |= {path: known for path, known in fresh if known is not None}
            case "seen":
                self.fresh.clear()
                self._learn(line["known"])
            case "ended":
                self.is_ended = True
                self.known.clear()
                self.fresh.clear()
            case "mended":
                self.mended.append(Mended(line["call"], line["spec"], parse_read(line["read"])))
            case "proposed":
                self.proposed = {}
                for each in map(_parse_proposed, line["entries"]):
                    self.proposed.setdefault(each.entry, []).append(each)
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

    def commit(self, entries: Sequence[str]) -> None:
        """Count the edits of these entries, which were proposed, as committed."""
        for name in entries:
            for proposed in self.proposed.pop(name, ()):
                self.committed.update(
                    (proposed.call, proposed.spec, number) for number in proposed.edits
                )


def _parse_proposed(value: Json) -> Proposed:
    return Proposed(value["entry"], value["call"], value["spec"], tuple(value["edits"]))
