"""seen.py: what an agent had read when it changed a hunk, and what it changed unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import covers, is_empty
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.ledger.readings import ShownLines, parse_claimed_readings
from hkgit.values import dataclass, replace

READ = ("hash", "receipt", "tag")
"""The evidence that shows a reading; a quote shows only that the text was known."""

MOST_CALLS = 3
"""So many calls are named for a range, the last ones."""

_HOW = {
    "hash": "the hash of these lines, given with the edit",
    "receipt": "read in the session, which kept a receipt",
    "tag": "read with line tags, which the edit names",
    "quote": "quoted in the edit; nothing shows that it was read",
}


@dataclass(frozen=True, slots=True)
class SeenRange:
    """Lines of the base that an agent knew: `kind` of evidence, and by which call in words."""

    start: int
    end: int
    kind: str
    how: str

    @property
    def lines(self) -> Lines:
        return self.start, self.end

    @property
    def is_read(self) -> bool:
        """Whether it shows a reading."""
        return self.kind in READ


def find_seen(
    entry: Entry, file: RecordedFile, edits: Sequence[RecordedEdit], line_count: int
) -> tuple[SeenRange, ...]:
    """Find the ranges of a file that stand in an entry as read or quoted, each once, in order."""
    found = [*_of_edits(edits, line_count), *_of_reads(entry, file, line_count)]
    claimed = parse_claimed_readings(entry.claims.get("readings"))
    shown = [each for each in claimed if each.path == file.path]
    found = [_name_calls(each, file, shown) for each in found]
    unique = {(each.start, each.end, each.is_read): each for each in reversed(found)}
    return tuple(sorted(unique.values(), key=lambda each: (each.start, each.end)))


def _of_edits(edits: Sequence[RecordedEdit], line_count: int) -> Iterator[SeenRange]:
    for edit in edits:
        if edit.evidence not in _HOW:
            continue
        ranges = edit.base_lines if edit.evidence_lines is None else (edit.evidence_lines,)
        for start, end in ranges:
            if 1 <= start <= end <= max(line_count, end):
                yield SeenRange(start, min(end, line_count), edit.evidence, _HOW[edit.evidence])


def _of_reads(entry: Entry, file: RecordedFile, line_count: int) -> Iterator[SeenRange]:
    for read in entry.reads:
        if read.path != file.path or not line_count:
            continue
        start, end = read.start_line or 1, read.end_line or line_count
        if 1 <= start <= end <= line_count:
            yield SeenRange(start, end, read.kind, _HOW.get(read.kind, read.kind))


def _name_calls(seen: SeenRange, file: RecordedFile, shown: Sequence[ShownLines]) -> SeenRange:
    """A range that was read, with the calls that are claimed to have shown lines of it."""
    if not seen.is_read:
        return seen
    base = "" if file.before is None else file.before.sha256
    here = [each for each in shown if each.version == base and _overlaps(each, seen)]
    if seen.kind != "receipt":
        return replace(seen, how=f"{seen.how}; shown by {_list_calls(here)}") if here else seen
    # Where the session had changed the file since, they showed an earlier version, in which the
    # lines may have had other numbers.
    earlier = [each for each in shown if each.version != base]
    calls = here or [each for each in earlier if _overlaps(each, seen)] or earlier
    if not calls:
        return seen
    since = "" if here else " of an earlier version, which the session followed"
    return replace(seen, how=f"read by {_list_calls(calls)}{since}")


def _list_calls(calls: Sequence[ShownLines]) -> str:
    more = f" and {len(calls) - MOST_CALLS} more" if len(calls) > MOST_CALLS else ""
    return ", ".join(map(name_call, calls[-MOST_CALLS:])) + more


def _overlaps(shown: ShownLines, seen: SeenRange) -> bool:
    return shown.start_line <= seen.end and seen.start <= shown.end_line


def name_call(shown: ShownLines) -> str:
    """Describe a call: `Read (call toolu_1, lines 1-40, 2026-01-02 03:04 UTC)`."""
    call = f"call {shown.call.id}, " if shown.call.id else ""
    when = datetime.fromtimestamp(shown.time // 1000, UTC)
    lines = f"lines {shown.start_line}-{shown.end_line}"
    return f"{shown.call.tool or 'a tool'} ({call}{lines}, {when:%Y-%m-%d %H:%M} UTC)"


def is_seen(line: int, ranges: Iterable[SeenRange]) -> bool:
    """Whether a reading shows that a line was known."""
    return any(each.is_read and each.start <= line <= each.end for each in ranges)


def is_point_seen(point: int, ranges: Iterable[SeenRange]) -> bool:
    """Whether a reading covers a neighbour of the point above line `point`."""
    empty = (point, point - 1)
    return any(each.is_read and covers(each.lines, empty) for each in ranges)


def count_overlap(ranges: Iterable[Lines], within: Lines) -> int:
    """Count how many lines of some ranges lie within another."""
    pairs = ((max(a, within[0]), min(b, within[1])) for a, b in ranges if not is_empty((a, b)))
    return sum(max(0, last - first + 1) for first, last in pairs)
