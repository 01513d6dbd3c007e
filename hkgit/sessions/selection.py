"""Which recorded edits a commit takes.

Most often that is all of them. Where the staged files differ (only a part was staged, a person
went on editing, the edits belong to another branch), an edit is left out if the files without it
are nearer to what is staged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

from hkgit.applying.evidence import is_blind
from hkgit.applying.outcome import expect_change
from hkgit.applying.planner import PlannedSpec, plan
from hkgit.applying.quotes import StoresLf
from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.sessions.call_journal import PendingEdit
from hkgit.sessions.placement import place_spec, restate_on
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.values import dataclass, field

Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""With more edits, all are taken to be staged, instead of trying each."""

_COMPARED = 2**18
"""Up to so many bytes are compared byte by byte; of more all are counted."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    effective: Sequence[Item],
) -> list[Item]:
    """Choose the edits whose result is nearest to what is staged; `make` gives the files they make.

    `effective` are the edits that nobody is known to have taken back; where they alone give what is
    staged, they are chosen.
    """
    kept, apart = _find_nearest(effective, make, staged)
    if apart and len(effective) < len(items):
        others, nearer = _find_nearest(items, make, staged)
        return others if nearer < apart else kept
    return kept


def _find_nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last first, as long as the result comes nearer; return its distance."""
    kept = list(items)
    nearest = _measure(make(kept), staged)
    for item in reversed(items if len(items) <= TRIED else ()):
        if nearest == 0:
            break
        fewer = [each for each in kept if each is not item]
        apart = _measure(make(fewer), staged)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _measure(left: Contents, right: Contents) -> int:
    return sum(map(measure_distance, left, right))


def measure_distance(left: File | None, right: File | None) -> int:
    """Measure how far two files are apart: bytes to remove or add, and one for another mode.

    A file that is not there is equally far from every file: no edit of lines removes one.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    if left.data == right.data:
        return int(left.mode != right.mode)
    from rapidfuzz.distance import Indel

    old, new = split_raw(left.data), split_raw(right.data)
    apart = int(left.mode != right.mode)
    for change in find_changes(old, new):
        gone = b"".join(old[change.old_start : change.old_end])
        came = b"".join(new[change.new_start : change.new_end])
        size = len(gone) + len(came)
        apart += int(Indel.distance(gone, came)) if size <= _COMPARED else size
    return apart


Step = tuple[tuple[PendingEdit, ...], PlannedSpec]
"""Edits of one spec, and how they were placed."""


@dataclass
class Built:
    """The files after all edits; each spec's edits as placed; and those that have no place."""

    files: Overlay
    steps: list[Step] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)

    def add(self, units: tuple[PendingEdit, ...], planned: PlannedSpec) -> None:
        """Take in some edits of a spec as they were placed on the files."""
        self.files = Overlay(self.files.below, {**self.files.files, **planned.files})
        self.steps.append((units, planned))

    def merge(self, other: Built) -> None:
        """Take in what was built further on these files, or beside them."""
        self.files = Overlay(self.files.below, {**self.files.files, **other.files.files})
        self.steps += other.steps
        self.refused |= other.refused


@dataclass(frozen=True)
class CommitBuilder:
    """Applies edits to the files of a commit's parent, in the order in which they were made.

    `known` keeps how the edits of a spec were placed, by those edits and the files on which they
    were, so that none is placed there again.
    """

    before: Snapshot
    stores_lf: StoresLf
    known: dict[tuple[object, ...], Built] = field(default_factory=dict)

    def build(self, units: Sequence[PendingEdit]) -> Built:
        """Place edits, spec by spec; one that has no place is left out."""
        built = Built(Overlay(self.before))
        for spec, group in groupby(units, key=lambda unit: unit.key):
            own = tuple(group)
            numbers = tuple(unit.number for unit in own)
            key = spec, numbers, frozenset(built.files.files.items())
            if key not in self.known:
                self.known[key] = self._place_spec(built.files, own)
            built.merge(self.known[key])
        return built

    def _place_spec(self, files: Overlay, units: tuple[PendingEdit, ...]) -> Built:
        """Place the edits of a spec: all of them, else those that can be, beside the others."""
        entry, blobs = units[0].entry, units[0].journal.blobs
        built = Built(files)
        planned: PlannedSpec | None = None
        kept: tuple[PendingEdit, ...] = ()
        for more in (units, *((unit,) for unit in units)):
            if more[0] not in kept:
                numbers = [unit.number for unit in (*kept, *more)]
                try:
                    planned = place_spec(entry, numbers, files, blobs.get, self.stores_lf)
                    kept = (*kept, *more)
                except HkgitError as error:
                    built.refused |= dict.fromkeys(more, error)
        if planned is not None:
            built.add(kept, planned)
        for unit in units:
            restated = None if unit in kept else self._restate(built.files, unit)
            if restated is not None:
                built.add((unit,), restated)
            if restated is not None or unit in kept:
                built.refused.pop(unit, None)
        return built

    def _restate(self, files: Overlay, unit: PendingEdit) -> PlannedSpec | None:
        """Place a blind edit of lines that somebody has not committed on those that are.

        One that leans on a reading stays refused: nobody has read the lines that are committed.
        """
        path, base = unit.edit.path, files.get(unit.edit.path)
        kept = (each for each in unit.entry.files if each.path == each.new_path == path)
        change = next(kept, None)
        before = None if change is None else unit.version(change.before)
        if base is None or change is None or before is None or not is_blind(unit.edit.evidence):
            return None
        hunks = [hunk for hunk in change.hunks if unit.edit.id in hunk.edits]
        try:
            spec = restate_on(path, hunks, before, base.data)
            planned = expect_change(plan(spec, files))
        except HkgitError:
            return None
        is_made = planned.first_error is None and bool(planned.files)
        return PlannedSpec(spec, planned, ()) if is_made else None


def read_contents(files: Snapshot, paths: Sequence[str]) -> Contents:
    """Read some files of a snapshot, in order."""
    return [files.get(path) for path in paths]
