"""store.py: open conflicts, kept in the git directory that all work trees share.

A local cache for the next try, never used as evidence: that is in entries and CONSULTs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.gate.conflicts import PLACE
from hkgit.gate.conflicts.records import ConflictRecord, conflict_json, read_conflict
from hkgit.text.strict_json import parse_document
from hkgit.values import dataclass

FORGOTTEN = 30 * 24 * 3600
"""Seconds after which a conflict that nobody has tried again is dropped."""


@dataclass(frozen=True, slots=True)
class ConflictStore:
    """The directory of open conflicts of one repository."""

    path: Path

    @classmethod
    def of(cls, common_dir: Path) -> ConflictStore:
        """Open the store of conflicts of a repository."""
        return cls(common_dir / PLACE)

    def __iter__(self) -> Iterator[ConflictRecord]:
        """Every open conflict that can be read, the one tried last first."""
        found = [each for each in map(_read, sorted(self.path.glob("*.json"))) if each is not None]
        yield from sorted(found, key=lambda each: each.tries[-1].time, reverse=True)

    def keep(self, conflict: ConflictRecord) -> None:
        """Write a conflict down, in place of what stood under its id. Raises OSError."""
        self.path.mkdir(parents=True, exist_ok=True)
        draft = self.path / f".{conflict.id}.{os.urandom(4).hex()}"
        draft.write_text(json.dumps(conflict_json(conflict)), "utf-8")
        draft.replace(self._place(conflict))

    def drop(self, conflict: ConflictRecord) -> None:
        """Forget a conflict, and with the last one the directories."""
        self._place(conflict).unlink(missing_ok=True)
        for directory in (self.path, self.path.parent):
            with suppress(OSError):
                directory.rmdir()

    def drop_all(self, ids: Collection[str]) -> None:
        """Forget conflicts by their ids."""
        for conflict in self:
            if conflict.id in ids:
                self.drop(conflict)

    def drop_older(self, now: int) -> None:
        """Forget what was last tried long before `now`, in seconds since 1970."""
        for conflict in self:
            if now - conflict.tries[-1].time > FORGOTTEN:
                self.drop(conflict)

    def _place(self, conflict: ConflictRecord) -> Path:
        return self.path / f"{conflict.id}.json"


def _read(path: Path) -> ConflictRecord | None:
    try:
        return read_conflict(parse_document(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, InvalidInput):
        return None
