"""restoring.py: a process that has run a command becomes again as it was before.

What cannot be put back (a thread, a child, an open file) is found, and the process must end.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable
from functools import _lru_cache_wrapper
from types import ModuleType
from typing import Any

_UNCATCHABLE = {signal.SIGKILL, signal.SIGSTOP}


class Restorer:
    """Remembers what commands may change in a process that has loaded hkgit."""

    def __init__(self) -> None:
        modules = [each for name, each in sys.modules.items() if name.partition(".")[0] == "hkgit"]
        self._modules = [(vars(module), dict(vars(module))) for module in modules]
        self._tables = [
            (value, value.copy())
            for names, _ in self._modules
            for name, each in names.items()
            # How a command prints is kept in a value that can be reset.
            for value in [vars(each) if hasattr(each, "reset") else each]
            if type(value) in (dict, list, set) and not name.startswith("__")
        ]
        self._caches = _find_caches()
        numbers = signal.valid_signals() - _UNCATCHABLE
        self._signals = {number: signal.getsignal(number) for number in numbers}
        self._settings = _settings()
        self._path, self._filters = list(sys.path), list(warnings.filters)
        # What was registered by imports is of no use to a process that nobody ends.
        atexit._clear()
        _let_finalizers_register()
        self._is_watched, self._add_audit_hook = False, sys.addaudithook
        sys.addaudithook = self._watch

    def _watch(self, hook: Callable[[str, tuple[Any, ...]], Any]) -> None:
        """Add a hook as the interpreter does, which takes none away again."""
        self._is_watched = True
        self._add_audit_hook(hook)

    def restore(self) -> bool:
        """Put everything back; return whether that is all that the command has changed."""
        _end_streams()
        os.chdir("/")
        atexit._run_exitfuncs()
        _let_finalizers_register()
        for cache in self._caches:
            cache.cache_clear()
        for names, before in self._modules:
            if names != before:  # values that are the same one are not compared
                _restore_names(names, before)
        for table, copy in self._tables:
            _restore_table(table, copy)
        self._restore_interpreter()
        is_left = self._is_watched or _is_anything_left()
        return not is_left and _settings() == self._settings

    def _restore_interpreter(self) -> None:
        for number, handler in self._signals.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        sys.path[:], warnings.filters[:] = self._path, self._filters  # type: ignore[index]
        tempfile.tempdir = None
        gc.set_threshold(*self._settings[0])


def _find_caches() -> list[_lru_cache_wrapper[Any]]:
    """Return the caches of functions of hkgit."""
    gc.unfreeze()
    caches = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
    gc.freeze()
    return [each for each in caches if each.__module__.startswith("hkgit")]


def _settings() -> Any:
    """Return settings of the process that no command is known to change."""
    umask = os.umask(0)
    os.umask(umask)
    timers = signal.getitimer(signal.ITIMER_REAL)
    return gc.get_threshold(), gc.isenabled(), umask, timers, len(logging.root.handlers)


def _let_finalizers_register() -> None:
    """Let `weakref.finalize` wait for an end of the process again."""
    finalize: Any = weakref.finalize
    finalize._shutdown = finalize._registered_with_atexit = False


def _end_streams() -> None:
    """Let go of the streams, so that who reads them sees their end."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            stream.close()
        except (OSError, ValueError):
            continue
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.close(nothing)


def _restore_names(names: dict[str, Any], before: dict[str, Any]) -> None:
    if len(names) > len(before):
        for name in names.keys() - before.keys():
            if not isinstance(names[name], ModuleType):
                del names[name]
    for name, value in before.items():
        if names.get(name) is not value:
            names[name] = value


def _restore_table(table: Any, copy: Any) -> None:
    """Put a table back that has other items: rules and words have what they always have."""
    if len(table) == len(copy) and (len(table) > 20 or table == copy):
        return
    table.clear()
    table.extend(copy) if isinstance(table, list) else table.update(copy)


def _is_anything_left() -> bool:
    """Whether there are threads, children or open files."""
    if threading.active_count() > 1 or _has_children():
        return True
    if _count_files() > _USUAL:
        gc.collect()  # some files are closed with the cycles that hold them
    return _count_files() > _USUAL


_USUAL = 5
"""The streams, the socket of the supervisor, and the directory that is read."""


def _count_files() -> int:
    return len(os.listdir("/dev/fd"))  # noqa: PTH208 - it is asked after every command


def _has_children() -> bool:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
