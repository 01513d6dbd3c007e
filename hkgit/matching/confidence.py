"""confidence.py: how surely a place and its result are what was meant, from a fixed table.

Fitted on the tuning half of the corpus in `benchmarks/engines`: the share of edits that landed
right, by Laplace's rule of succession, over some 73,000 landings. A new table needs a new number
of the ladder.
"""

from __future__ import annotations

TABLE: dict[str, tuple[tuple[int, int], ...]] = {
    "exact": ((1000, 1000),),
    "whitespace": ((980, 998), (0, 996)),
    "unicode": ((0, 998),),
    "elided": ((0, 997),),
    "fuzzy": ((950, 997), (900, 995), (850, 980), (0, 930)),
    "line-block": ((950, 996), (900, 994), (850, 990), (0, 970)),
}
"""By tier: from which similarity on, and the confidence, both per mille."""

REPAIRED = 998
RENAMED = 990
CLOSE = 50
"""A runner-up nearer than this takes `DOUBT` away."""

DOUBT = 5


def confidence(
    tier: str, similarity: int, runner_up: int | None = None, repairs: tuple[str, ...] = ()
) -> int:
    """The confidence of an edit, per mille."""
    value = next(share for least, share in TABLE[tier] if similarity >= least)
    if repairs:
        is_renamed = any(name.startswith("renamed ") for name in repairs)
        value = min(value, RENAMED if is_renamed else REPAIRED)
    is_close = runner_up is not None and similarity - runner_up < CLOSE
    return value - DOUBT if is_close else value
