"""messages.py: the file in which git keeps the message of the commit being made."""

from __future__ import annotations

from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository


def find_message_file(repository: Repository, named: str) -> Path:
    """Find the message file of this name; for an empty one the file that git just wrote.

    A clean `git merge` writes MERGE_MSG, everything else COMMIT_EDITMSG; the other may be left
    from before. Raises InvalidInput when there is none.
    """
    if named:
        return Path(named)
    usual = (repository.git_dir / name for name in ("MERGE_MSG", "COMMIT_EDITMSG"))
    found = [path for path in usual if path.exists()]
    if not found:
        raise InvalidInput("--message-file", "no commit is being made here", "Name the file.")
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def read_message(path: Path) -> bytes:
    """Read the bytes of a message file. Raises InvalidInput when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error


def find_comment_mark(repository: Repository) -> bytes:
    """Return what git's own lines in a message begin with: `core.commentChar`."""
    mark = repository.config("core.commentChar")
    return (mark if mark not in (None, "auto") else "#").encode("utf-8", "surrogateescape")
