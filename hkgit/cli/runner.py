"""How every command begins and ends: streams, signals, failures, exit codes.

The interpreter frees each module and value before it ends, which takes as long as its start. The
system does that at once, so only what is seen from outside is done: output and what waits for the
end of the process.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys

from hkgit.cli.output import CONSOLE, forget_output, prepare_streams, print_error
from hkgit.errors import GitRefused, HkgitError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn


USAGE = 64
FAULT = 70
INTERRUPTED = 130
UNREAD = 141

_BAD_PATHS = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP)
"""What the system says of a path that somebody has named, and that cannot be one."""

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
"""What it says where somebody may not read or write something."""


def begin() -> None:
    """Make the streams fit, and let a polite kill unwind the stack: worktrees are taken away."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    CONSOLE.reset()
    prepare_streams()


def _refuse(error: OSError) -> HkgitError | None:
    """Build the error for what the system refuses of a path; None for any other failure."""
    if isinstance(error.filename, str | bytes) and error.errno in _FORBIDDEN:
        from hkgit.text.escape import quote_word  # few calls end so

        name = os.fsdecode(error.filename)
        fix = f"Check its owner and permissions: ls -ld {quote_word(name)}"
        return GitRefused(name, f"cannot be used: {error.strerror}", fix)
    if error.errno not in _BAD_PATHS or error.filename is None:
        return None
    name = "file" if isinstance(error.filename, int) else os.fsdecode(error.filename)
    return InvalidInput(name, f"cannot be read: {error.strerror}", "Check the path.")


def end_with(work: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run some work, tell its failures, and return the exit code."""
    try:
        try:
            return work()
        except HkgitError as error:
            return _end_refused(error, arguments)
    except KeyboardInterrupt:
        print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return UNREAD
    except Exception as error:
        refused = _refuse(error) if isinstance(error, OSError) else None
        if "--debug" in arguments and refused is None:
            raise
        # The one boundary where whatever nobody expected becomes an exit code.
        try:
            if isinstance(error, OSError):
                return _end_with_failure(error, refused, arguments)
            words = f"{type(error).__name__}: {error}".partition("\n")[0]
            fault = HkgitError("hkgit", words, "Run it again with --debug and report it.")
            return _end_refused(fault, arguments, "internal error in ")
        except OSError:  # nor can that be said
            return FAULT


def _end_refused(error: HkgitError, arguments: Sequence[str], head: str = "") -> int:
    """Say why there is no answer, for programs too, and return the exit code."""
    from hkgit.cli.answer import echo_refusal  # few calls end so

    echo_refusal(error, arguments)
    print_error(f"{head}{error}")
    return error.exit_code


def _end_with_failure(error: OSError, refused: HkgitError | None, arguments: Sequence[str]) -> int:
    """Explain what the system reports; where the work is done all the same, it is no failure."""
    try:
        sys.stdout.flush()
    except OSError:
        forget_output()
    if CONSOLE.done:
        print_error(f"{CONSOLE.done}; but the output could not be written: {error.strerror}")
        return 0
    if refused is not None:
        return _end_refused(refused, arguments)
    print_error(f"the system reported an error: {error}".partition("\n")[0])
    return FAULT


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
