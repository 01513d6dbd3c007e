"""The child that reads objects, and packs to write them with.

It holds none of this process's locks, and ends with this process, however that ends: its input
is then closed. An answer that was not read to its end (an interrupt, a signal) would be taken for
the next one, so the child is given up then, and a new one started when there is something to ask.

The format of packs: gitformat-pack(5). Each object is whole, so that nothing else is needed
to read it.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
import zlib
from collections.abc import Collection
from contextlib import suppress

from hkgit.errors import GitRefused, Unverifiable
from hkgit.git.objects import compute_id
from hkgit.git.program import Git
from hkgit.text.hashes import start_hash

COMMAND = ("git", "cat-file", "--batch-command")


class _Died(Exception):
    """The child ended before it answered."""


class CatFile:
    """One child process for each process and repository; threads take turns."""

    def __init__(self, git: Git, object_format: str) -> None:
        self._git = git
        self._object_format = object_format
        self._turn = threading.Lock()
        self._child: _Child | None = None

    def read(self, object_id: str, most: int) -> tuple[str, int, bytes] | None:
        """Read the type, size and bytes of an object; no bytes of one with more than `most`.

        None when git gives none for it. Raises Unverifiable where the bytes are not those of the
        id: git looks at few of them.
        """
        found = self._ask(object_id, most)
        if found is not None and found[1] <= most:
            kind, _, data = found
            if compute_id(kind, data, self._object_format) != object_id:
                what, fix = "does not match its id", "Look at the repository with git fsck."
                raise Unverifiable(f"object {object_id}", what, fix)
        return found

    def _ask(self, object_id: str, most: int) -> tuple[str, int, bytes] | None:
        with self._turn:
            for _ in range(2):  # somebody may have killed the first
                if self._child is None or not self._child.is_usable():
                    self._child = _Child(self._git)
                child = self._child
                try:
                    return child.answer(object_id, most)
                except _Died:
                    child.stop()
                except BaseException:
                    child.stop()
                    raise
        return None


class _Child:
    def __init__(self, git: Git) -> None:
        self._owner = os.getpid()
        try:
            process = subprocess.Popen(
                COMMAND,
                cwd=git.cwd,
                env=git.build_environment(),
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
        """Whether it lives, and is this process's: after a fork it is the parent's."""
        return self.stop.alive and self._owner == os.getpid() and self._process.poll() is None

    def answer(self, object_id: str, most: int) -> tuple[str, int, bytes] | None:
        what = "info" if most < 0 else "contents"
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
        kind, size = words[1], int(words[2])
        if size > most:
            if what == "contents":  # git goes on to write it
                self.stop()
            return kind, size, b""
        data = self._out.read(size + 1)  # with a line end
        if len(data) != size + 1:
            raise _Died
        return kind, size, data[:-1]


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a child; in a fork, only let go of it."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # it died, and what was asked of it is still in the pipe
                stream.close()
    if owner == os.getpid():
        process.kill()
        process.wait()


_TYPES = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}


def write_pack(objects: Collection[tuple[str, bytes]], object_format: str) -> bytes:
    """Write a pack of objects, given as type and bytes.

    Format: gitformat-pack(5), version 2, without deltas.
    """
    parts = [b"PACK", (2).to_bytes(4, "big"), len(objects).to_bytes(4, "big")]
    for kind, data in objects:
        parts += [_head(_TYPES[kind], len(data)), zlib.compress(data, 1)]
    pack = b"".join(parts)
    return pack + start_hash(object_format, pack).digest()


def _head(kind: int, size: int) -> bytes:
    """Type and size: four bits of the size in the first byte, then seven in each, lowest first."""
    head = [kind << 4 | size & 0x0F]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)
