"""confidence.py: look up the confidence in a place and its result, in a fixed table.

Fitted on the tuning half of the corpus in `benchmarks/engines`: the share of edits that landed
right, by Laplace's rule of succession, over some 73,000 landings, and held against the real edits
there: no row is right less often than it says (`python -m benchmarks.engines fit`). A new table
needs a new number of the ladder.
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

MISQUOTED = 985
"""Of an edit whose evidence shows what its author saw, and which quotes it otherwise."""

KNOWN: tuple[tuple[int, int], ...] = (
    (900, 1000),
    (800, 994),
    (700, 991),
    (600, 984),
    (500, 947),
    (0, 875),
)
"""From which share of the context on that has a counterpart, and the most confidence; per mille.

All 432 landings of the tuning half that miss any context are right, but few of them miss much of
it: 23 landings miss two fifths or more, and 6 of those more than half.
"""

REPAIRED = 998
RENAMED = 990
CLOSE = 50
"""A runner-up nearer than this takes `DOUBT` away."""

DOUBT = 5


def confidence(
    tier: str,
    similarity: int,
    runner_up: int | None = None,
    repairs: tuple[str, ...] = (),
    known: int = 1000,
) -> int:
    """The confidence of an edit, per mille."""
    value = _find_share(TABLE[tier], similarity)
    value = min(value, _find_share(KNOWN, known))
    if "misquoted" in repairs:
        value = min(value, MISQUOTED)
    elif repairs:
        is_renamed = any(name.startswith("renamed ") for name in repairs)
        value = min(value, RENAMED if is_renamed else REPAIRED)
    is_close = runner_up is not None and similarity - runner_up < CLOSE
    return value - DOUBT if is_close else value


def _find_share(rows: tuple[tuple[int, int], ...], value: int) -> int:
    """The share of the first row that a value reaches."""
    return next(share for least, share in rows if value >= least)
