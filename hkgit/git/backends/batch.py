"""batch.py: read objects by id from a `git cat-file` that is kept running.

It holds none of this process's locks, and ends with this process, however that ends: its input
is then closed. An answer that was not read to its end (an interrupt, a signal) would be taken for
the next one, so the child is given up then, and a new one started when there is something to ask.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from hkgit.errors import GitRefused

COMMAND = ("git", "cat-file", "--batch-command")


class _Died(Exception):
    """The child ended before it answered."""


class CatFile:
    """One child process for each process and repository; threads take turns."""

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._environment = dict(environment)
        self._turn = threading.Lock()
        self._child: _Child | None = None

    def header(self, object_id: str) -> tuple[str, int] | None:
        """Return the type and size of an object; None when git gives none for it."""
        answer = self._ask("info", object_id)
        return answer[1:3] if answer is not None else None

    def read(self, object_id: str) -> tuple[str, bytes] | None:
        """Read the type and bytes of an object; None when git gives none for it."""
        answer = self._ask("contents", object_id)
        return (answer[1], answer[3]) if answer is not None else None

    def resolve(self, ref: str) -> str | None:
        """Return the id that the whole name of a ref leads to; None when git gives none for it."""
        answer = self._ask("info", ref)
        return answer[0] if answer is not None else None

    def _ask(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        with self._turn:
            for _ in range(2):  # somebody may have killed the first
                with suppress(_Died):
                    return self._answer(what, object_id)
        return None

    def _answer(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        child = self._get_child()
        try:
            return child.answer(what, object_id)
        except BaseException:
            child.stop()
            raise

    def _get_child(self) -> _Child:
        """Return the child; a new one after a fork too, where the old one is the parent's."""
        child = self._child
        if child is None or not child.is_usable():
            child = self._child = _Child(self._cwd, self._environment)
        return child


class _Child:
    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._owner = os.getpid()
        try:
            process = subprocess.Popen(
                COMMAND,
                cwd=cwd,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what is wrong, whoever asks finds out by asking again
                close_fds=True,  # no lock of this process is this child's to hold (see `locks`)
                start_new_session=True,  # out of reach of the keyboard: cleaning up reads too
            )
        except OSError as error:
            raise GitRefused("git", f"could not be started: {error.strerror}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._process = process
        self.stop = weakref.finalize(self, _stop, process, os.getpid())

    def is_usable(self) -> bool:
        return self.stop.alive and self._owner == os.getpid() and self._process.poll() is None

    def answer(self, what: str, object_id: str) -> tuple[str, str, int, bytes] | None:
        try:
            self._in.write(f"{what} {object_id}\n".encode())
            self._in.flush()
        except OSError as error:
            raise _Died from error
        words = self._out.readline().decode().split()
        if words[1:] == ["missing"]:
            return None
        if len(words) != 3:
            raise _Died
        size = int(words[2])
        return words[0], words[1], size, _exactly(self._out, size) if what == "contents" else b""


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """That many bytes, and the line end behind them."""
    data = stream.read(size + 1)
    if len(data) != size + 1:
        raise _Died
    return data[:-1]


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a child; in a fork, only let go of it."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # it died, and what was asked of it is still in the pipe
                stream.close()
    if owner == os.getpid():
        process.kill()
        process.wait()
