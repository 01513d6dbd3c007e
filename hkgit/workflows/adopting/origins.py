"""origins.py: which lines of a file surely are those that calls made, told from a line diff.

A diff pairs lines by their text alone, and a brace or a blank line stands anywhere. In a file that
others have changed too, such a line counts only among lines that stand beside it in both texts,
and so does one that somebody has copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import takewhile

from hkgit.text.document import Document
from hkgit.workflows.adopting.tracing import Matched, Origin

_WORD = re.compile(rb"\w\w")
"""What a line has that says something by itself."""


def find_origins(
    now: Document, matched: Matched, count: int, *, is_exact: bool
) -> dict[int, Origin]:
    """Find the lines that calls made; of a file that was changed otherwise too, only sure ones.

    `count` is how many lines the version has that the lines were matched with.
    """
    by = {j: origin for j, (_, origin) in matched.items() if isinstance(origin, Origin)}
    if is_exact:
        return by
    places = {j: i for j, (i, _) in matched.items()} | {-1: -1, now.line_count: count}
    copied = {line for j, line in enumerate(now.lines) if j not in matched}
    sure = {
        j
        for j in by
        if _WORD.search(now.lines[j]) and (now.lines[j] not in copied or _is_among(places, j))
    }
    for step in (1, -1):
        for j in sorted(by, reverse=step < 0):
            if j in sure or not _is_among(places, j):
                continue
            if j - step in sure and by[j - step].unit.key == by[j].unit.key:
                sure.add(j)
    return {j: by[j] for j in sure - _find_sliding(now, by)}


def _find_sliding(now: Document, by: Mapping[int, Origin]) -> set[int]:
    """Find the ends of what a call wrote that may as well be the equal lines beyond the other end.

    To a diff it is the same whether a call wrote a blank line and a function, or a function and
    the blank line after it.
    """
    lines = dict(enumerate(now.lines))
    found = set[int]()
    for first, last in _find_blocks(by):
        size = last - first + 1
        for block, away in ((range(last, first - 1, -1), -size), (range(first, last + 1), size)):
            found.update(takewhile(partial(_is_repeated, lines, away), block))
    return found


def _is_repeated(lines: Mapping[int, bytes], away: int, j: int) -> bool:
    return lines[j] == lines.get(j + away)


def _find_blocks(by: Mapping[int, Origin]) -> Iterator[tuple[int, int]]:
    """Find the runs of lines, first and last, that one call wrote."""
    ordered = sorted(by)
    first = None
    for j in ordered:
        first = j if first is None else first
        after = by.get(j + 1)
        if after is None or after.unit.key != by[j].unit.key:
            yield first, j
            first = None


def _is_among(places: Mapping[int, int], j: int) -> bool:
    """Whether the lines above and below a line are its neighbours in the other version, too."""
    return all(places.get(j + step) == places[j] + step for step in (1, -1))


def find_unchanged(matched: Matched, kept: Mapping[int, int]) -> Iterator[int]:
    """Find the lines that calls removed and wrote again in place: they count as unchanged."""
    above, below, after = 0, {}, 10**9
    for j in sorted(matched, reverse=True):
        below[j] = after
        origin = matched[j][1]
        after = origin if isinstance(origin, int) else after
    for j in sorted(matched):
        origin = matched[j][1]
        if isinstance(origin, int):
            above = origin
        elif above < kept.get(j, 0) < below[j]:
            yield j
