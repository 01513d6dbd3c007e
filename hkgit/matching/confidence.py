"""confidence.py: how surely a place is the one that was meant, from a fixed table."""

from __future__ import annotations

from hkgit.matching.places import FULL

BY_TIER = {
    "exact": 1000,
    "whitespace": 990,
    "unicode": 985,
    "elided": 980,
    "fuzzy": 970,
    "line-block": 960,
}
"""Per mille, before what lowers it."""

REPAIRED = 10


def confidence(tier: str, similarity: int, repairs: int) -> int:
    """The confidence of an edit, per mille, rounded down."""
    value = BY_TIER[tier] - REPAIRED * repairs
    if tier in ("fuzzy", "line-block"):
        value -= (FULL - similarity) // 4
    return max(value, 0)
