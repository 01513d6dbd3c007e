"""Locks, and signals while they are held.

Children inherit a lock: as long as a process that was started under it runs, it is held. So what
a killed process leaves to its children is not taken for abandoned. Process ids could not tell
that, and mean nothing in another container that shares the repository.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

TYPE_CHECKING = False


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
    import threading  # most who load this module take no lock

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


if TYPE_CHECKING:
    StrPath = str | os.PathLike[str]

_OPEN = os.O_RDWR | getattr(os, "O_BINARY", 0)
_PAUSE = 0.01  # Seconds between two looks at a lock

if sys.platform == "win32":
    import msvcrt

    _FAR = 2**30  # what is locked on Windows cannot be read: lock a byte that is never there

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def make(path: StrPath) -> int:
    """Make a new file under lock, as a descriptor for reading and writing. Raises OSError."""
    while True:
        try:
            _make_directory(os.path.dirname(path))
            descriptor = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, 0o666)
        except FileNotFoundError:  # somebody tidied the directory away
            continue
        if _lock_or_close(descriptor, path):
            _share(path, 0o666)
            return descriptor


def take(path: StrPath) -> int | None:
    """Open a file under lock; None when it is gone or held. Raises OSError."""
    try:
        descriptor = os.open(path, _OPEN)
    except FileNotFoundError:
        return None
    return descriptor if _lock_or_close(descriptor, path) else None


def wait_for(path: StrPath, seconds: float) -> int | None:
    """Open a file under lock, made if need be; None when it stays held. Raises OSError."""
    until = time.monotonic() + seconds
    while True:
        try:
            return make(path)
        except FileExistsError:
            descriptor = take(path)
        if descriptor is not None or time.monotonic() > until:
            return descriptor
        time.sleep(_PAUSE)


def remove(path: StrPath, descriptor: int) -> None:
    """Let a lock go, and its file with it if the system allows it."""
    if sys.platform == "win32":  # there, a file that is open cannot be removed
        os.close(descriptor)
    try:
        os.unlink(path)
    except OSError:  # somebody tidied it away, or still has it open
        pass
    if sys.platform != "win32":
        os.close(descriptor)


def _make_directory(path: StrPath) -> None:
    """Make a directory with the permissions of the one above: a shared repository stays shared."""
    if path and not os.path.isdir(path):
        _make_directory(os.path.dirname(path))
        try:
            os.mkdir(path)
        except FileExistsError as error:
            if os.path.islink(path) and not os.path.isdir(path):  # it would never be there
                words = os.strerror(errno.ENOTDIR)
                raise NotADirectoryError(errno.ENOTDIR, words, path) from error
            return
        _share(path, 0o7777)


def _share(path: StrPath, bits: int) -> None:
    try:
        above = os.stat(os.path.dirname(path) or os.curdir)
        os.chmod(path, stat.S_IMODE(above.st_mode) & bits)
    except OSError:  # whoever comes later has to say why it cannot be opened
        pass


def _lock_or_close(descriptor: int, path: StrPath) -> bool:
    """Lock an open file or close it: it may be held, or not be what the path names any more."""
    try:
        _try_lock(descriptor)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            os.set_inheritable(descriptor, True)
            return True
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    os.close(descriptor)
    return False
