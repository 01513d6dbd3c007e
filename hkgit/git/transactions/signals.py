"""signals.py: delay signals while something must be undone or finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

_STOPS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)
)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the stack as an interrupt from the keyboard does."""

    def stop(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    with _handle_signals(stop, [number for number in _STOPS if number != signal.SIGINT]):
        yield


@contextmanager
def unstoppable() -> Iterator[None]:
    """Delay signals to stop until what has begun is finished."""
    came: list[int] = []
    with _handle_signals(lambda number, _: came.append(number), _STOPS):
        yield
    for number in came:
        signal.raise_signal(number)


@contextmanager
def _handle_signals(
    handler: Callable[[int, FrameType | None], object], numbers: Sequence[int]
) -> Iterator[None]:
    """Signals go to the handler, unless they are ignored (nohup), and in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    former = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, restored in former.items():
            signal.signal(number, restored if restored is not None else signal.SIG_DFL)
