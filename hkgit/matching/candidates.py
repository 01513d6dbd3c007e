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
    is_whole,
    measure_similarity,
    weigh,
)
from hkgit.matching.place import FULL, Place
from hkgit.matching.view import EditLines, FileLines, list_keys
from hkgit.text.diff import LineChange

COMMON = 300  # A line that occurs more often than this votes for nothing
MOST_OFFSETS = 60
MOST_PAIRS = 30_000  # So many offsets are looked at, and fewer for long old texts
MOST_WINDOWS = 12  # Around so many of them lines are aligned with gaps


def propose_alignments(view: FileLines, wanted: EditLines) -> list[Targets]:
    """Propose alignments worth judging: straight ones at many offsets, with gaps at the best."""
    lines, old = list_keys(view, wanted)
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
            spelt = wanted.old_lines, view.lines[first:after]
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
def find_candidates(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """List the candidates, best first; of several at one place only the best.

    Two that see a line to be removed at different places are rivals wherever they are.
    """
    found = {
        targets: judge_alignment(view, wanted, targets)
        for targets in propose_alignments(view, wanted)
    }
    kept: list[Place] = []
    for candidate in sorted(
        found.values(), key=lambda c: (c.agreement, c.similarity, c.is_fit), reverse=True
    ):
        if candidate.similarity and not any(_are_one(wanted, candidate, each) for each in kept):
            kept.append(candidate)
    return tuple(kept)


def _are_one(wanted: EditLines, a: Place, b: Place) -> bool:
    """Whether two candidates, the better one last, are ways to see one place."""
    is_part = all(t in (None, u) for t, u in zip(a.targets, b.targets, strict=True))
    if is_part or a.landings == b.landings:
        return True
    # What neither of them has is no line that they share.
    same = [*map(eq, a.targets, b.targets)]
    shares = any(t is not None for t in compress(a.targets, same))
    is_here = shares and same.count(True) * 2 > len(same)
    return is_here and all(a.targets[i] == b.targets[i] for i in wanted.removed)


def measure_loss(view: FileLines, wanted: EditLines, candidate: Place) -> int:
    """Sum the weight of the old lines that are not at a candidate."""
    _, old = list_keys(view, wanted)
    return sum(map(weigh, old)) - candidate.agreement


def judge_alignment(view: FileLines, wanted: EditLines, targets: Targets) -> Place:
    """Measure the candidate that an alignment makes."""
    lines, old = list_keys(view, wanted)
    pairs = [(old[i], lines[t]) for i, t in enumerate(targets) if t is not None and old[i]]
    agreement = sum(weigh(key) for key, line in pairs if key == line)
    rows = sum(
        1 << i
        for i, t in enumerate(targets)
        if t is not None and lines[t] == old[i] and weigh(old[i]) >= TELLING
    )
    found = [t for t in targets if t is not None]
    offsets = view.document.offsets
    return Place(
        start=offsets[found[0]],
        end=offsets[found[-1] + 1],
        targets=targets,
        landings=find_landings(wanted, targets, view.lines),
        agreement=agreement - INTERRUPTED * _gaps(lines, targets),
        similarity=_similarity_of_pairs(old, lines, targets),
        is_fit=_fits(wanted, targets, old, lines),
        rows=rows,
    )


def _fits(
    wanted: EditLines, targets: Targets, old: Sequence[bytes], lines: Sequence[bytes]
) -> bool:
    """Whether each change has its lines there, and none that it takes away is another one."""
    for row in wanted.bound:
        target = targets[row]
        if old[row] and (target is None or lines[target] != old[row]):
            return False
    return _are_together(wanted, targets, old, lines)


def is_slip(view: FileLines, wanted: EditLines, candidate: Place) -> bool:
    """Whether a candidate is no fit because lines that change are misquoted, and for that alone.

    Most of those that say something have a counterpart there all the same.
    """
    lines, old = list_keys(view, wanted)
    targets = candidate.targets
    rows = [i for i in wanted.bound if old[i]]
    there = sum(1 for i in rows if targets[i] is not None)
    is_placed = None not in candidate.landings and 2 * there > len(rows)
    return is_placed and _are_together(wanted, targets, old, lines)


def _are_together(
    wanted: EditLines, targets: Targets, old: Sequence[bytes], lines: Sequence[bytes]
) -> bool:
    """Whether no line that the author did not know parts what changes, or what moves."""
    are_whole = all(
        is_whole(change, targets, lines) and _is_held(change, targets, old, lines)
        for change in wanted.changes
    )
    return are_whole and _is_closed(wanted.moved, targets, lines)


def _gaps(lines: Sequence[bytes], targets: Targets) -> int:
    """How often lines that the author did not know are between known ones."""
    found = [t for t in targets if t is not None]
    return sum(any(lines[a + 1 : b]) for a, b in pairwise(found))


def _is_held(
    change: LineChange, targets: Targets, old: Sequence[bytes], lines: Sequence[bytes]
) -> bool:
    """Whether new lines above or below all of the old text are by a line that is surely there.

    In the middle the lines on both sides show where they belong; at the ends there is but one.
    """
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
    return not moved or is_whole(around, targets, lines)


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


def fuzzy(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find windows of as many lines as the old text has, if the best candidate is one.

    Candidates with gaps are their rivals.
    """
    return find_candidates(view, wanted) if _is_straight(view, wanted) else ()


def line_block(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find stretches in which lines are missing, added or different."""
    return () if _is_straight(view, wanted) else find_candidates(view, wanted)


def _is_straight(view: FileLines, wanted: EditLines) -> bool:
    """Whether the best candidate has neither gaps nor additions."""
    fits = [candidate for candidate in find_candidates(view, wanted) if candidate.is_fit]
    return bool(fits) and fits[0].is_gapless
