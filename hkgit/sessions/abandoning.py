"""abandoning.py: tell which journalled edits are still in some files, and which are gone.

`git checkout`, `git stash`, `git reset` and an editor's undo leave no trace in the journal. What
became of an edit is inferred from the files that later calls found, and from the present ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hkgit.applying.carry.carrying import LineMap
from hkgit.applying.draft import Lines
from hkgit.edits import File, Snapshot
from hkgit.evidence.ledger.canonical import digest
from hkgit.sessions.commit.pending import PendingEdit
from hkgit.sessions.storage.records import Version, VersionChange
from hkgit.text.diff import LineChange as Stretch
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.values import dataclass, field

_COMPARED = 50
"""So many versions of a file that others made between calls are compared line by line."""


def find_effective(
    files: Snapshot, units: Sequence[PendingEdit], base: Snapshot | None = None
) -> list[PendingEdit]:
    """Find the edits whose text is still in `files`. A file that equals `base` holds none.

    `units` are in the order of their calls.
    """
    gone: set[PendingEdit] = set()
    for path in {path for unit in units for path in unit.paths}:
        here = [unit for unit in units if path in unit.paths]
        walk = _Walk(path)
        if base is not None:
            walk.known[_name_of(base.get(path))] = frozenset()
        gone |= {*here} - walk.find_end(here, files.get(path))
    return [unit for unit in units if unit not in gone]


@dataclass
class _Walk:
    """Follows the lines that edits wrote through the versions of one file, oldest first.

    `known` says it of versions by their SHA-256; None names the version that is not there.
    """

    path: str
    effective: frozenset[PendingEdit] = frozenset()
    known: dict[str | None, frozenset[PendingEdit]] = field(default_factory=dict)
    current: str | None = ""
    compared: int = 0

    def find_end(self, units: Sequence[PendingEdit], now: File | None) -> frozenset[PendingEdit]:
        """Find the edits whose text is still in the file as it is now."""
        for _, group in groupby(units, key=lambda unit: unit.key):
            same = tuple(group)
            before, after = _states(same[0], self.path)
            kept = same[0].journal.blobs.get
            if before != self.current and self.compared < _COMPARED:
                self._find(before, None if before is None else kept(before))
            self.effective |= {*same}
            self.current = after
            self.known[after] = self.effective
        if _name_of(now) != self.current:
            self._find(_name_of(now), None if now is None else now.data)
        return self.effective

    def _find(self, name: str | None, data: bytes | None) -> None:
        """Follow the lines to a version that no call has made, by a line diff."""
        if name in self.known:
            self.effective = self.known[name]
        elif data is not None:
            self.compared += 1
            left = (unit for unit in self.effective if not _is_gone(unit, self.path, data))
            self.effective = frozenset(left)
        self.known[name] = self.effective


def _name_of(file: File | None) -> str | None:
    return None if file is None else digest(file.data)


def _states(unit: PendingEdit, path: str) -> tuple[str | None, str | None]:
    """The version that a spec found at a path, and the one it left."""
    change = _change(unit, path)
    before = change.before if change.path == path else None
    after = change.after if change.new_path == path else None
    return _sha256(before), _sha256(after)


def _sha256(version: Version | None) -> str | None:
    return None if version is None else version.sha256


def _change(unit: PendingEdit, path: str) -> VersionChange:
    return next(each for each in unit.journaled.changes if path in (each.path, each.new_path))


def _is_gone(unit: PendingEdit, path: str, data: bytes) -> bool:
    """Whether a file has the lines from before an edit again, and none that the edit wrote."""
    change = _change(unit, path)
    kept = unit.journal.blobs.get
    if change.before is None or change.after is None or change.path != change.new_path:
        return False  # a file that was made or taken away is as it was, or is another one
    before, after = kept(change.before.sha256), kept(change.after.sha256)
    if before is None or after is None or before == after:
        return False
    old, new = Document(before).lines, Document(after).lines
    stretches = [*_of(unit, find_changes(old, new))]
    there, written = LineMap.between(before, data), LineMap.between(after, data)
    return bool(stretches) and all(_is_back(each, there, written) for each in stretches)


def _of(unit: PendingEdit, stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """The stretches that one edit of a spec has made; all of them where that cannot be told."""
    touched = unit.journaled.touched[unit.number - 1]
    own = [each for each in stretches if any(_meet(each, lines) for lines in touched)]
    yield from own or stretches


def _meet(stretch: Stretch, lines: Lines) -> bool:
    """Whether a stretch lies in lines, counted from 1, or ends where they begin."""
    return stretch.old_start <= lines[1] and lines[0] - 1 <= stretch.old_end


def _is_back(stretch: Stretch, there: LineMap, written: LineMap) -> bool:
    old = (stretch.old_start + 1, stretch.old_end)
    is_there = stretch.old_start == stretch.old_end or there.carry(old) is not None
    new = range(stretch.new_start + 1, stretch.new_end + 1)
    return is_there and not any(number in written.lines for number in new)
