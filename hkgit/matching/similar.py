"""similar.py: how alike two lines are, per mille, by an exact integer distance.

The distance is that of insertions and deletions (the longest common subsequence), so the numbers
are the same with every version of the library that computes it.
"""

from __future__ import annotations

from functools import lru_cache

from hkgit.matching.places import FULL

LONGEST = 2000
"""Longer lines are alike only when they are equal, so that the work is bounded."""


@lru_cache(maxsize=4096)
def similarity(a: bytes, b: bytes) -> int:
    """Twice the common bytes, as a share of all bytes."""
    if a == b:
        return FULL
    total = len(a) + len(b)
    if not a or not b or max(len(a), len(b)) > LONGEST:
        return 0
    from rapidfuzz.distance import Indel

    distance = Indel.distance(a.decode("latin-1"), b.decode("latin-1"))
    return FULL * (total - distance) // total
