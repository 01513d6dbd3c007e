"""Find the lines (or tokens) that two texts have in common, and carry ranges of lines over.

Patience diff (Bram Cohen): items that occur once in both texts are anchors, and what lies between
two anchors is compared by itself. Where no anchor is left, the heaviest common subsequence
decides, so that a long line outweighs a closing brace. Work is bounded: a stretch without anchors
that is larger than `CELLS` counts as wholly different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from hkgit.text.document import Document, Lines
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr

CELLS = 20_000  # The largest table, in cells, that the exact comparison of a stretch may fill


@dataclass(frozen=True)
class LineChange:
    """`old[old_start:old_end]` was replaced by `new[new_start:new_end]`."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def find_common(a: Sequence[AnyStr], b: Sequence[AnyStr]) -> list[tuple[int, int]]:
    """Pair equal items of two texts: (index in `a`, index in `b`), increasing in both."""
    pairs: list[tuple[int, int]] = []
    blocks = [(0, len(a), 0, len(b))]
    while blocks:
        a1, a2, b1, b2 = blocks.pop()
        while a1 < a2 and b1 < b2 and a[a1] == b[b1]:
            pairs.append((a1, b1))
            a1, b1 = a1 + 1, b1 + 1
        while a1 < a2 and b1 < b2 and a[a2 - 1] == b[b2 - 1]:
            a2, b2 = a2 - 1, b2 - 1
            pairs.append((a2, b2))
        if a1 == a2 or b1 == b2:
            continue
        split = find_anchors(a[a1:a2], b[b1:b2])
        if split:
            # Before, between and after anchors; each opens the block after it.
            corners: list[tuple[int, int]] = [(a1, b1)]
            corners += [(a1 + i, b1 + j) for i, j in split]
            corners.append((a2, b2))
            blocks += [(i, x, j, y) for (i, j), (x, y) in pairwise(corners)]
        elif (a2 - a1) * (b2 - b1) <= CELLS:
            found = find_heaviest(_weigh_equal(a[a1:a2], b[b1:b2]), b2 - b1)
            pairs += ((a1 + i, b1 + j) for i, j in found)
    return sorted(pairs)


def count_equal(a: Sequence[AnyStr], b: Sequence[AnyStr]) -> int:
    """Count the items at the beginning that are equal."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    return low


def find_changes(a: Sequence[AnyStr], b: Sequence[AnyStr]) -> tuple[LineChange, ...]:
    """List the changes that lead from `a` to `b`, in order, never adjacent."""
    return list_changes(find_common(a, b), len(a), len(b))


def list_changes(
    common: Sequence[tuple[int, int]], old_count: int, new_count: int
) -> tuple[LineChange, ...]:
    """List the changes between the pairs that two texts of so many lines have in common."""
    found = []
    i = j = 0
    for x, y in [*common, (old_count, new_count)]:
        if (i, j) != (x, y):
            found.append(LineChange(i, x, j, y))
        i, j = x + 1, y + 1
    return tuple(found)


def carry_line_ends(
    old: Sequence[bytes], new: Sequence[bytes], ends: Sequence[bytes]
) -> list[bytes]:
    """List the ends of the new lines, given those of the old ones; texts are without ends.

    A kept line keeps its own. A new one takes that of the line it replaces, else of the one above;
    in an empty file there is none to take.
    """
    carried: list[bytes] = []
    row = 0
    for change in find_changes(old, new):
        replaced = list(ends[change.old_start : change.old_end])
        spare = replaced[-1:] or list(ends[max(change.old_start - 1, 0) :][:1]) or [b""]
        count = change.new_end - change.new_start
        carried += [*ends[row : change.old_start], *(replaced + spare * count)[:count]]
        row = change.old_end
    return [*carried, *ends[row:]]


def find_anchors(a: Sequence[AnyStr], b: Sequence[AnyStr]) -> list[tuple[int, int]]:
    """Find the longest increasing run of items that occur once in either text."""
    in_a, in_b = Counter(a), Counter(b)
    place = {item: j for j, item in enumerate(b) if in_b[item] == 1 and in_a.get(item) == 1}
    once = [(i, place[item]) for i, item in enumerate(a) if item in place]
    return _find_increasing(once)


def _find_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the longest subsequence that increases in the second item (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        piles[pile : pile + 1] = [index]
    chain = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


Gains = Sequence[Mapping[int, int]]
"""What each pair of items adds, by item of the one text and by item of the other."""


def find_heaviest(
    gains: Gains,
    width: int,
    gap: int = 0,
    *,
    is_held_above: bool = True,
    is_held_below: bool = True,
) -> list[tuple[int, int]]:
    """Find the heaviest run of pairs that increase in both; of equal ones the earliest.

    The other text has `width` items; each one between pairs costs `gap`, and above or below all
    pairs too, where the texts are held together there.
    """
    rows = [[-gap * (width - j) if is_held_below else 0 for j in range(width + 1)]]
    for gain in reversed(gains):
        rows.append(_fill_row(gain, rows[-1], gap, is_free=not is_held_below))
    rows.reverse()
    pairs = []
    i, j = 0, 0 if is_held_above else max(range(width + 1), key=lambda k: (rows[0][k], -k))
    while i < len(gains) and j < width:
        gained = gains[i].get(j)
        if gained is not None and rows[i][j] == gained + rows[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i][j] == rows[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _fill_row(gain: Mapping[int, int], below: list[int], gap: int, *, is_free: bool) -> list[int]:
    """The best score from each item of the other text on, for the items from one on."""
    row = below[:]
    for j in range(len(row) - 2, -1, -1):
        best = below[j]  # Compared by hand: this is what most time goes into
        if row[j + 1] - gap > best:
            best = row[j + 1] - gap
        if j in gain and gain[j] + below[j + 1] > best:
            best = gain[j] + below[j + 1]
        if best > 0 or not is_free:
            row[j] = best
    return row


def _weigh_equal(a: Sequence[AnyStr], b: Sequence[AnyStr]) -> Gains:
    """What a common item counts: a blank one little, a long one much."""
    spots: dict[AnyStr, list[int]] = {}
    for j, item in enumerate(b):
        spots.setdefault(item, []).append(j)
    return [dict.fromkeys(spots.get(item, ()), 1 + 2 * len(item.strip())) for item in a]


@dataclass(frozen=True)
class LineMap:
    """Where the lines of one text are in the next, by the changes between the two."""

    changes: Sequence[LineChange]

    @classmethod
    def between(cls, old: bytes, new: bytes) -> LineMap:
        return cls(find_changes(Document(old).lines, Document(new).lines))

    def keep(self, lines: Lines) -> Iterator[Lines]:
        """Yield the parts of a range that no change replaced or parted, where they are now."""
        first, last = lines
        shift = 0
        for change in self.changes:
            stop = min(change.old_start, last)
            if first <= stop:
                yield first + shift, stop + shift
            first = max(first, change.old_end + 1)
            shift = change.new_end - change.old_end
        if first <= last:
            yield first + shift, last + shift

    def carry(self, lines: Lines) -> Lines | None:
        """Map a range; None where its lines changed or came apart. A point stays below its line."""
        first, last = lines
        if first > last:
            above = self.carry((last, last)) if last else (0, 0)
            return None if above is None else (above[1] + 1, above[1])
        found = [*self.keep(lines)]
        is_whole = len(found) == 1 and found[0][1] - found[0][0] == last - first
        return found[0] if is_whole else None

    def follow(self, lines: Lines) -> Lines:
        """Map a range; lines that were replaced are where their replacement is, all of it."""
        return self._follow(lines[0], is_last=False), self._follow(lines[1], is_last=True)

    def _follow(self, number: int, *, is_last: bool) -> int:
        shift = 0
        for change in self.changes:
            if change.old_end < number:
                shift = change.new_end - change.old_end
            elif change.old_start < number:
                return change.new_end if is_last else change.new_start + 1
        return number + shift

    def learn(self, known: Iterable[Lines]) -> list[Lines]:
        """Map what the author of the changes knows: lines that stay, and all that are new."""
        kept = (part for lines in known for part in self.keep(lines))
        new = ((each.new_start + 1, each.new_end) for each in self.changes)
        return join_lines([*kept, *(lines for lines in new if lines[0] <= lines[1])])


def join_lines(lines: Iterable[Lines]) -> list[Lines]:
    """Sort ranges, and join those that touch or overlap. An empty range stays only if alone."""
    joined: list[Lines] = []
    for first, last in sorted(lines):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined
