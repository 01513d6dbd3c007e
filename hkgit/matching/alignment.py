"""Align an author's text with lines of the file, and map the change onto them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache

from hkgit.matching.place import FULL
from hkgit.matching.quotation import Quotation, indent_of
from hkgit.text.diff import LineChange, find_anchors, find_heaviest
from hkgit.values import dataclass

LONGEST = 2000  # Longer lines are alike only when they are equal, so that the work is bounded


def measure_similarity(a: bytes, b: bytes, least: int = 0) -> int:
    """Measure the common bytes of both, as a share of all bytes, per mille.

    Returns 0 where that is below `least`.
    """
    if a == b:
        return FULL
    shorter, longer = len(a), len(b)
    if shorter > longer:
        shorter, longer = longer, shorter
    # The shorter line at most is common, which mostly settles it.
    if not shorter or longer > LONGEST or 2 * FULL * shorter < least * (shorter + longer):
        return 0
    found = _similarity(a, b)
    return found if found >= least else 0


@lru_cache(maxsize=4096)
def _similarity(a: bytes, b: bytes) -> int:
    total = len(a) + len(b)
    distance = _distance()(a.decode("latin-1"), b.decode("latin-1"))
    return FULL * (total - distance) // total


@cache
def _distance() -> Callable[[str, str], int]:
    """Loaded when it is needed, for most edits do without."""
    from rapidfuzz.distance import Indel

    return Indel.distance


Spelt = tuple[Sequence[bytes], Sequence[bytes]]

Targets = tuple[int | None, ...]
"""For each old line the line of the file, both counted from 0, or None where it has none."""

CELLS = 4000  # The largest table, in cells, that is filled without looking for anchors first
MOST_CELLS = 40_000  # A larger one is not filled at all: such lines have no counterparts
ALIKE = 600  # From this similarity on, per mille, an unequal line may be the counterpart of another
GAP = 3  # What a line of the file that is left out costs


def weigh(key: bytes) -> int:
    """Weigh a line by what it says: little for a bracket, and at most a word or two's worth."""
    return min(len(key), 12)


def align(
    old: Sequence[bytes],
    window: Sequence[bytes],
    first: int = 0,
    alike: int = ALIKE,
    spelt: Spelt | None = None,
) -> Targets:
    """Find the best alignment of `old` with some lines, the first of which has number `first`.

    Both sides are keys; from similarity `alike` on two of them may be counterparts. `spelt`, the
    lines of both sides as they are, chooses between alignments that are as good.
    """
    targets: list[int | None] = [None] * len(old)
    held = find_anchors(old, window) if len(old) * len(window) > CELLS else []
    olds, windows = spelt or (old, window)
    i = j = 0
    # What is between two anchors is aligned by itself.
    for x, y in [*held, (len(old), len(window))]:
        if 0 < (x - i) * (y - j) <= MOST_CELLS:
            pairs = find_heaviest(
                _gains(old[i:x], window[j:y], (olds[i:x], windows[j:y]), alike),
                y - j,
                GAP,
                is_held_above=i > 0,
                is_held_below=x < len(old),
            )
            for row, number in pairs:
                targets[i + row] = first + j + number
        if x < len(old):
            targets[x] = first + y
        i, j = x + 1, y + 1
    return tuple(targets)


def _gains(
    old: Sequence[bytes], window: Sequence[bytes], spelt: Spelt, least: int
) -> list[dict[int, int]]:
    """What each pair of counterparts adds, by old line and by line of the window."""
    spots: dict[bytes, list[int]] = {}
    for j, line in enumerate(window):
        spots.setdefault(line, []).append(j)
    known = set(old)
    odd = [j for j, line in enumerate(window) if line and line not in known]
    gains = []
    for key, author in zip(old, spelt[0], strict=True):
        gain = 1 + 2 * weigh(key)
        found = {j: gain + (author == spelt[1][j]) for j in spots.get(key, ())}
        if not found and key:
            alike = {j: measure_similarity(key, window[j], least) for j in odd}
            found = {j: gain * a // 1500 for j, a in alike.items() if a}
        gains.append(found)
    return gains


Lines = tuple[int, int]  # Lines of the file, counted from 0 and half open


@dataclass(frozen=True)
class Alignment:
    """An edit, and for each of its old lines the counterpart in the file."""

    quote: Quotation
    targets: Targets

    @cached_property
    def pairs(self) -> dict[int, int]:
        """The old lines that have a counterpart, each with it."""
        return {i: t for i, t in enumerate(self.targets) if t is not None}

    @cached_property
    def found(self) -> list[int]:
        """The counterparts, in order."""
        return [*self.pairs.values()]

    def list_unknown(self, first: int = 0, after: int | None = None) -> list[int]:
        """List the lines that say something between counterparts, and that the author did not know.

        The counterparts are those of old lines `first` up to `after`, by default of all.
        """
        found = [t for t in self.targets[first:after] if t is not None]
        between = sorted({*range(found[0], found[-1])}.difference(found)) if found else ()
        return [t for t in between if self.quote.keys[t]]

    @cached_property
    def landings(self) -> tuple[Lines | None, ...]:
        """For each change of the author's, the lines of the file that it replaces.

        None where that cannot be told: new lines belong between the counterparts of the old lines
        around them, and where the file has lines in between that the author did not know, nobody
        can say on which side of those.
        """
        return tuple(map(self._find_landing, self.quote.changes))

    def _find_landing(self, change: LineChange) -> Lines | None:
        targets, lines = self.targets, self.quote.lines
        found = [t for t in targets[change.old_start : change.old_end] if t is not None]
        if found:
            return found[0], found[-1] + 1
        above = targets[change.old_start - 1] if change.old_start else None
        below = targets[change.old_end] if change.old_end < len(targets) else None
        is_inside = change.old_start > 0 and change.old_end < len(targets)
        if is_inside and (above is None or below is None):
            above = max((t for i, t in self.pairs.items() if i < change.old_start), default=None)
            below = min((t for i, t in self.pairs.items() if i >= change.old_end), default=None)
        if above is None or below is None:
            at = below if above is None else above + 1
            return None if is_inside or at is None else (at, at)
        if any(line.strip() for line in lines[above + 1 : below]):
            return None
        added = self.quote.new_lines[change.new_start : change.new_end]
        at = below if _leans_down(added, lines[above], lines[below]) else above + 1
        return at, at


def _leans_down(added: Sequence[bytes], above: bytes, below: bytes) -> bool:
    """Whether new lines belong rather below than above some blank lines."""
    if not added:
        return False
    starts, ends = not added[0].strip(), not added[-1].strip()
    if starts != ends:
        return ends
    indents = [indent_of(line) for line in added if line.strip()]
    return bool(indents) and indents[0] == indent_of(below) != indent_of(above)
