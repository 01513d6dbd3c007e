"""Limit the time that one commit, and a whole push, may take to judge.

Servers kill hooks that take too long. Between two commits the clock is looked at; within one, where
the system can, an alarm rings.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from hkgit.errors import Rejected
from hkgit.text.escape import quote_word


class OutOfTime(Exception):
    """The judgement of a commit took too long.

    Not an HkgitError, so that no handler on the way takes it for a fault of the commit.
    """


@contextmanager
def limit_time(seconds: float, error: type[BaseException] = OutOfTime) -> Iterator[None]:
    """Raise OutOfTime, or another error, when the block is not done in time.

    Only the main thread of a system with timers has the limit. An outer limit that ends earlier
    stays in force.
    """
    is_main = threading.current_thread() is threading.main_thread()
    can_ring = is_main and hasattr(signal, "setitimer")
    outer, _ = signal.getitimer(signal.ITIMER_REAL) if can_ring else (0.0, 0.0)
    if not can_ring or 0 < outer <= seconds:
        yield
        return
    is_over = False

    def ring(number: int, frame: FrameType | None) -> None:
        if not is_over:
            raise error

    began = time.monotonic()
    handler = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        try:
            is_over = True
        finally:  # it may ring just before that
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if outer:  # what is left of it
                left = outer - (time.monotonic() - began)
                signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))


Watch = Callable[[Sequence[str]], Iterator[str]]
"""Passes commits on one by one, to show progress."""

T = TypeVar("T")

DEFAULT = 4.0
"""Seconds. GitHub Enterprise gives all of a repository's hooks 5; the interpreter starts in a
fraction of one, before this clock does."""


class OverBudget(Rejected):
    """A push takes longer to judge than the server allows; nothing is said against it."""


class Budget:
    """What is left of the time, and how far the judging has come."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def spend(self, ref: str, judge: Callable[[Watch], T]) -> T:
        """Judge one ref within what is left: its commits go through the function given.

        Raises OverBudget.
        """
        done = 0
        listed: Sequence[str] = ()
        is_fresh = self._end - time.monotonic() > self.seconds / 2

        def watch(commits: Sequence[str]) -> Iterator[str]:
            nonlocal done, listed
            listed = commits
            for commit in commits:
                if time.monotonic() >= self._end:
                    raise _TimeIsUp
                yield commit
                done += 1

        try:
            left = self._end - time.monotonic()
            if left <= 0:
                raise _TimeIsUp
            with limit_time(left, _TimeIsUp):
                return judge(watch)
        except _TimeIsUp:
            raise self._refusal(ref, done, listed, is_fresh=is_fresh) from None

    def _refusal(
        self, ref: str, done: int, commits: Sequence[str], *, is_fresh: bool
    ) -> OverBudget:
        """The refusal of a ref; `is_fresh` says that most of the time was its own."""
        what = f"judging takes more than {self.seconds:g} s"
        aside = "or ask the server's operator to raise `git config hkgit.budget`"
        if done == 0 and commits and is_fresh:
            what += f", and so does {commits[0][:12]} on its own"
            return OverBudget(ref, what, f"Make its change in several commits, {aside}.")
        if done == 0:
            return OverBudget(ref, what, f"Push fewer refs at once, {aside}.")
        what += f": {done} of {len(commits)} commits were judged"
        part = commits[max(done // 2, 1) - 1]
        first = f"git push REMOTE {quote_word(f'{part[:12]}:{ref}')}"
        fix = f"Push in parts, first `{first}`, {aside}."
        return OverBudget(ref, what, fix)


class _TimeIsUp(BaseException):
    """No handler of failures, nor the limit of one commit, may take it for its own."""
