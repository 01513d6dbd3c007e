"""candidates.py: the stretches of a file that an old text may mean although it is not there.

Rare lines that the old text and the file share vote for the offset between the two; only where
there are votes are lines aligned. So the work grows with the file as its hashing does, and not
with the number of windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hkgit.matching.align import ALIKE, Targets, align, weight
from hkgit.matching.landing import Lines, is_whole, landings
from hkgit.matching.lines import View, Wanted, keys
from hkgit.matching.places import FULL
from hkgit.matching.similar import similarity

COMMON = 300
"""A line that stands more often than this votes for nothing."""

MOST_OFFSETS = 24
MOST_WINDOWS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to see the old text in the file.

    `landings` are the lines that the author's changes would replace; `agreement` is the weight
    of the lines that stand there up to blanks and typography.
    """

    targets: Targets
    landings: tuple[Lines | None, ...]
    agreement: int
    similarity: int
    is_fit: bool

    @property
    def lines(self) -> Lines:
        """First and last line, counted from 0."""
        found = [t for t in self.targets if t is not None]
        return found[0], found[-1]

    @property
    def is_gapless(self) -> bool:
        """Whether every old line has its counterpart, and nothing stands in between."""
        first = self.targets[0]
        return first is not None and self.targets == tuple(range(first, first + len(self.targets)))

    @property
    def rank(self) -> tuple[int, int, bool]:
        """What makes a candidate better than another."""
        return self.agreement, self.similarity, self.is_fit


@lru_cache(maxsize=4)
def candidates(view: View, wanted: Wanted) -> tuple[Candidate, ...]:
    """The candidates, best first; of those that would change the same lines only the best."""
    lines, old = keys(view, wanted)
    best: dict[tuple[Lines | None, ...], Candidate] = {}
    for targets in _alignments(old, lines):
        candidate = judged(view, wanted, targets)
        known = best.get(candidate.landings)
        if known is None or candidate.rank > known.rank:
            best[candidate.landings] = candidate
    return tuple(sorted(best.values(), key=lambda c: c.rank, reverse=True))


def judged(view: View, wanted: Wanted, targets: Targets) -> Candidate:
    """The candidate that an alignment makes."""
    lines, old = keys(view, wanted)
    pairs = [(old[i], lines[t]) for i, t in enumerate(targets) if t is not None and old[i]]
    agreement = sum(weight(key) for key, line in pairs if key == line)
    fits = all(
        not old[i] or ((t := targets[i]) is not None and lines[t] == old[i])
        for i in wanted.removed
    ) and all(is_whole(change, targets, lines) for change in wanted.changes)
    similarity = _similarity(old, lines, targets)
    return Candidate(targets, landings(wanted, targets, view.lines), agreement, similarity, fits)


def _similarity(old: Sequence[bytes], lines: Sequence[bytes], targets: Targets) -> int:
    """How alike the old text and its counterpart are, per mille, line by line.

    The mean of two shares: what both have, of both texts together, and of the shorter one; so a
    line too many or too few weighs less than one that is another.
    """
    found = [t for t in targets if t is not None]
    there = sum(_mass(lines[t]) for t in range(found[0], found[-1] + 1))
    asked = sum(map(_mass, old))
    shared = sum(
        min(_mass(old[i]), _mass(lines[t])) * similarity(old[i], lines[t])
        for i, t in enumerate(targets)
        if t is not None
    )
    if not there or not asked:
        return 0
    return min((2 * shared // (there + asked) + shared // min(there, asked)) // 2, FULL)


def _mass(key: bytes) -> int:
    return 2 + weight(key) if key else 0


def _alignments(old: Sequence[bytes], lines: Sequence[bytes]) -> list[Targets]:
    """Alignments worth judging: straight ones at many offsets, with gaps at the best of them."""
    slack = 10 + len(old) // 4
    offsets = _offsets(old, lines)
    found = [_straight(old, lines, offset) for offset in offsets]
    windows: list[int] = []
    for offset in offsets:
        if len(windows) < MOST_WINDOWS and all(abs(offset - o) > slack for o in windows):
            windows.append(offset)
            first, after = max(offset - slack, 0), min(offset + len(old) + slack, len(lines))
            found.append(align(old, lines, first, after))
    return [targets for targets in found if any(t is not None for t in targets)]


def _straight(old: Sequence[bytes], lines: Sequence[bytes], offset: int) -> Targets:
    """Every old line with the line at one offset, where they are alike at all."""
    return tuple(
        offset + i
        if 0 <= offset + i < len(lines) and similarity(key, lines[offset + i]) >= ALIKE
        else None
        for i, key in enumerate(old)
    )


def _offsets(old: Sequence[bytes], lines: Sequence[bytes]) -> list[int]:
    """The offsets for which most is said, best first; of equal ones the first in the file."""
    spots: dict[bytes, list[int]] = {key: [] for key in old if key}
    for number, line in enumerate(lines):
        if line in spots:
            spots[line].append(number)
    votes: Counter[int] = Counter()
    for index, key in enumerate(old):
        numbers = spots.get(key, [])
        if len(numbers) <= COMMON:
            for number in numbers:
                votes[number - index] += 1 + weight(key)
    ranked = sorted(votes, key=lambda offset: (-votes[offset], offset))
    return ranked[:MOST_OFFSETS]
