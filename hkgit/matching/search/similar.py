"""similar.py: the similarity of two lines per mille, by an exact integer distance.

The distance is that of insertions and deletions (the longest common subsequence), so the numbers
are the same with every version of the library that computes it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from hkgit.matching.places import FULL

LONGEST = 2000
"""Longer lines are alike only when they are equal, so that the work is bounded."""


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
