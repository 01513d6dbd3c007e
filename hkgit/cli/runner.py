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

from hkgit.cli.output import describe_done, echo, forget_output, prepare_streams, print_error
from hkgit.errors import GitRefused, HkgitError, InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
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
    signal.signal(signal.SIGTERM, _on_terminate)
    prepare_streams()


def _on_terminate(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def refuse_path(error: OSError) -> InvalidInput | None:
    """Build the error for a path that the system refuses; None for any other failure."""
    if error.errno not in _BAD_PATHS or error.filename is None:
        return None
    name = os.fsdecode(error.filename) if not isinstance(error.filename, int) else "file"
    return InvalidInput(name, f"cannot be read: {error.strerror}", "Check the path.")


def _refuse(error: Exception) -> HkgitError | None:
    """Build the error for what the system refuses; None for a fault of hkgit itself."""
    return (refuse_path(error) or _refuse_access(error)) if isinstance(error, OSError) else None


def _refuse_access(error: OSError) -> GitRefused | None:
    """Build the error for what nobody may read or write here; None for any other failure."""
    if error.errno not in _FORBIDDEN or not isinstance(error.filename, str | bytes):
        return None
    import shlex  # few calls end so

    name = os.fsdecode(error.filename)
    fix = f"Check its owner and permissions: ls -ld {shlex.quote(name)}"
    return GitRefused(name, f"cannot be used: {error.strerror}", fix)


def end_with(work: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run some work, tell its failures, and return the exit code."""
    try:
        return work()
    except HkgitError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return UNREAD
    except Exception as error:
        if "--debug" in arguments and _refuse(error) is None:
            raise
        # The one boundary where whatever nobody expected becomes an exit code.
        return _end_with_fault(error, arguments)


def _end_with_fault(error: Exception, arguments: Sequence[str]) -> int:
    """Explain what nobody expected; where the work is done all the same, it is no fault."""
    try:
        if isinstance(error, OSError):
            _flush_or_forget()
        if isinstance(error, OSError) and describe_done():
            print_error(f"{describe_done()}; but the output could not be written: {error.strerror}")
            return 0
        refused = _refuse(error)
        if refused is not None:
            print_error(str(refused))
            return refused.exit_code
        _explain(error, arguments)
    except OSError:  # nor can that be said
        pass
    return FAULT


def _flush_or_forget() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        forget_output()


def _explain(error: Exception, arguments: Sequence[str]) -> None:
    """Say in a line or two what nobody expected; of a full disk hkgit is not to blame."""
    words = str(error).partition("\n")[0]
    if isinstance(error, OSError):
        print_error(f"the system reported an error: {words}")
        return
    words, fix = f"{type(error).__name__}: {words}", "Run it again with --debug and report it."
    print_error(f"internal error in hkgit: {words}")
    echo(fix, err=True)
    from hkgit.cli.answer import echo_refusal, find_form_in

    command = arguments[0] if arguments else None
    echo_refusal(find_form_in(arguments), HkgitError("hkgit", words, fix), command)


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
