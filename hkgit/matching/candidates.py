"""Where an old text may be: seeds, votes and alignment.

Lines that the old text and the file share vote for the offset between the two; only where there
are votes are lines aligned. So the work grows with the file as its hashing does, and not with the
number of windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, pairwise
from operator import eq

from hkgit.matching.alignment import (
    ALIKE,
    Alignment,
    Targets,
    align,
    measure_similarity,
    weigh,
)
from hkgit.matching.place import FULL, Place
from hkgit.matching.quotation import Quotation
from hkgit.text.diff import LineChange

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
            spelt = quote.old_lines, quote.lines[first:after]
            found.append(align(old, lines[first:after], first, spelt=spelt))
    return [Alignment(quote, targets) for targets in found if any(t is not None for t in targets)]


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
