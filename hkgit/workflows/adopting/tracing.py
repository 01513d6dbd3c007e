"""tracing.py: who wrote each line of a file, told from the versions that calls found and left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import HASHED, covers, is_empty
from hkgit.applying.outcome import EditOutcome
from hkgit.edits import File
from hkgit.sessions.commit.pending import PendingEdit
from hkgit.text.diff import find_common
from hkgit.text.document import Document
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The edit that made a line, what tied it to what was read, and how many lines it changed.

    `is_derived` says whether the line follows from the entries of its commit. One that does not
    stands on lines that no call has made.
    """

    unit: PendingEdit
    path: str
    evidence: str
    evidence_lines: Lines | None
    changed: int
    is_derived: bool = True

    @classmethod
    def of_outcome(cls, unit: PendingEdit, outcome: EditOutcome) -> Origin:
        """Make the origin of lines that an entry derives."""
        evidence, changed = outcome.evidence, sum(map(count_lines, outcome.base_lines))
        return cls(unit, outcome.path, evidence.kind, evidence.lines, changed)

    @classmethod
    def of_unit(cls, unit: PendingEdit) -> Origin:
        """Make the origin of lines as the edit's journal has it."""
        journaled, at = unit.journaled, unit.number - 1
        touched, path = journaled.touched[at], journaled.paths[at]
        reads = (
            (read.start_line, read.end_line)
            for read in unit.reads
            if read.path == path and read.start_line is not None and read.end_line is not None
        )
        lines = next((each for each in reads if all(covers(each, t) for t in touched)), None)
        changed = sum(map(count_lines, touched))
        return cls(unit, path, journaled.evidence[at], lines, changed, is_derived=False)

    @property
    def changed_share(self) -> int | None:
        """How much of its evidence the edit changed, per mille; None without evidence."""
        if self.evidence not in HASHED:
            return None
        if self.evidence_lines is None:
            return 1000
        return min(1000, 1000 * self.changed // count_lines(self.evidence_lines))


Lineage = list[int | Origin]
"""For each line of a file the line of the base that it is, or the edit that made it."""

Matched = dict[int, tuple[int, int | Origin]]
"""For lines (from 0) of a file their place (from 0) in another version, and their origin there."""

NOBODY = 0
"""In a lineage: a line that neither the base has nor a call has made."""


def trace_versions(
    path: str, base: File | None, actual: File, units: Sequence[PendingEdit]
) -> tuple[Matched, int]:
    """Find the lines of a file that stand in what calls left, and how many lines that has."""
    lines: Sequence[bytes] = Document(b"" if base is None else base.data).lines
    lineage: Lineage = [*range(1, len(lines) + 1)]
    for _, group in groupby(units, key=lambda unit: unit.key):
        unit = next(group)
        for change in unit.journaled.changes:
            if path != change.new_path or change.after is None:
                continue
            kept = unit.journal.blobs.get
            before = b"" if change.before is None else kept(change.before.sha256)
            after = kept(change.after.sha256)
            if before is None or after is None:
                continue
            found, left = Document(before).lines, Document(after).lines
            lineage = _carry(lineage, lines, found, NOBODY)
            lineage = _carry(lineage, found, left, Origin.of_unit(unit))
            lines = left
    return match_lines(lineage, find_common(lines, Document(actual.data).lines)), len(lines)


def match_lines(lineage: Lineage, pairs: Iterable[tuple[int, int]]) -> Matched:
    """Map lines of a file to lines of another version, with the origins that they had."""
    return {j: (i, lineage[i]) for i, j in pairs}


def _carry(
    lineage: Lineage, old: Sequence[bytes], new: Sequence[bytes], by: int | Origin
) -> Lineage:
    """The lineage of a version that somebody made of another one."""
    if old == new:
        return lineage
    carried: Lineage = [by] * len(new)
    for i, j in find_common(old, new):
        carried[j] = lineage[i]
    return carried


def count_lines(lines: Lines) -> int:
    """Count how many lines a range has; a point counts as one."""
    return 1 if is_empty(lines) else lines[1] - lines[0] + 1
