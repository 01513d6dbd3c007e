"""fitting.py: the confidences of `hkgit.matching.place`, counted on what landed.

Each is the share that landed right, by Laplace's rule of succession, so that a row of which
nothing is known yet has a half, and one of n right landings n + 1 of n + 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.engines.grading import Grade
from benchmarks.engines.report import Outcome, table
from hkgit.applying.outcome import EditOutcome
from hkgit.matching.place import CLOSE, TABLE, rate_confidence


def rows_of(outcome: EditOutcome) -> str:
    """The number of the table of confidences that decides on an edit."""
    tier, similarity = outcome.tier or "", outcome.similarity_permille or 0
    said, runner_up = outcome.confidence_permille, outcome.runner_up_permille
    if tier in TABLE and said is not None:
        known = rate_confidence(tier, similarity, runner_up, outcome.repairs)
        if said < known:
            return f"KNOWN, at {said}"
    if any(name.startswith("renamed ") for name in outcome.repairs):
        return "RENAMED"
    if outcome.repairs:
        return "REPAIRED"
    if runner_up is not None and similarity - runner_up < CLOSE:
        return "close to another place"
    if tier not in TABLE:
        return tier
    least = next(least for least, _ in TABLE[tier] if similarity >= least)
    return f"{tier} from {least}"


def counts(outcomes: Iterable[Outcome]) -> tuple[Counter[str], Counter[str]]:
    """By row how many edits landed, and how many of them right."""
    landed: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for each in outcomes:
        said = each.answer.outcome
        if each.answer.after is not None and said is not None and said.error is None:
            row = rows_of(said)
            landed[row] += 1
            right[row] += each.grade is not Grade.WRONG
    return landed, right


def fitted(outcomes: Sequence[Outcome]) -> str:
    """A row a number of the table, with the per mille that it should have."""
    landed, right = counts(outcomes)
    rows = [
        [name, str(landed[name]), str(right[name]), str(laplace(right[name], landed[name]))]
        for name in sorted(landed)
    ]
    return table(["row", "landed", "right", "per mille"], rows)


def laplace(right: int, landed: int) -> int:
    """The share of right ones that is to be expected of the next, per mille, rounded down."""
    return 1000 * (right + 1) // (landed + 2)
