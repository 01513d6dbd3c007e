"""building.py: apply journalled edits to the files of a commit's parent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from hkgit.applying.operations.line_ends import StoresLf
from hkgit.applying.outcome import files_after
from hkgit.edits import Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.sessions.commit.choosing import Contents
from hkgit.sessions.commit.pending import PendingEdit
from hkgit.sessions.commit.placing import PlacedSpec, place_spec
from hkgit.values import dataclass, field


@dataclass
class Built:
    """The files after all edits; each spec's edits as placed; and those that have no place."""

    files: Overlay
    steps: list[tuple[tuple[PendingEdit, ...], PlacedSpec]] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)


Prefixes = dict[tuple[object, ...], Built]
"""What came of edits: by what came of those before them, and the edits of one spec."""


@dataclass(frozen=True, slots=True)
class CommitBuilder:
    """Applies edits to the files of a commit's parent, in the order in which they were made."""

    before: Snapshot
    stores_lf: StoresLf

    def build(self, units: Sequence[PendingEdit], known: Prefixes | None = None) -> Built:
        """Place edits, spec by spec; one that has no place is left out.

        `known` keeps what came of edits, so that edits that begin alike are not placed again.
        """
        known = {} if known is None else known
        built = known.setdefault((), Built(Overlay(self.before)))
        for spec, group in groupby(units, key=lambda unit: unit.key):
            units_of_spec = tuple(group)
            step = (id(built), spec, tuple(unit.number for unit in units_of_spec))
            if step not in known:
                known[step] = Built(built.files, [*built.steps], {**built.refused})
                self._add_spec(known[step], units_of_spec)
            built = known[step]
        return built

    def maker(self, paths: Sequence[str]) -> Callable[[Sequence[PendingEdit]], Contents]:
        """A function from edits to what they make of some files."""
        known: Prefixes = {}
        return lambda units: contents(self.build(units, known).files, paths)

    def _add_spec(self, built: Built, units: tuple[PendingEdit, ...]) -> None:
        try:
            self._add(built, units)
        except HkgitError:
            self._add_some(built, units)

    def _add(self, built: Built, units: tuple[PendingEdit, ...]) -> None:
        found = self._place(built, units)
        files = {**built.files.files, **files_after(found.plan)}
        built.files = Overlay(self.before, files)
        built.steps.append((units, found))

    def _add_some(self, built: Built, units: tuple[PendingEdit, ...]) -> None:
        """Add the edits of a spec that can be placed, alone or beside the others."""
        kept: tuple[PendingEdit, ...] = ()
        for unit in units:
            try:
                self._place(built, (*kept, unit))
            except HkgitError as error:
                built.refused[unit] = error
            else:
                kept = (*kept, unit)
        if kept:
            self._add(built, kept)

    def _place(self, built: Built, units: tuple[PendingEdit, ...]) -> PlacedSpec:
        first = units[0]
        numbers = [unit.number for unit in units]
        kept = first.journal.blobs.get
        return place_spec(first.journaled, numbers, first.reads, built.files, kept, self.stores_lf)


def contents(files: Snapshot, paths: Sequence[str]) -> Contents:
    """Some files of a snapshot, in order."""
    return [files.get(path) for path in paths]
