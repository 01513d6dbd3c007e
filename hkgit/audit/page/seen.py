"""seen.py: what an agent knew when it changed a hunk, and what it changed unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import covers, is_empty, is_weak
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.values import dataclass

_HOW = {
    "receipt": "had read {}",
    "hash": "gave the hash of {}",
    "tag": "named the tags of {}",
    "late": "named {} after the change; nothing shows that it had read them",
    "quote": "quoted {}; nothing shows that it had read them",
}
"""What an agent did with some lines: only a session that kept a receipt saw it read them."""

_EYE = {"receipt": "read", "hash": "hash", "tag": "tag"}


@dataclass(frozen=True, slots=True)
class SeenRange:
    """Lines of the base that an agent's evidence names, and of which `kind` that is."""

    start: int
    end: int
    kind: str

    @property
    def lines(self) -> Lines:
        return self.start, self.end

    @property
    def how(self) -> str:
        """What the agent did with the lines, in words."""
        is_one = self.start == self.end
        lines = f"line {self.start}" if is_one else f"lines {self.start}-{self.end}"
        return _HOW.get(self.kind, f"{self.kind}: {{}}").format(lines)

    @property
    def is_known(self) -> bool:
        """Whether it shows that the lines were known; a quote does not."""
        return not is_weak(self.kind)


def find_seen(
    entry: Entry, file: RecordedFile, edits: Sequence[RecordedEdit], line_count: int
) -> tuple[SeenRange, ...]:
    """Find the ranges of a file that stand in an entry as known or quoted, each once, in order."""
    found = [*_of_edits(edits, line_count), *_of_reads(entry, file, line_count)]
    unique = {(each.start, each.end, each.is_known): each for each in reversed(found)}
    return tuple(sorted(unique.values(), key=lambda each: (each.start, each.end)))


def _of_edits(edits: Sequence[RecordedEdit], line_count: int) -> Iterator[SeenRange]:
    for edit in edits:
        if edit.evidence not in _HOW:
            continue
        ranges = edit.base_lines if edit.evidence_lines is None else (edit.evidence_lines,)
        for start, end in ranges:
            if 1 <= start <= end <= max(line_count, end):
                yield SeenRange(start, min(end, line_count), edit.evidence)


def _of_reads(entry: Entry, file: RecordedFile, line_count: int) -> Iterator[SeenRange]:
    for read in entry.reads:
        if read.path != file.path or not line_count:
            continue
        start, end = read.start_line or 1, read.end_line or line_count
        if 1 <= start <= end <= line_count:
            yield SeenRange(start, end, read.kind)


def name_sight(line: int, ranges: Iterable[SeenRange]) -> str:
    """Name what shows that a line was known, a reading before a hash; empty if nothing does."""
    kinds = {each.kind for each in ranges if each.is_known and each.start <= line <= each.end}
    return next((word for kind, word in _EYE.items() if kind in kinds), "")


def is_point_seen(point: int, ranges: Iterable[SeenRange]) -> bool:
    """Whether such evidence covers a neighbour of the point above line `point`."""
    empty = (point, point - 1)
    return any(each.is_known and covers(each.lines, empty) for each in ranges)


def count_overlap(ranges: Iterable[Lines], within: Lines) -> int:
    """Count how many lines of some ranges lie within another."""
    pairs = ((max(a, within[0]), min(b, within[1])) for a, b in ranges if not is_empty((a, b)))
    return sum(max(0, last - first + 1) for first, last in pairs)
