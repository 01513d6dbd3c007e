"""The simulated model: it ends every task, its goal is the real change, and hints save it calls."""

from functools import cache

from benchmarks.engines.labels import LABELS
from benchmarks.recovery.courses import ROUNDS, courses
from benchmarks.recovery.model import Habit
from benchmarks.recovery.report import overall
from benchmarks.recovery.tasks import Task, tasks_from
from benchmarks.recovery.tools import NAME, exact_unique
from hkgit import Edit, apply_edits
from tests.benchmarks.hunks import small_corpus
from tests.support.cases import cases


@cache
def tasks() -> list[Task]:
    return list(tasks_from(small_corpus(), seed=1, per_label=1))


def test_what_the_model_means_can_be_landed() -> None:
    unsettled = [task for task in tasks() if not task.is_settled]
    assert {task.label for task in unsettled} == {*LABELS} - {"already-applied", "other-file"}
    for task in unsettled:
        edit = Edit(NAME, *task.meant(1, len(task.lines)))
        after = apply_edits([edit], {NAME: task.before}).files.get(NAME)
        assert isinstance(after, bytes)
        assert task.is_landed(after), task.label


def test_the_change_is_in_its_lines_and_nowhere_else() -> None:
    assert all(task.is_within(task.first, max(task.last, task.first)) for task in tasks())
    assert not any(task.is_within(task.last + 2, task.last + 9) for task in tasks())


def test_every_task_ends_in_time_and_hints_save_readings_and_bytes() -> None:
    bare, hinted = (courses(tasks(), Habit(uses=uses)) for uses in (False, True))
    assert all(1 <= course.rounds <= ROUNDS for course in (*bare, *hinted))
    reads, received = (
        [sum(getattr(course, name) for course in each) for each in (bare, hinted)]
        for name in ("reads", "received")
    )
    assert reads[1] * 2 < reads[0]
    assert received[1] < received[0]
    assert courses(tasks()[:9], Habit(uses=True)) == hinted[:9]
    assert overall({"bare": bare, "hints": hinted}).count("\n") == 3


@cases(
    {
        "there once": (b"a\nb\n", "b\n", b"a\nc\n"),
        "line ends of the file": (b"a\r\nb\r\n", "a\nb\n", b"c\r\n"),
        "there twice": (b"b\nb\n", "b\n", None),
        "not there": (b"a\n", "b\n", None),
    },
)
def test_the_usual_rule(before: bytes, old: str, after: bytes | None) -> None:
    assert exact_unique([Edit(NAME, old, "c\n")], before).files.get(NAME) == after
