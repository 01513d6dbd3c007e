"""report.py: the tables of what recovering costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.engines.report import table
from benchmarks.recovery.courses import ROUNDS, Course

_HEAD = [
    *(f"landed by call {n}" for n in range(1, ROUNDS + 1)),
    "WRONG",
    "calls per landed",
    "bytes sent",
    "bytes received",
    "corrected, right",
]


def overall(done: Mapping[str, Sequence[Course]]) -> str:
    """One row a habit."""
    return table(["model", *_HEAD], [[name, *_cells(each)] for name, each in done.items()])


def by_status(courses: Sequence[Course]) -> str:
    """One row a kind of refusal."""
    groups: dict[str, list[Course]] = {}
    for course in courses:
        groups.setdefault(course.first_status, []).append(course)
    rows = [[f"{name} ({len(each)})", *_cells(each)] for name, each in sorted(groups.items())]
    return table(["first refusal", *_HEAD], rows)


def _cells(courses: Sequence[Course]) -> list[str]:
    landed = [course for course in courses if course.end == "landed"]
    within = (sum(c.rounds <= n for c in landed) for n in range(1, ROUNDS + 1))
    count, due = len(courses) or 1, len(landed) or 1
    offered = sum(course.offered for course in courses)
    return [
        *(f"{100 * each / count:.1f} %" for each in within),
        f"{100 * sum(course.end == 'wrong' for course in courses) / count:.2f} %",
        f"{sum(course.rounds + course.reads for course in courses) / due:.2f}",
        f"{sum(course.sent for course in courses) / due:,.0f}",
        f"{sum(course.received for course in courses) / due:,.0f}",
        f"{sum(course.offered_right for course in courses)} of {offered}" if offered else "-",
    ]
