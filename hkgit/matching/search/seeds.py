"""seeds.py: find the positions in a file at which to align an old text.

Lines that the old text and the file share vote for the offset between the two; only where there
are votes are lines aligned. So the work grows with the file as its hashing does, and not with the
number of windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hkgit.matching.lines import EditLines, FileLines, list_keys
from hkgit.matching.search.align import ALIKE, Spelt, Targets, align, weigh
from hkgit.matching.search.similar import measure_similarity
from hkgit.values import dataclass, field

COMMON = 300
"""A line that stands more often than this votes for nothing."""

MOST_OFFSETS = 60
MOST_PAIRS = 30_000
"""So many offsets are looked at, and fewer for long old texts."""

MOST_WINDOWS = 12
"""Around so many of them lines are aligned with gaps."""

NEAR = 900
"""So alike, per mille, lines without a vote are for one to be the other."""

NOTHING = b"\n"
"""The key of no line at all."""


def propose_alignments(view: FileLines, wanted: EditLines) -> list[Targets]:
    """Propose alignments worth judging: straight ones at many offsets, with gaps at the best."""
    lines, old = list_keys(view, wanted)
    slack = 10 + len(old) // 4
    votes = _votes(old, lines)
    if not votes and len(lines) == len(old):
        # All of the text is quoted, as where a hash has found its lines.
        is_near = all(measure_similarity(a, b, NEAR) for a, b in zip(old, lines, strict=True))
        return [tuple(range(len(old)))] if is_near else []
    ranked = sorted((-cast.total, offset) for offset, cast in votes.items())
    offsets = [offset for _, offset in ranked[: max(min(MOST_OFFSETS, MOST_PAIRS // len(old)), 3)]]
    most = votes[offsets[0]].total if offsets else 0
    found = [_straight(old, lines, o) for o in offsets if 3 * votes[o].total > most]
    for offset in _windows(offsets, votes, slack):
        first, after = max(offset - slack, 0), offset + len(old) + slack
        spelt = wanted.old_lines, view.lines[first:after]
        found += _align_windows(old, list(lines[first:after]), first, spelt)
    return [targets for targets in found if any(t is not None for t in targets)]


def _align_windows(
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
        if 0 <= offset + i < len(lines) and measure_similarity(key, lines[offset + i], ALIKE)
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
                votes.setdefault(number - index, _Votes()).rows[index] = 1 + weigh(key)
    return votes
