"""Limit the time that one commit may take to judge."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
