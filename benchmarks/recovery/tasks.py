"""tasks.py: what the simulated model wants: a file, the change it means, and its first call.

The first calls are those of `benchmarks.engines`, with the same mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines.cases import PER_LABEL, Case, drafts_of
from benchmarks.engines.corpus import Hunk, hunks_of
from benchmarks.engines.drafts import Draft, Verdict
from benchmarks.engines.grading import Grade, Truth, grade


@dataclass(frozen=True, slots=True)
class Task:
    """A file, the file as the model means to leave it, and the old and new text of its first call.

    `goal_lines` and `lines` are those of both files without ends; `first` and `last` are the lines
    of the file, counted from 1, that the change replaces, or has replaced already; it is empty
    where it only inserts.
    """

    label: str
    name: str
    old: str
    new: str
    truth: Truth
    lines: tuple[str, ...]
    goal_lines: tuple[str, ...]
    first: int
    last: int

    @property
    def before(self) -> bytes:
        """The file as it is."""
        return self.truth.before

    @property
    def is_settled(self) -> bool:
        """Whether the file says already what is meant."""
        return self.truth.before == self.truth.ideal

    def is_landed(self, after: bytes) -> bool:
        """Whether a result is right."""
        return grade(self.truth, after) in (Grade.IDEAL, Grade.ACCEPTED)

    def is_within(self, first: int, last: int) -> bool:
        """Whether some lines hold the whole change, or the line above or below an insertion."""
        if self.first > self.last:
            return first <= self.first <= last + 1 and first <= last
        return first <= self.first and self.last <= last

    def meant(self, first: int, last: int) -> tuple[str, str]:
        """Lines of the file that hold the change, and the same lines as they are meant to be."""
        more = len(self.goal_lines) - len(self.lines)
        old, new = self.lines[first - 1 : last], self.goal_lines[first - 1 : last + more]
        return "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)


def tasks_of(half: str, cache: Path, *, seed: int = 0, per_label: int = PER_LABEL) -> list[Task]:
    """The tasks of a half, label by label; the same for the same seed."""
    return list(tasks_from(hunks_of(half, cache), seed=seed, per_label=per_label))


def tasks_from(hunks: Sequence[Hunk], *, seed: int, per_label: int) -> Iterator[Task]:
    """The tasks that some hunks give."""
    for case, faultless, draft in drafts_of(hunks, seed=seed, per_label=per_label):
        # A block of another file has no place that could be meant.
        if case.label != "other-file":
            yield task_of(case, draft, _goal(faultless, draft))


def _goal(faultless: Draft, draft: Draft) -> bytes:
    """What the model means: a mistake in the edit changes nothing of that, one in the file does."""
    return faultless.ideal if faultless.before == draft.before else draft.ideal


def task_of(case: Case, draft: Draft, goal: bytes) -> Task:
    """A case with what its author means."""
    truth = case.truth
    lines, meant = _lines(case.before), _lines(goal)
    above = _common(lines, meant)
    below = _common(lines[above:][::-1], meant[above:][::-1])
    if lines == meant:
        above, below = len(draft.above), len(draft.below)
    is_folded = goal == truth.ideal
    wanted = Truth(
        Verdict.LAND,
        case.before,
        goal,
        truth.fold if is_folded else "bytes",
        truth.head if is_folded else 0,
        truth.tail if is_folded else 0,
    )
    return Task(
        case.label,
        case.name,
        case.old,
        case.new,
        wanted,
        lines,
        meant,
        above + 1,
        len(lines) - below,
    )


def _lines(data: bytes) -> tuple[str, ...]:
    text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _common(some: Sequence[str], others: Sequence[str]) -> int:
    """How many lines two texts begin with alike."""
    count = 0
    while count < min(len(some), len(others)) and some[count] == others[count]:
        count += 1
    return count
