"""changes.py: what in a draft belongs to a change, and what a change could slide to."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from benchmarks.engines.drafts import ADDED, GONE, Draft

ALIKE = 0.6
"""Two lines as alike as this are one line and its edited form."""


def partner(draft: Draft, gone: int) -> int | None:
    """The added row that is an edited form of a removed one: as far down its run, and alike."""
    if draft.rows[gone].kind != GONE:
        return None
    first = last = gone
    while first and draft.rows[first - 1].kind == GONE:
        first -= 1
    while last + 1 < len(draft.rows) and draft.rows[last + 1].kind == GONE:
        last += 1
    at = last + 1 + gone - first
    if not all(row.kind == ADDED for row in draft.rows[last + 1 : at + 1]):
        return None
    if at >= len(draft.rows):
        return None
    sides = (draft.rows[gone].real or "", draft.rows[at].real or "")
    return at if SequenceMatcher(None, *sides).ratio() >= ALIKE else None


def is_at_change(draft: Draft, at: int) -> bool:
    """Whether a row borders on lines that are added or removed, or that they could slide to.

    Where such a row is missing, nobody could say on which side of it the change belongs. Lines
    are added after an equal line as well as before it, so a change slides along equal lines.
    """
    touched = {i for run in _runs(draft) for i in _reach(draft, *run)}
    return at in touched or (draft.rows[at].real == "" and _has_blank_between(draft, at, touched))


def _runs(draft: Draft) -> list[tuple[int, int]]:
    """The runs of rows that are not kept, half open."""
    kinds = "".join(row.kind for row in draft.rows)
    return [match.span() for match in re.finditer("[^ ]+", kinds)]


def _reach(draft: Draft, first: int, last: int) -> range:
    """The rows that a run touches wherever it slides, with a neighbour on each side."""
    lines = [row.real for row in draft.rows]
    top, bottom = first, last
    if len({row.kind for row in draft.rows[first:last]}) == 1:
        while top and lines[top - 1] == lines[top - 1 + last - first]:
            top -= 1
        while bottom < len(lines) and lines[bottom] == lines[bottom - (last - first)]:
            bottom += 1
    return range(top - 1, bottom + 1)


def _has_blank_between(draft: Draft, at: int, touched: set[int]) -> bool:
    """Whether only blank lines lie between a blank row and one that a change touches."""
    for step in (-1, 1):
        near = at + step
        while 0 <= near < len(draft.rows) and draft.rows[near].real == "":
            if near in touched:
                return True
            near += step
    return False
