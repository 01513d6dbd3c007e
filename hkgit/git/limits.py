"""limits.py: hold a program to so many seconds and bytes, and tell how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hkgit.errors import GitRefused

TOO_SLOW = "Try again; what takes longer every time needs more time, or a nearer copy."


def run_within(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    """Run a program that reads nothing; end it and its children if it takes longer.

    `subprocess.run` would end the program alone, and wait for what it has started.
    """
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        close_fds=False,  # children keep the locks that this process holds (see `locks`)
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise GitRefused("git", f"took longer than {seconds:g} s", TOO_SLOW) from error
        finally:
            if process.returncode is None:  # out of time, or interrupted
                _end_session(process)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _end_session(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def limit_data(memory: int) -> tuple[str, ...]:
    """Return the words that start a program with so many bytes for its data; none on Windows.

    Packs that it maps do not count.
    """
    if os.name != "posix":
        return ()
    return ("sh", "-c", 'ulimit -S -d "$0" 2>/dev/null; exec "$@"', str(memory // 1024))


def describe_end(code: int) -> str:
    """Describe how a process ended that said nothing."""
    if code >= 0:
        return f"ended with code {code}"
    known = code in [-each for each in signal.Signals]
    return f"was ended by {signal.Signals(-code).name}" if known else f"was ended by signal {-code}"
