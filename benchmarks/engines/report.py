"""report.py: cases run, answers graded, and the tables that say what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.engines.adapters import Answer, Engine
from benchmarks.engines.cases import Case
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Grade, grade


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case, what the engine said, and what that is worth."""

    case: Case
    answer: Answer
    grade: Grade


def run(engine: Engine, cases: Iterable[Case]) -> list[Outcome]:
    """Every case through one engine."""
    outcomes = []
    for case in cases:
        answer = engine(case.before, case.old, case.new, case.path, replace_all=case.replace_all)
        outcomes.append(Outcome(case, answer, grade(case.truth, answer.after)))
    return outcomes


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over some outcomes, and times in milliseconds."""

    cases: int
    can_land: int
    landed: int
    ideal: int
    wrong: int
    refused: int
    median: float
    p99: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Score:
        """Count; `landed` and `ideal` are of the cases that can land."""
        due = [o for o in outcomes if o.case.truth.verdict is Verdict.LAND]
        times = sorted(outcome.answer.milliseconds for outcome in outcomes)
        return cls(
            cases=len(outcomes),
            can_land=len(due),
            landed=sum(o.grade in (Grade.IDEAL, Grade.ACCEPTED) for o in due),
            ideal=sum(o.grade is Grade.IDEAL for o in due),
            wrong=sum(o.grade is Grade.WRONG for o in outcomes),
            refused=sum(o.grade is Grade.REFUSED for o in outcomes),
            median=times[len(times) // 2],
            p99=times[min(len(times) * 99 // 100, len(times) - 1)],
        )

    def cells(self) -> list[str]:
        """The row of a table."""
        return [
            str(self.cases),
            _share(self.landed, self.can_land),
            _share(self.ideal, self.can_land),
            _share(self.wrong, self.cases),
            _share(self.refused, self.cases),
            f"{self.median:.2f} / {self.p99:.2f}",
        ]


HEAD = ["cases", "landed of can land", "byte for byte", "WRONG", "refused", "median / p99 ms"]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part})" if whole else "-"


def overall(results: dict[str, list[Outcome]]) -> str:
    """One row an engine."""
    rows = [[name, *Score.of(outcomes).cells()] for name, outcomes in results.items()]
    return table(["engine", *HEAD], rows)


def by_label(outcomes: Sequence[Outcome]) -> str:
    """One row a label, for one engine."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.case.label, []).append(outcome)
    return table(["label", *HEAD], [[name, *Score.of(of).cells()] for name, of in groups.items()])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns are aligned to read as text, too."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [
        [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        for row in (head, ["-" * width for width in widths], *rows)
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """What the engine's author wants to see: wrong answers first, then what should have landed."""
    wrong = [o for o in outcomes if o.grade is Grade.WRONG]
    missed = [
        o for o in outcomes if o.grade is Grade.REFUSED and o.case.truth.verdict is Verdict.LAND
    ]
    return wrong + missed
