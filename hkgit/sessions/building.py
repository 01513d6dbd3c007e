"""building.py: what journalled edits make of the files that a commit begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hkgit.applying.line_ends import StoresLf
from hkgit.applying.outcome import changed_files
from hkgit.edits import Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.sessions.choosing import Contents
from hkgit.sessions.placing import Placed, placed
from hkgit.sessions.units import Unit


@dataclass
class Built:
    """The files after all edits; each spec's edits as placed; and those that have no place."""

    files: Overlay
    steps: list[tuple[tuple[Unit, ...], Placed]] = field(default_factory=list)
    refused: dict[Unit, HkgitError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Builder:
    """Puts edits on the files of a commit's parent, in the order in which they were made."""

    before: Snapshot
    stores_lf: StoresLf

    def build(self, units: Sequence[Unit]) -> Built:
        """Place edits, spec by spec; one that has no place is left out."""
        built = Built(Overlay(self.before))
        for _, group in groupby(units, key=lambda unit: unit.key):
            units_of_spec = tuple(group)
            try:
                self._add(built, units_of_spec)
            except HkgitError:
                self._add_some(built, units_of_spec)
        return built

    def maker(self, paths: Sequence[str]) -> Callable[[Sequence[Unit]], Contents]:
        """What edits make of some files."""
        return lambda units: contents(self.build(units).files, paths)

    def _add(self, built: Built, units: tuple[Unit, ...]) -> None:
        found = self._placed(built, units)
        files = {**built.files.files, **changed_files(found.made)}
        built.files = Overlay(self.before, files)
        built.steps.append((units, found))

    def _add_some(self, built: Built, units: tuple[Unit, ...]) -> None:
        """Those edits of a spec that have a place by themselves or beside the others."""
        kept: tuple[Unit, ...] = ()
        for unit in units:
            try:
                self._placed(built, (*kept, unit))
            except HkgitError as error:
                built.refused[unit] = error
            else:
                kept = (*kept, unit)
        if kept:
            self._add(built, kept)

    def _placed(self, built: Built, units: tuple[Unit, ...]) -> Placed:
        first = units[0]
        numbers = [unit.number for unit in units]
        kept = first.journal.blobs.get
        return placed(first.said, numbers, first.reads, built.files, kept, self.stores_lf)


def contents(files: Snapshot, paths: Sequence[str]) -> Contents:
    """Some files of a snapshot, in order."""
    return [files.get(path) for path in paths]
