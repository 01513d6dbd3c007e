"""Every label gives cases whose truth is what the real change would have made of the file."""

from functools import cache
from pathlib import Path

import pytest

from benchmarks.engines.adapters.local import exact_unique
from benchmarks.engines.cases import Case, cases_from
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.grading import Grade, grade
from benchmarks.engines.labels import LABELS
from tests.benchmarks.hunks import small_corpus


@cache
def cases() -> list[Case]:
    return cases_from(small_corpus(), seed=1, per_label=12)


def cases_of(label: str) -> list[Case]:
    return [case for case in cases() if case.label == label]


def test_every_label_gives_cases() -> None:
    assert {case.label for case in cases()} == {*LABELS}


def test_an_oracle_is_right_on_every_case() -> None:
    right = {Verdict.REFUSE: None}
    grades = {
        (case.label, grade(case.truth, right.get(case.truth.verdict, case.truth.ideal)))
        for case in cases()
    }
    assert {each for each in grades if each[1] not in (Grade.IDEAL, Grade.REFUSED)} == set()


def test_to_empty_the_file_is_wrong_and_to_change_nothing_is_no_landing() -> None:
    assert {grade(case.truth, b"") for case in cases()} == {Grade.WRONG}
    assert {grade(case.truth, case.before) for case in cases()} == {Grade.WRONG, Grade.REFUSED}


@pytest.mark.parametrize("label", ["none", "stripped", "drift-far", "near-copy"])
def test_replacing_exact_text_is_right_where_the_mistake_leaves_it_exact(label: str) -> None:
    with exact_unique(Path()) as engine:
        grades = {
            grade(case.truth, engine(case.before, case.old, case.new).after)
            for case in cases_of(label)
        }
    assert grades == {Grade.IDEAL}


@pytest.mark.parametrize(
    "label", ["removed-token", "changed-meanwhile", "hallucinated", "duplicate", "lookalike"]
)
def test_exact_text_stands_nowhere_once_where_nobody_may_land(label: str) -> None:
    assert {case.before.count(case.old.encode()) == 1 for case in cases_of(label)} == {False}


def test_a_file_outside_the_place_is_the_same_before_and_after() -> None:
    for case in cases():
        truth = case.truth
        assert truth.ideal[: truth.head] == case.before[: truth.head]
        assert case.before.endswith(truth.ideal[len(truth.ideal) - truth.tail :])


def test_the_same_seed_gives_the_same_cases_and_another_one_others() -> None:
    first, again, other = (cases_from(small_corpus(), seed=seed, per_label=1) for seed in (1, 1, 2))
    assert first == again
    assert first != other
