"""building.py: apply journalled edits to the files of a commit's parent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from hkgit.applying.evidence import is_blind
from hkgit.applying.operations.line_ends import StoresLf
from hkgit.applying.outcome import expect_change, files_after
from hkgit.applying.planner import plan
from hkgit.applying.series import PlannedSpec
from hkgit.edits import Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.sessions.abandoning import find_effective
from hkgit.sessions.commit.choosing import Contents, choose_edits
from hkgit.sessions.commit.pending import PendingEdit, group_connected
from hkgit.sessions.commit.placing import place_spec
from hkgit.values import dataclass, field


@dataclass
class Built:
    """The files after all edits; each spec's edits as placed; and those that have no place."""

    files: Overlay
    steps: list[tuple[tuple[PendingEdit, ...], PlannedSpec]] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)


Placements = dict[tuple[object, ...], Built]
"""What came of the edits of one spec, by those edits and the files on which they were placed."""


@dataclass(frozen=True, slots=True)
class CommitBuilder:
    """Applies edits to the files of a commit's parent, in the order in which they were made."""

    before: Snapshot
    stores_lf: StoresLf

    def build(self, units: Sequence[PendingEdit], known: Placements | None = None) -> Built:
        """Place edits, spec by spec; one that has no place is left out.

        `known` keeps what came of edits, so that none is placed on the same files again.
        """
        known = {} if known is None else known
        built = Built(Overlay(self.before))
        for spec, group in groupby(units, key=lambda unit: unit.key):
            units_of_spec = tuple(group)
            numbers = tuple(unit.number for unit in units_of_spec)
            key = spec, numbers, frozenset(built.files.files.items())
            if key not in known:
                known[key] = self._place_spec(built.files, units_of_spec)
            found = known[key]
            built.files = found.files
            built.steps += found.steps
            built.refused |= found.refused
        return built

    def maker(self, paths: Sequence[str]) -> Callable[[Sequence[PendingEdit]], Contents]:
        """Return a function from edits to what they make of some files."""
        known: Placements = {}
        return lambda units: read_contents(self.build(units, known).files, paths)

    def _place_spec(self, files: Overlay, units: tuple[PendingEdit, ...]) -> Built:
        """Place the edits of a spec: all of them, else those that can be, beside the others."""
        try:
            return self._add(files, units)
        except HkgitError as error:
            if len(units) == 1:
                return self._restate(files, units[0], error)
        refused: dict[PendingEdit, HkgitError] = {}
        kept: tuple[PendingEdit, ...] = ()
        for unit in units:
            try:
                self.place(files, (*kept, unit))
            except HkgitError as error:
                refused[unit] = error
            else:
                kept = (*kept, unit)
        built = self._add(files, kept) if kept else Built(files)
        for unit, why in refused.items():
            found = self._restate(built.files, unit, why)
            built.files = found.files
            built.steps += found.steps
            built.refused |= found.refused
        return built

    def _restate(self, files: Overlay, unit: PendingEdit, error: HkgitError) -> Built:
        """Place a blind edit of lines that somebody has not committed on those that are.

        One that leans on a reading stays refused: nobody has read the lines that are committed.
        """
        path = unit.journaled.paths[unit.number - 1]
        base = files.get(path)
        versions = _find_versions(unit, path)
        if (
            base is None
            or versions is None
            or not is_blind(unit.journaled.evidence[unit.number - 1])
        ):
            return Built(files, refused={unit: error})
        # Few edits are of such lines.
        from hkgit.sessions.commit.restatement import restate_on

        touched = unit.journaled.touched[unit.number - 1]
        try:
            spec = restate_on(path, touched, versions, base.data)
            planned = expect_change(plan(spec, files))
        except HkgitError:
            return Built(files, refused={unit: error})
        if planned.first_error is not None or not planned.files:
            return Built(files, refused={unit: error})
        after = {**files.files, **files_after(planned)}
        return Built(Overlay(self.before, after), [((unit,), PlannedSpec(spec, planned, ()))])

    def _add(self, files: Overlay, units: tuple[PendingEdit, ...]) -> Built:
        found = self.place(files, units)
        after = {**files.files, **files_after(found.plan)}
        return Built(Overlay(self.before, after), [(units, found)])

    def place(self, files: Overlay, units: tuple[PendingEdit, ...]) -> PlannedSpec:
        """Place edits of one spec on some files. Raises the refusal of one that has no place."""
        first = units[0]
        numbers = [unit.number for unit in units]
        kept = first.journal.blobs.get
        return place_spec(first.journaled, numbers, first.reads, files, kept, self.stores_lf)


def _find_versions(unit: PendingEdit, path: str) -> tuple[bytes, bytes] | None:
    """Find a file as it was before an edit's spec, and as that left it; None where it made one."""
    kept = unit.journal.blobs.get
    for change in unit.journaled.changes:
        if change.path == change.new_path == path and change.before and change.after:
            before, after = kept(change.before.sha256), kept(change.after.sha256)
            return None if before is None or after is None else (before, after)
    return None


def read_contents(files: Snapshot, paths: Sequence[str]) -> Contents:
    """Read some files of a snapshot, in order."""
    return [files.get(path) for path in paths]


def choose_units(
    builder: CommitBuilder, units: Sequence[PendingEdit], before: Snapshot, after: Snapshot
) -> tuple[set[PendingEdit], list[PendingEdit]]:
    """Choose the edits that are in a commit; return also those whose files are gone from it."""
    kept: set[PendingEdit] = set()
    lost: list[PendingEdit] = []
    for paths, group in group_connected(units):
        make, staged = builder.maker(paths), read_contents(after, paths)
        if not _are_gone(staged) or _are_gone(make(group)):
            effective = find_effective(after, group, before)
            kept.update(choose_edits(group, make, staged, effective))
        else:
            lost += group
    return kept, lost


def _are_gone(files: Contents) -> bool:
    """Whether none of some files is there; the edits of a deleted file go with it."""
    return all(file is None for file in files)
