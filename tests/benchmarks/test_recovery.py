"""The simulated model: it ends every task, its goal is the real change, and hints save it calls."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.engines.labels import LABELS
from benchmarks.recovery.courses import ROUNDS, Course, courses
from benchmarks.recovery.model import Habit
from benchmarks.recovery.report import overall
from benchmarks.recovery.tasks import Task, tasks_from
from benchmarks.recovery.tools import NAME, exact_unique
from hkgit import Edit, apply_edits
from tests.benchmarks.hunks import small_corpus
from tests.support.cases import cases

BARE, HINTS = Habit(uses=False), Habit(uses=True)


@cache
def tasks() -> list[Task]:
    return list(tasks_from(small_corpus(), seed=1, per_label=3))


@pytest.fixture(scope="module")
def bare() -> list[Course]:
    return courses(tasks(), BARE)


@pytest.fixture(scope="module")
def hinted() -> list[Course]:
    return courses(tasks(), HINTS)


def whole(task: Task) -> Edit:
    """The edit of all lines of a file, as the model means it."""
    return Edit(NAME, *task.meant(1, len(task.lines)))


@pytest.mark.parametrize("label", sorted({*LABELS} - {"already-applied", "other-file"}))
def test_what_the_model_means_can_be_landed(label: str) -> None:
    labelled = [task for task in tasks() if task.label == label and not task.is_settled]
    assert labelled
    for task in labelled:
        after = apply_edits([whole(task)], {NAME: task.before}).files.get(NAME)
        assert isinstance(after, bytes)
        assert task.is_landed(after)


def test_the_change_lies_within_its_lines() -> None:
    assert all(task.is_within(task.first, max(task.last, task.first)) for task in tasks())


def test_lines_elsewhere_do_not_hold_the_change() -> None:
    assert not any(task.is_within(task.last + 2, task.last + 9) for task in tasks())


def test_every_task_ends_in_time(hinted: list[Course]) -> None:
    assert all(1 <= course.rounds <= ROUNDS for course in hinted)


def test_the_same_seed_gives_the_same_courses(hinted: list[Course]) -> None:
    assert courses(tasks(), HINTS) == hinted


def test_hints_save_readings(bare: list[Course], hinted: list[Course]) -> None:
    assert sum(course.reads for course in hinted) * 2 < sum(course.reads for course in bare)


def test_hints_save_bytes(bare: list[Course], hinted: list[Course]) -> None:
    assert sum(course.received for course in hinted) < sum(course.received for course in bare)


@cases(
    "before, old, after",
    {
        "there once": (b"a\nb\n", "b\n", b"a\nc\n"),
        "line ends of the file": (b"a\r\nb\r\n", "a\nb\n", b"c\r\n"),
        "there twice": (b"b\nb\n", "b\n", None),
        "not there": (b"a\n", "b\n", None),
    },
)
def test_the_usual_rule(before: bytes, old: str, after: bytes | None) -> None:
    assert exact_unique([Edit(NAME, old, "c\n")], before).files.get(NAME) == after


def test_the_table_has_a_row_a_model(bare: list[Course], hinted: list[Course]) -> None:
    assert overall({"bare": bare, "hints": hinted}).count("\n") == 3
