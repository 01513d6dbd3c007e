"""The time for a push: what is done when it is over, between commits and within one."""

import signal
import sys
import time
from functools import partial
from types import FrameType

import pytest

from hkgit.gate.clock import Budget, OverBudget, Watch

COMMITS = [digit * 40 for digit in "1234"]


def _judge(watch: Watch, *, slow: str | None = None) -> list[str]:
    """Give back each commit when it is judged; while one is, the time comes to its end.

    The alarm rings here by hand, so that a busy machine is no slow commit.
    """
    judged = []
    for commit in watch(COMMITS):
        if commit == slow:
            signal.raise_signal(signal.SIGALRM)
        judged.append(commit)
    return judged


def _dawdle(watch: Watch) -> None:
    for _ in watch(COMMITS):
        time.sleep(30)


def test_within_the_time_every_commit_is_judged() -> None:
    assert Budget(60).spend("refs/heads/main", _judge) == COMMITS


def test_one_slow_commit_does_not_outlast_the_time() -> None:
    with pytest.raises(OverBudget):
        Budget(0.1).spend("refs/heads/main", _dawdle)


def test_the_refusal_says_how_far_it_came_and_which_part_to_push_first() -> None:
    with pytest.raises(OverBudget) as caught:
        Budget(60).spend("refs/heads/x", partial(_judge, slow=COMMITS[3]))
    assert "more than 60 s: 3 of 4 commits were judged" in caught.value.what
    assert f"git push REMOTE {COMMITS[0][:12]}:refs/heads/x" in caught.value.fix
    with pytest.raises(OverBudget, match=r"`git push REMOTE '1{12}:refs/heads/a\$b'`"):
        Budget(60).spend("refs/heads/a$b", partial(_judge, slow=COMMITS[3]))


def test_a_commit_that_takes_all_of_the_time_is_named() -> None:
    with pytest.raises(OverBudget) as caught:
        Budget(60).spend("refs/heads/x", partial(_judge, slow=COMMITS[0]))
    assert f"more than 60 s, and so does {COMMITS[0][:12]} on its own" in caught.value.what
    assert caught.value.fix.startswith("Make its change in several commits, or ask the server's")


def test_one_time_is_for_all_refs_of_a_push() -> None:
    budget = Budget(0.1)
    with pytest.raises(OverBudget):
        budget.spend("refs/heads/first", _dawdle)
    with pytest.raises(OverBudget, match="refs/heads/second") as caught:
        budget.spend("refs/heads/second", _judge)
    assert caught.value.fix.startswith("Push fewer refs at once")


def test_afterwards_no_alarm_is_left() -> None:
    Budget(60).spend("refs/heads/main", _judge)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_alarm_at_the_edge_is_a_refusal() -> None:
    """It may ring while the block is entered, where a handler inside it does not hear it."""

    def ring(frame: FrameType, event: str, argument: object) -> None:
        if event == "return" and frame.f_code.co_name == "__enter__":
            sys.setprofile(None)
            signal.raise_signal(signal.SIGALRM)

    handler = signal.getsignal(signal.SIGALRM)

    def spend() -> None:
        sys.setprofile(ring)
        Budget(60).spend("refs/heads/x", _judge)

    with pytest.raises(OverBudget):
        spend()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is handler
