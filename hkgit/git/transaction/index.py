"""Lock the index of a checkout as git does, and replace it in one step.

The lock says whose it is, so that one left by a crash can be told from that of another git. The
work goes on in a copy: whoever looks sees the index as it was or as it is to be.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.applying.files import link
from hkgit.errors import GitRefused
from hkgit.git.transaction.journal import refuse_unwritable
from hkgit.values import dataclass

PATIENCE = 1.0
"""Seconds to wait for another git; for another hkgit, which is sure to finish, ten times that."""

_PAUSE = 0.01
_MARK = b"hkgit "


@dataclass(frozen=True)
class LockedIndex:
    """An index under lock: `index` is what git reads, `copy` what is worked on."""

    index: Path
    copy: Path

    @property
    def env(self) -> Mapping[str, str]:
        """What makes git work on the copy."""
        return {"GIT_INDEX_FILE": str(self.copy)}

    def reset(self) -> None:
        """Make the copy again, with the index's time: by it git tells which files it may trust.

        A repository without a commit has no index yet. Raises GitRefused.
        """
        try:
            self.copy.with_name(f"{self.copy.name}.lock").unlink(missing_ok=True)  # a git died
            with suppress(FileNotFoundError):
                _copy(self.index, self.copy)
        except OSError as error:
            raise refuse_unwritable(self.copy, error) from error

    def replace(self) -> None:
        """Make the copy the index. Raises GitRefused."""
        try:
            self.copy.replace(self.index)
        except OSError as error:
            raise refuse_unwritable(self.index, error) from error


def _copy(file: Path, name: Path) -> None:
    """Copy a file with its time and mode."""
    found = file.stat()
    name.write_bytes(file.read_bytes())
    name.chmod(stat.S_IMODE(found.st_mode))
    os.utime(name, ns=(found.st_atime_ns, found.st_mtime_ns))


@contextmanager
def lock_index(git_dir: Path, owner: str) -> Iterator[LockedIndex]:
    """Lock the index of the checkout with this git directory; `owner` is a transaction's id.

    Raises GitRefused when it stays locked by somebody else.
    """
    locked = LockedIndex(git_dir / "index", copy_of(git_dir, owner))
    _lock(git_dir, owner)
    try:
        locked.reset()
        yield locked
    finally:
        unlock(git_dir, owner)


def copy_of(git_dir: Path, owner: str) -> Path:
    """Return where a transaction works on its copy of the index."""
    return git_dir / f"index.hkgit-{owner}"


def find_foreign_lock(git_dir: Path) -> Path | None:
    """Find a lock on the index that is not hkgit's: some git is at work, or has died."""
    lock = _lock_of(git_dir)
    return lock if lock.exists() and not _content(lock).startswith(_MARK) else None


def unlock(git_dir: Path, owner: str) -> None:
    """Take away the copy and the lock, if they are the owner's, also after a crash."""
    copy = copy_of(git_dir, owner)
    left = [copy.with_name(f"{copy.name}.lock"), copy.with_name(f"{copy.name}.mark"), copy]
    if _content(_lock_of(git_dir)) == _mark(owner):
        left.append(_lock_of(git_dir))
    for path in left:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _lock(git_dir: Path, owner: str) -> None:
    """Make `index.lock`, from its first moment on with the owner's mark in it."""
    lock, copy = _lock_of(git_dir), copy_of(git_dir, owner)
    marked = copy.with_name(f"{copy.name}.mark")
    started = time.monotonic()
    try:
        marked.write_bytes(_mark(owner))
        while True:
            with suppress(FileExistsError):
                return link(marked, lock)
            patience = 10 * PATIENCE if _content(lock).startswith(_MARK) else PATIENCE
            if time.monotonic() - started > patience:
                fix = "Another git process is running, or one has died: check that, then try again."
                raise GitRefused(str(lock), "the index is locked", fix)
            time.sleep(_PAUSE)
    except OSError as error:
        raise refuse_unwritable(lock, error) from error
    finally:
        with suppress(OSError):
            marked.unlink(missing_ok=True)


def _lock_of(git_dir: Path) -> Path:
    return git_dir / "index.lock"


def _mark(owner: str) -> bytes:
    return _MARK + os.fsencode(owner) + b"\n"


def _content(lock: Path) -> bytes:
    """The first bytes of a lock; none when it is gone or cannot be read."""
    try:
        with lock.open("rb") as stream:
            return stream.read(100)
    except OSError:
        return b""
