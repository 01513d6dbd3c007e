"""confidence.py: look up the confidence in a place and its result, in a fixed table.

Fitted on the tuning halves of `benchmarks/engines` (eight sets of modelled cases, every other real
edit): the share of edits that landed right, by Laplace's rule of succession, over 23,630 landings
(`python -m benchmarks.engines fit --seeds 8`), 23,629 of them right. So a row says mostly how much
is known of it. Not fitted are: an exact edit, which is taken at its word, and `MISQUOTED`, of
which there is no case. A new table needs a new number of the ladder.
"""

from __future__ import annotations

TABLE: dict[str, tuple[tuple[int, int], ...]] = {
    "exact": ((1000, 1000),),
    "whitespace": ((0, 999),),
    "unicode": ((0, 999),),
    "elided": ((0, 997),),
    "fuzzy": ((950, 999), (900, 994), (0, 923)),
    "line-block": ((950, 998), (900, 997), (850, 990), (0, 983)),
}
"""By tier: from which similarity on, and the confidence, both per mille."""

MISQUOTED = 985
"""Of an edit whose evidence shows what its author saw, and which quotes it otherwise."""

REPAIRED = 999
RENAMED = 993
CLOSE = 50
"""A runner-up nearer than this takes `DOUBT` away."""

DOUBT = 5


def rate_confidence(
    tier: str,
    similarity: int,
    runner_up: int | None = None,
    repairs: tuple[str, ...] = (),
) -> int:
    """Rate how surely an edit is placed, per mille.

    `similarity` and `runner_up` are per mille too.
    """
    value = _find_share(TABLE[tier], similarity)
    if "misquoted" in repairs:
        value = min(value, MISQUOTED)
    elif repairs:
        is_renamed = any(name.startswith("renamed ") for name in repairs)
        value = min(value, RENAMED if is_renamed else REPAIRED)
    is_close = runner_up is not None and similarity - runner_up < CLOSE
    return value - DOUBT if is_close else value


def _find_share(rows: tuple[tuple[int, int], ...], value: int) -> int:
    """Find the share of the first row that a value reaches."""
    return next(share for least, share in rows if value >= least)
