"""Where an old text may be: seeds, votes, alignments with lines of the file, candidates.

Lines that the old text and the file share vote for the offset between the two; only where there
are votes are lines aligned. So the work grows with the file as its hashing does, and not with the
number of windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import compress, pairwise
from operator import eq

from hkgit.matching.place import FULL, Place
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


COMMON = 300  # A line that occurs more often than this votes for nothing
MOST_OFFSETS = 60
MOST_PAIRS = 30_000  # So many offsets are looked at, and fewer for long old texts
MOST_WINDOWS = 12  # Around so many of them lines are aligned with gaps


def propose_alignments(quote: Quotation) -> list[Alignment]:
    """Propose alignments worth judging: straight ones at many offsets, with gaps at the best."""
    lines, old = quote.keys, quote.old_keys
    slack = 10 + len(old) // 4
    votes = _count_votes(old, lines)
    offsets = sorted(votes, key=lambda offset: (-votes[offset], offset))
    offsets = offsets[: max(min(MOST_OFFSETS, MOST_PAIRS // len(old)), 3)]
    found = [_straight(old, lines, o) for o in offsets if 3 * votes[o] > votes[offsets[0]]]
    windows: list[int] = []
    for offset in offsets:
        if len(windows) < MOST_WINDOWS and all(abs(offset - each) > slack for each in windows):
            windows.append(offset)
            first, after = max(offset - slack, 0), offset + len(old) + slack
            best = _align_within(quote, first, after)
            there = [t for t in best if t is not None]
            found.append(best)
            # A copy so near has no window of its own.
            if there and any(len(old) <= 2 * abs(offset - each) <= 2 * slack for each in offsets):
                found += [
                    _align_within(quote, max(there[0] - len(old) - slack, 0), there[0]),
                    _align_within(quote, there[-1] + 1, there[-1] + 1 + len(old) + slack),
                ]
    return [Alignment(quote, targets) for targets in found if any(t is not None for t in targets)]


def _align_within(quote: Quotation, first: int, after: int) -> Targets:
    """Align an old text with some lines of the file."""
    spelt = quote.old_lines, quote.lines[first:after]
    return align(quote.old_keys, quote.keys[first:after], first, spelt=spelt)


def _straight(old: Sequence[bytes], lines: Sequence[bytes], offset: int) -> Targets:
    """Every old line with the line at one offset, where they are alike at all."""
    return tuple(
        offset + i
        if 0 <= offset + i < len(lines) and measure_similarity(key, lines[offset + i], ALIKE)
        else None
        for i, key in enumerate(old)
    )


def _count_votes(old: Sequence[bytes], lines: Sequence[bytes]) -> Counter[int]:
    """Weigh the lines that the old text and the file have at each offset between the two."""
    spots: dict[bytes, list[int]] = {key: [] for key in old if key}
    for number, line in enumerate(lines):
        if line in spots:
            spots[line].append(number)
    votes = Counter[int]()
    for index, key in enumerate(old):
        numbers = spots.get(key, ())
        if len(numbers) <= COMMON:
            for number in numbers:
                votes[number - index] += 1 + weigh(key)
    return votes


INTERRUPTED = 4  # What lines in between take from the agreement
TELLING = 8  # From this weight on a line says something
HELD = 850  # From this similarity on, per mille, a line holds the new ones that are by it alone


@lru_cache(maxsize=4)
def find_candidates(quote: Quotation) -> tuple[Place, ...]:
    """List the candidates, best first; of several at one place only the best.

    Two that see a line to be removed at different places are rivals wherever they are.
    """
    alignments = dict.fromkeys(propose_alignments(quote))
    found = [(place, each) for each in alignments if (place := judge_alignment(each)).similarity]
    kept: list[tuple[Place, Alignment]] = []
    for place, alignment in sorted(
        found, key=lambda f: (f[0].agreement, f[0].similarity, f[0].is_fit), reverse=True
    ):
        if not any(_are_one(alignment, each) for _, each in kept):
            kept.append((place, alignment))
    return tuple(place for place, _ in kept)


def _are_one(a: Alignment, b: Alignment) -> bool:
    """Whether two candidates, the better one last, are ways to see one place."""
    is_part = all(t in (None, u) for t, u in zip(a.targets, b.targets, strict=True))
    if is_part or a.landings == b.landings:
        return True
    # What neither of them has is no line that they share.
    same = [*map(eq, a.targets, b.targets)]
    shares = any(t is not None for t in compress(a.targets, same))
    is_here = shares and same.count(True) * 2 > len(same)
    return is_here and all(same[i] for i in a.quote.removed)


def measure_loss(quote: Quotation, candidate: Place) -> int:
    """Sum the weight of the old lines that are not at a candidate."""
    return sum(map(weigh, quote.old_keys)) - candidate.agreement


def judge_alignment(alignment: Alignment) -> Place:
    """Measure the candidate that an alignment makes."""
    quote, found = alignment.quote, alignment.found
    lines, old = quote.keys, quote.old_keys
    equal = [i for i, t in alignment.pairs.items() if old[i] == lines[t]]
    gaps = sum(any(lines[a + 1 : b]) for a, b in pairwise(found))
    offsets = quote.document.offsets
    return Place(
        start=offsets[found[0]],
        end=offsets[found[-1] + 1],
        targets=alignment.targets,
        agreement=sum(weigh(old[i]) for i in equal) - INTERRUPTED * gaps,
        similarity=_measure_similarity(alignment),
        is_fit=_fits(alignment),
        rows=sum(1 << i for i in equal if weigh(old[i]) >= TELLING),
    )


def _fits(alignment: Alignment) -> bool:
    """Whether each change has its lines there, and none that it takes away is another one."""
    quote = alignment.quote
    rows = (i for i in quote.bound if quote.old_keys[i])
    pairs = alignment.pairs
    is_there = all(i in pairs and quote.keys[pairs[i]] == quote.old_keys[i] for i in rows)
    return is_there and _are_together(alignment)


def is_slip(alignment: Alignment) -> bool:
    """Whether a candidate is no fit because lines that change are misquoted, and for that alone.

    Most of those that say something have a counterpart there all the same.
    """
    rows = [i for i in alignment.quote.bound if alignment.quote.old_keys[i]]
    there = sum(1 for i in rows if i in alignment.pairs)
    is_placed = None not in alignment.landings and 2 * there > len(rows)
    return is_placed and _are_together(alignment)


def _are_together(alignment: Alignment) -> bool:
    """Whether no line that the author did not know parts what changes, or what moves.

    Among moved lines or right beside them it would stay on one side of them or on the other, by
    which of them are said to move.
    """
    moved = alignment.quote.moved
    return all(
        not alignment.list_unknown(change.old_start, change.old_end) and _is_held(alignment, change)
        for change in alignment.quote.changes
    ) and not (moved and alignment.list_unknown(max(moved.start - 1, 0), moved.stop + 1))


def _is_held(alignment: Alignment, change: LineChange) -> bool:
    """Whether new lines above or below all of the old text are by a line that is surely there.

    In the middle the lines on both sides show where they belong; at the ends there is but one.
    """
    lines, old = alignment.quote.keys, alignment.quote.old_keys
    if change.old_start < change.old_end or 0 < change.old_start < len(old):
        return True
    is_top = not change.old_start
    row = 0 if is_top else change.old_start - 1
    target = alignment.targets[row]
    if target is None or old[row] == lines[target]:
        return True
    # Where two lines of the file are one in the edit, the other half is on the far side.
    is_half = old[row].endswith(lines[target]) if is_top else old[row].startswith(lines[target])
    return not is_half and measure_similarity(old[row], lines[target]) >= HELD


def _measure_similarity(alignment: Alignment) -> int:
    """How alike the old text and its counterpart are, per mille, line by line.

    The mean of two shares: what both have, of both texts together, and of the shorter one; so a
    line too many or too few weighs less than one that is another.
    """
    lines, old = alignment.quote.keys, alignment.quote.old_keys
    found = alignment.found
    there = sum(map(_mass, lines[found[0] : found[-1] + 1]))
    asked = sum(map(_mass, old))
    shared = sum(
        min(_mass(old[i]), _mass(lines[t])) * measure_similarity(old[i], lines[t])
        for i, t in alignment.pairs.items()
    )
    if not there or not asked:
        return 0
    return min((2 * shared // (there + asked) + shared // min(there, asked)) // 2, FULL)


def _mass(key: bytes) -> int:
    return 2 + weigh(key) if key else 0


def find_tier(found: Sequence[Place]) -> str:
    """Whether the best candidate that fits has as many lines as the old text, or is a block of it.

    In a block lines are missing, added or different. All other candidates are its rivals.
    """
    best = next((candidate for candidate in found if candidate.is_fit), None)
    return "fuzzy" if best is not None and best.is_gapless else "line-block"
