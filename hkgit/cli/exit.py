"""End the process of a command without taking everything apart again.

The interpreter frees each module and value before it ends, which takes as long as its start. The
system does that at once, so only what is seen from outside is done: output and what waits for the
end of the process.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


_VALUES_BETWEEN_SEARCHES = 100_000
"""How many values a command makes before cycles among them are looked for; usual are 700."""


def search_seldom() -> None:
    """Let a command of a moment load its modules without looking for cycles that are not there."""
    import gc

    gc.set_threshold(_VALUES_BETWEEN_SEARCHES, 20, 20)


def leave(code: int) -> NoReturn:
    """End the process with an exit code, at once where nothing else is at work in it."""
    if _is_alone() and _flush_streams():
        # The interpreter's own way to call them; `multiprocessing` ends its children so.
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def _is_alone() -> bool:
    """Whether no other thread runs, and nobody measures or debugs this one."""
    threads = sys.modules.get("threading")
    is_watched = sys.gettrace() is not None or sys.getprofile() is not None
    return not is_watched and (threads is None or threads.active_count() == 1)


def _flush_streams() -> bool:
    """Whether all output is out; if not, the interpreter says so when it ends."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True
