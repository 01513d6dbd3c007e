"""calls.py: the calls of a session's journal, of which only the latest are kept in memory.

A server's session may last a thousand calls, each with its edits and their lines. The older ones
are asked for when somebody undoes or commits; then they are read from the journal again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from hkgit.sessions.storage.records import JournaledCall, call_of
from hkgit.values import dataclass

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
        self._places: dict[int, tuple[int, int]] = {}
        self._file: int | None = None

    def take(self, call: JournaledCall, place: LinePlace) -> None:
        """Take in a call whose line stands there."""
        self._places[call.id] = place.start, place.size
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
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _read(self, number: int) -> JournaledCall:
        start, size = self._places[number]
        assert self._file is not None
        return call_of(json.loads(os.pread(self._file, size, start))["call"])
