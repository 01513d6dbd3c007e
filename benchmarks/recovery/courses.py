"""courses.py: one task from the first call to its end, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from benchmarks.recovery.model import Call, Habit, Model
from benchmarks.recovery.tasks import Task
from benchmarks.recovery.tools import NAME
from hkgit import EditResult

ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Course:
    """How a task ended: after so many calls of the edit tool, right, wrong or given up.

    Bytes sent are those of edits, bytes received those of answers and of what was read.
    """

    task: Task
    end: str
    rounds: int
    first_status: str
    reads: int
    sent: int
    received: int
    offered: int
    offered_right: int


def courses(tasks: Iterable[Task], habit: Habit, seed: int = 0) -> list[Course]:
    """Every task under one habit; the same for the same seed."""
    return [course(task, habit, Random(f"{seed}:{task.label}:{task.name}")) for task in tasks]


def course(task: Task, habit: Habit, rng: Random) -> Course:
    """One task, from the first call to its end."""
    model = Model(task, habit, rng)
    call: Call | None = Call.of(task.old, task.new)
    sent = received = rounds = 0
    statuses: list[str] = []
    end = "given up"
    while call is not None and rounds < ROUNDS:
        result = habit.tool(call.edits, task.before)
        rounds += 1
        sent += call.size
        received += len(_answer(result, habit).encode())
        statuses.append(result.outcomes[0].status)
        if result.ok:
            after = result.files.get(NAME, task.before)
            end = "landed" if isinstance(after, bytes) and task.is_landed(after) else "wrong"
            break
        call = model.next_call(result)
        end = "landed" if call is None else end
    return Course(
        task,
        end,
        rounds,
        statuses[0],
        model.reads,
        sent,
        received + model.read_bytes,
        model.offered,
        model.offered_right,
    )


def _answer(result: EditResult, habit: Habit) -> str:
    """What the model gets to see: with hints all of it, else what is wrong and no more."""
    if result.ok:
        return "applied\n"
    if habit.uses:
        return result.for_model()
    error = result.outcomes[0].error
    return "" if error is None else f"{error.where}: {error.what}"
