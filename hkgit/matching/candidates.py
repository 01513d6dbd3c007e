"""candidates.py: the stretches of a file that an old text may mean although it is not there.

Rare lines that the old text and the file share vote for the offset between the two; only where
there are votes are lines aligned. So the work grows with the file as its hashing does, and not
with the number of windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from operator import eq

from hkgit.matching.align import ALIKE, Spelt, Targets, align, weight
from hkgit.matching.diff import Change
from hkgit.matching.landing import Lines, is_whole, landings
from hkgit.matching.lines import View, Wanted, keys
from hkgit.matching.places import FULL
from hkgit.matching.similar import similarity

COMMON = 300
"""A line that stands more often than this votes for nothing."""

INTERRUPTED = 4
"""What lines in between take from the agreement."""

TELLING = 8
"""From this weight on a line says something."""

HELD = 850
"""From this similarity on, per mille, a line holds the new ones that stand by it alone."""

NOTHING = b"\n"
"""The key of no line at all."""

MOST_OFFSETS = 60
MOST_PAIRS = 30_000
"""So many offsets are looked at, and fewer for long old texts."""

MOST_WINDOWS = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to see the old text in the file.

    `landings` are the lines that the author's changes would replace; `agreement` is the weight
    of the lines that stand there up to blanks and typography, `rows` has a bit for each of those
    that says something.
    """

    targets: Targets
    landings: tuple[Lines | None, ...]
    agreement: int
    similarity: int
    is_fit: bool
    rows: int

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

    def is_at(self, other: Candidate) -> bool:
        """Whether most of what stands here are the same lines as another candidate's."""
        return [*map(eq, self.targets, other.targets)].count(True) * 2 > len(self.targets)

    @property
    def rank(self) -> tuple[int, int, bool]:
        """What makes a candidate better than another."""
        return self.agreement, self.similarity, self.is_fit


@lru_cache(maxsize=4)
def candidates(view: View, wanted: Wanted) -> tuple[Candidate, ...]:
    """The candidates, best first; of several at one place only the best.

    Two that see a line to be removed at different places are rivals wherever they are.
    """
    found = {targets: judged(view, wanted, targets) for targets in _alignments(view, wanted)}
    kept: list[Candidate] = []
    for candidate in sorted(found.values(), key=lambda c: c.rank, reverse=True):
        if not any(_are_one(wanted, candidate, other) for other in kept):
            kept.append(candidate)
    return tuple(kept)


def _are_one(wanted: Wanted, a: Candidate, b: Candidate) -> bool:
    """Whether two candidates, the better one last, are ways to see one place."""
    is_part = all(t in (None, u) for t, u in zip(a.targets, b.targets, strict=True))
    if is_part or a.landings == b.landings:
        return True
    return a.is_at(b) and all(a.targets[i] == b.targets[i] for i in wanted.removed)


def loss(view: View, wanted: Wanted, candidate: Candidate) -> int:
    """The weight of the old lines that do not stand at a candidate."""
    _, old = keys(view, wanted)
    return sum(map(weight, old)) - candidate.agreement


def judged(view: View, wanted: Wanted, targets: Targets) -> Candidate:
    """The candidate that an alignment makes."""
    lines, old = keys(view, wanted)
    pairs = [(old[i], lines[t]) for i, t in enumerate(targets) if t is not None and old[i]]
    agreement = sum(weight(key) for key, line in pairs if key == line)
    agreement -= INTERRUPTED * _gaps(lines, targets)
    fits = all(
        not old[i] or ((t := targets[i]) is not None and lines[t] == old[i])
        for i in wanted.bound
    ) and all(
        is_whole(change, targets, lines) and _is_held(change, targets, old, lines)
        for change in wanted.changes
    )
    similarity = _similarity(old, lines, targets)
    rows = sum(
        1 << i
        for i, t in enumerate(targets)
        if t is not None and lines[t] == old[i] and weight(old[i]) >= TELLING
    )
    found = landings(wanted, targets, view.lines)
    return Candidate(targets, found, agreement, similarity, fits, rows)


def _gaps(lines: Sequence[bytes], targets: Targets) -> int:
    """How often lines that the author did not know stand between known ones."""
    found = [t for t in targets if t is not None]
    return sum(any(lines[a + 1 : b]) for a, b in pairwise(found))


def _is_held(
    change: Change, targets: Targets, old: Sequence[bytes], lines: Sequence[bytes]
) -> bool:
    """Whether new lines above or below all of the old text stand by a line that is surely there.

    In the middle the lines on both sides show where they belong; at the ends there is but one.
    """
    if change.old_start < change.old_end or 0 < change.old_start < len(old):
        return True
    is_top = not change.old_start
    row = 0 if is_top else change.old_start - 1
    target = targets[row]
    if target is None or old[row] == lines[target]:
        return True
    # Where two lines of the file are one in the edit, the other half stands on the far side.
    is_half = old[row].endswith(lines[target]) if is_top else old[row].startswith(lines[target])
    return not is_half and similarity(old[row], lines[target]) >= HELD


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


def _alignments(view: View, wanted: Wanted) -> list[Targets]:
    """Alignments worth judging: straight ones at many offsets, with gaps around the best."""
    lines, old = keys(view, wanted)
    slack = 10 + len(old) // 4
    votes = _votes(old, lines)
    ranked = sorted((-cast.total, offset) for offset, cast in votes.items())
    offsets = [offset for _, offset in ranked[: max(min(MOST_OFFSETS, MOST_PAIRS // len(old)), 3)]]
    most = votes[offsets[0]].total if offsets else 0
    found = [_straight(old, lines, o) for o in offsets if 3 * votes[o].total > most]
    for offset in _windows(offsets, votes, slack):
        first, after = max(offset - slack, 0), offset + len(old) + slack
        spelt = wanted.old_lines, view.lines[first:after]
        found += _aligned(old, list(lines[first:after]), first, spelt)
    return [targets for targets in found if any(t is not None for t in targets)]


def _aligned(
    old: Sequence[bytes], window: list[bytes], first: int, spelt: Spelt
) -> Iterator[Targets]:
    """The best alignments with a window, the second without the lines of the first, and so on."""
    for _ in range(2):
        targets = align(old, window, first, spelt=spelt)
        yield targets
        for target in targets:
            if target is not None:
                window[target - first] = NOTHING


def _windows(offsets: Sequence[int], votes: Mapping[int, _Votes], slack: int) -> list[int]:
    """Offsets around which an alignment with gaps may be better than all others.

    What it can agree on at most are the old lines that have voted for an offset near by.
    """
    most: dict[int, int] = {}
    for offset in offsets:
        rows = {row for o in offsets if abs(o - offset) <= slack for row in votes[o].rows.items()}
        most[offset] = sum(weight for _, weight in rows)
    best = max(most.values(), default=0)
    kept: list[int] = []
    for offset in sorted(offsets, key=lambda o: (-most[o], offsets.index(o))):
        is_new = all(abs(offset - o) > slack for o in kept)
        if is_new and 2 * most[offset] > best:
            kept.append(offset)
    return kept[:MOST_WINDOWS]


def _straight(old: Sequence[bytes], lines: Sequence[bytes], offset: int) -> Targets:
    """Every old line with the line at one offset, where they are alike at all."""
    return tuple(
        offset + i
        if 0 <= offset + i < len(lines) and similarity(key, lines[offset + i], ALIKE)
        else None
        for i, key in enumerate(old)
    )


@dataclass(slots=True)
class _Votes:
    """The old lines, by number, that stand at one offset, with their weights."""

    rows: dict[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def _votes(old: Sequence[bytes], lines: Sequence[bytes]) -> dict[int, _Votes]:
    """The votes for every offset between the old text and the file that has any."""
    spots: dict[bytes, list[int]] = {key: [] for key in old if key}
    for number, line in enumerate(lines):
        if line in spots:
            spots[line].append(number)
    votes: dict[int, _Votes] = {}
    for index, key in enumerate(old):
        numbers = spots.get(key, [])
        if len(numbers) <= COMMON:
            for number in numbers:
                votes.setdefault(number - index, _Votes()).rows[index] = 1 + weight(key)
    return votes
