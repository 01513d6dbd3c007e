"""reliability.py: whether confidence means something: how much of what lands so is right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from benchmarks.engines.grading import Grade
from benchmarks.engines.report import Outcome, table

BORDERS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0, 1.01)


def reliability(outcomes: Sequence[Outcome]) -> str:
    """One row a bin of confidence, over what the engine applied."""
    landed = [
        (outcome.answer.confidence, outcome.grade is not Grade.WRONG)
        for outcome in outcomes
        if outcome.answer.after is not None and outcome.answer.confidence is not None
    ]
    rows = []
    for low, high in pairwise(BORDERS):
        inside = [(said, is_right) for said, is_right in landed if low <= said < high]
        if inside:
            said = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(is_right for _, is_right in inside) / len(inside)
            name = "1.00" if low == 1.0 else f"{low:.2f} to {high:.2f}"
            rows.append([name, str(len(inside)), f"{said:.3f}", f"{right:.3f}"])
    return table(["confidence", "applied", "mean confidence", "share right"], rows)
