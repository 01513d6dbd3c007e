"""The time for a push: what is done when it is over, between commits and within one."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from hkgit.gate import Watch
from hkgit.gate.entrypoints.budget import Budget, OverBudget

COMMITS = [digit * 40 for digit in "1234"]


def _judge(watch: Watch, *, slow: str | None = None) -> Iterator[str]:
    """Give back each commit when it is judged; while one is, the time comes to its end.

    The alarm rings here by hand, so that a busy machine is no slow commit.
    """
    for commit in watch(COMMITS):
        if commit == slow:
            signal.raise_signal(signal.SIGALRM)
        yield commit


def _dawdle(watch: Watch) -> None:
    for _ in watch(COMMITS):
        time.sleep(30)


def test_within_the_time_every_commit_is_judged() -> None:
    with Budget(60).spent_on("refs/heads/main") as watch:
        assert list(_judge(watch)) == COMMITS


def test_one_slow_commit_does_not_outlast_the_time() -> None:
    with pytest.raises(OverBudget), Budget(0.1).spent_on("refs/heads/main") as watch:
        _dawdle(watch)


def test_the_refusal_says_how_far_it_came_and_which_part_to_push_first() -> None:
    with pytest.raises(OverBudget) as caught, Budget(60).spent_on("refs/heads/x") as watch:
        list(_judge(watch, slow=COMMITS[3]))
    assert "longer than 60 s: 3 of 4 commits were judged" in caught.value.what
    assert f"git push REMOTE {COMMITS[0][:12]}:refs/heads/x" in caught.value.fix


def test_one_time_is_for_all_refs_of_a_push() -> None:
    budget = Budget(0.1)
    with pytest.raises(OverBudget), budget.spent_on("refs/heads/first") as watch:
        _dawdle(watch)
    with pytest.raises(OverBudget, match="refs/heads/second"):
        budget.spent_on("refs/heads/second").__enter__()


def test_afterwards_no_alarm_is_left() -> None:
    with Budget(60).spent_on("refs/heads/main") as watch:
        list(_judge(watch))
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
