"""exchange.py: swap two files in one step, so that what was there can be inspected.

A file that is written over is gone, whoever saved it a moment ago. One that changes places with
the new file is not: the system decides, in one step, what was there.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

_AT_CWD = -100
_EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2), and RENAME_SWAP of renamex_np(2)."""


_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
"""How a system, or a file system, says that it cannot exchange."""


def exchange(one: Path, other: Path) -> None:
    """Let two files change places. Raises FileNotFoundError where one is not there.

    Where the system cannot do that in one step, there is a moment in which a file that is saved
    at `other` is lost.
    """
    swap = _swap()
    if swap is not None and swap(os.fsencode(one), os.fsencode(other)):
        return
    kept = other.with_name(f".hkgit-{os.urandom(8).hex()}")
    link(other, kept)
    one.replace(other)
    kept.replace(one)


def place_new(new: Path, place: Path) -> None:
    """Put a file where nothing stands. Raises FileExistsError where something does."""
    link(new, place)
    new.unlink()


def link(file: Path, name: Path) -> None:
    """Give a file a second name; not every file system has links, so it may be a copy."""
    try:
        name.hardlink_to(file)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        import shutil

        if os.path.lexists(name):
            raise
        shutil.copy2(file, name)


@cache
def _swap() -> Callable[[bytes, bytes], bool] | None:
    """The system's call that exchanges two names; None where there is none."""
    import ctypes  # what only reads need not wait for it

    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            swap = library.renamex_np
            return lambda one, other: _is_done(swap(one, other, _EXCHANGE), ctypes.get_errno)
        rename = library.renameat2
        return lambda one, other: _is_done(
            rename(_AT_CWD, one, _AT_CWD, other, _EXCHANGE), ctypes.get_errno
        )
    return None


def _is_done(result: int, get_errno: Callable[[], int]) -> bool:
    """Whether a call succeeded; False where this file system does not know it."""
    number = get_errno()
    if result != 0 and number not in _UNKNOWN:
        raise OSError(number, os.strerror(number))
    return result == 0
