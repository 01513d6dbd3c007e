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
    Targets,
    align,
    find_landings,
    is_unbroken,
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


def propose_alignments(quote: Quotation) -> list[Targets]:
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
    return [targets for targets in found if any(t is not None for t in targets)]


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
    found = {targets: judge_alignment(quote, targets) for targets in propose_alignments(quote)}
    kept: list[Place] = []
    for candidate in sorted(
        found.values(), key=lambda c: (c.agreement, c.similarity, c.is_fit), reverse=True
    ):
        if candidate.similarity and not any(_are_one(quote, candidate, each) for each in kept):
            kept.append(candidate)
    return tuple(kept)


def _are_one(quote: Quotation, a: Place, b: Place) -> bool:
    """Whether two candidates, the better one last, are ways to see one place."""
    is_part = all(t in (None, u) for t, u in zip(a.targets, b.targets, strict=True))
    if is_part or a.landings == b.landings:
        return True
    # What neither of them has is no line that they share.
    same = [*map(eq, a.targets, b.targets)]
    shares = any(t is not None for t in compress(a.targets, same))
    is_here = shares and same.count(True) * 2 > len(same)
    return is_here and all(a.targets[i] == b.targets[i] for i in quote.removed)


def measure_loss(quote: Quotation, candidate: Place) -> int:
    """Sum the weight of the old lines that are not at a candidate."""
    return sum(map(weigh, quote.old_keys)) - candidate.agreement


def judge_alignment(quote: Quotation, targets: Targets) -> Place:
    """Measure the candidate that an alignment makes."""
    lines, old = quote.keys, quote.old_keys
    pairs = [(old[i], lines[t]) for i, t in enumerate(targets) if t is not None and old[i]]
    agreement = sum(weigh(key) for key, line in pairs if key == line)
    rows = sum(
        1 << i
        for i, t in enumerate(targets)
        if t is not None and lines[t] == old[i] and weigh(old[i]) >= TELLING
    )
    found = [t for t in targets if t is not None]
    offsets = quote.document.offsets
    return Place(
        start=offsets[found[0]],
        end=offsets[found[-1] + 1],
        targets=targets,
        landings=find_landings(quote, targets),
        agreement=agreement - INTERRUPTED * _gaps(lines, targets),
        similarity=_similarity_of_pairs(old, lines, targets),
        is_fit=_fits(quote, targets),
        rows=rows,
    )


def _fits(quote: Quotation, targets: Targets) -> bool:
    """Whether each change has its lines there, and none that it takes away is another one."""
    rows = ((quote.old_keys[i], targets[i]) for i in quote.bound if quote.old_keys[i])
    is_there = all(t is not None and quote.keys[t] == key for key, t in rows)
    return is_there and _are_together(quote, targets)


def is_slip(quote: Quotation, candidate: Place) -> bool:
    """Whether a candidate is no fit because lines that change are misquoted, and for that alone.

    Most of those that say something have a counterpart there all the same.
    """
    targets = candidate.targets
    rows = [i for i in quote.bound if quote.old_keys[i]]
    there = sum(1 for i in rows if targets[i] is not None)
    is_placed = None not in candidate.landings and 2 * there > len(rows)
    return is_placed and _are_together(quote, targets)


def _are_together(quote: Quotation, targets: Targets) -> bool:
    """Whether no line that the author did not know parts what changes, or what moves."""
    are_whole = all(
        is_unbroken(change, targets, quote.keys) and _is_held(quote, change, targets)
        for change in quote.changes
    )
    return are_whole and _is_closed(quote.moved, targets, quote.keys)


def _gaps(lines: Sequence[bytes], targets: Targets) -> int:
    """How often lines that the author did not know are between known ones."""
    found = [t for t in targets if t is not None]
    return sum(any(lines[a + 1 : b]) for a, b in pairwise(found))


def _is_held(quote: Quotation, change: LineChange, targets: Targets) -> bool:
    """Whether new lines above or below all of the old text are by a line that is surely there.

    In the middle the lines on both sides show where they belong; at the ends there is but one.
    """
    lines, old = quote.keys, quote.old_keys
    if change.old_start < change.old_end or 0 < change.old_start < len(old):
        return True
    is_top = not change.old_start
    row = 0 if is_top else change.old_start - 1
    target = targets[row]
    if target is None or old[row] == lines[target]:
        return True
    # Where two lines of the file are one in the edit, the other half is on the far side.
    is_half = old[row].endswith(lines[target]) if is_top else old[row].startswith(lines[target])
    return not is_half and measure_similarity(old[row], lines[target]) >= HELD


def _is_closed(moved: range, targets: Targets, lines: Sequence[bytes]) -> bool:
    """Whether no line that the author did not know is among moved ones or right beside them.

    It would stay on one side of them or on the other, by which of them are said to move.
    """
    around = LineChange(max(moved.start - 1, 0), moved.stop + 1, 0, 0)
    return not moved or is_unbroken(around, targets, lines)


def _similarity_of_pairs(old: Sequence[bytes], lines: Sequence[bytes], targets: Targets) -> int:
    """How alike the old text and its counterpart are, per mille, line by line.

    The mean of two shares: what both have, of both texts together, and of the shorter one; so a
    line too many or too few weighs less than one that is another.
    """
    found = [t for t in targets if t is not None]
    there = sum(_mass(lines[t]) for t in range(found[0], found[-1] + 1))
    asked = sum(map(_mass, old))
    shared = sum(
        min(_mass(old[i]), _mass(lines[t])) * measure_similarity(old[i], lines[t])
        for i, t in enumerate(targets)
        if t is not None
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
