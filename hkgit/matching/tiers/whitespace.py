"""whitespace.py: the tier that ignores differences in whitespace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from hkgit.matching.lines import EditLines, FileLines, LineReading, find_occurrences, indent_of
from hkgit.matching.places import FULL, Place
from hkgit.matching.tiers.exact import LIMIT, exact, swap_line_ends

Rows = tuple[int, ...]
"""Numbers of lines, counted from 0, one for each old line that is not blank."""

SHIFTED, INTERIOR = 980, 960
"""The similarity of places where every line is as much deeper or less deep, and of all others."""

MANY = 50
"""So many places are ambiguous anyway, and not worth being compared."""

LONGEST_PATTERN = 4000


def whitespace(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find whole lines that differ from the old ones in blanks, blank lines and line ends only.

    Where there are none, the old text may begin and end inside a line. Where line ends alone are
    others, the tier `exact` says what a place is.
    """
    other = swap_line_ends(wanted)
    literal = () if other is None else exact(view, other)
    if len(literal) == 1:
        return literal
    hits = find_runs(view.squeezed, wanted.squeezed)
    if not hits:
        return ()
    if len(hits) > MANY:
        return tuple(place_of(view, wanted, rows, INTERIOR) for rows in hits)
    hits += [longer for rows in hits if (longer := _longer(view, wanted, rows)) is not None]
    return tuple(place_of(view, wanted, rows, _grade(view, wanted, rows)) for rows in hits)


def _longer(view: FileLines, wanted: EditLines, rows: Rows) -> Rows | None:
    """The same place up to the line below, where that is the last old line as it is written.

    All of the old text stands here, but for the indentation of that line: of two brackets the
    author may have left out the inner one. What changes at the end of the text may then belong
    to either.
    """
    says = [i for i, line in enumerate(wanted.squeezed) if line]
    numbers = view.squeezed.numbers
    at = bisect_left(numbers, rows[-1] + 1)
    below = numbers[at : at + 1]
    if not below or len(rows) < 2 or not _may_be_below(wanted, says[-2], says[-1]):
        return None
    old = [wanted.old_lines[i].rstrip() for i in says]
    here = [view.lines[row].rstrip() for row in (*rows, *below)]
    is_below = old == [*here[:-2], here[-1]] and old[-1] != here[-2]
    return (*rows[:-1], *below) if is_below else None


def _may_be_below(wanted: EditLines, above: int, last: int) -> bool:
    """Whether something changes with the last old line or below it, or comes right above it.

    What is indented as the line above the last one belongs to that.
    """
    if not wanted.changes:
        return False
    change = wanted.changes[-1]
    if change.old_end > last or change.old_start < change.old_end or change.old_end <= above:
        return change.old_end > last
    added = wanted.new_lines[change.new_start : change.new_end]
    first = next((line for line in added if line.strip()), b"")
    return indent_of(first) != indent_of(wanted.old_lines[above])


def find_runs(reading: LineReading, old: Sequence[bytes]) -> list[Rows]:
    """Find where the lines of `old` follow each other in a file, blank ones left out of both."""
    needle = [line for line in old if line]
    if not needle:
        return []
    hits = find_occurrences(reading.text, b"\n" + b"\n".join(needle) + b"\n", LIMIT)
    firsts = [bisect_left(reading.starts, hit) for hit in hits]
    return [tuple(reading.numbers[first : first + len(needle)]) for first in firsts]


def place_of(view: FileLines, wanted: EditLines, rows: Rows, similarity: int) -> Place:
    """Convert rows to a place, with the blank lines around them that the old text has too."""
    lines = view.squeezed.lines
    says = [i for i, line in enumerate(wanted.squeezed) if line]
    first, last = rows[0], rows[-1]
    top, bottom = first - says[0], last + len(wanted.squeezed) - 1 - says[-1]
    while first > max(top, 0) and not lines[first - 1]:
        first -= 1
    while last < min(bottom, len(lines) - 1) and not lines[last + 1]:
        last += 1
    offsets = view.document.offsets
    return Place(offsets[first], offsets[last + 1], similarity)


def _grade(view: FileLines, wanted: EditLines, rows: Rows) -> int:
    """How alike lines are to the old ones: wholly where nothing but line ends differs."""
    says = [i for i, line in enumerate(wanted.squeezed) if line]
    pairs = [(wanted.old_lines[i], view.lines[row]) for i, row in zip(says, rows, strict=True)]
    is_gapless = rows[-1] - rows[0] == says[-1] - says[0]
    if is_gapless and all(old == here for old, here in pairs):
        return FULL
    steps = {len(indent_of(here)) - len(indent_of(old)) for old, here in pairs}
    is_same = all(old.strip() == here.strip() for old, here in pairs)
    return SHIFTED if is_same and len(steps) == 1 else INTERIOR
