"""callers.py: note which sub-agent calls a tool of hkgit's server, between its hook and its call.

The server is the whole conversation's and is told the call's id alone; the hook before the call
is told who makes it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.git.listing import find_files
from hkgit.sessions.storage.paths import list_candidates, make_home

FOLDER = ".callers"
"""Beside the sessions of a checkout; no session can have this name."""

_LONGEST_WAIT = 3600
"""Seconds for which a call may wait for a person's leave; notes that are older are removed."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")


def note_caller(root: Path, call: str, session: str) -> None:
    """Note that this session makes a call; nothing where that cannot be written."""
    if _ID.fullmatch(call) is None:
        return
    for home in list_candidates(root):
        with suppress(OSError):
            make_home(home)
            (home / FOLDER).mkdir(exist_ok=True)
            _remove_old(home / FOLDER)
            (home / FOLDER / call).write_text(session, "utf-8")
            return


def take_caller(root: Path, call: str | None) -> str | None:
    """Find the session that makes a call, if that was noted, and forget the note."""
    for note in _find_notes(root, call):
        with suppress(OSError, UnicodeDecodeError):
            session = note.read_text("utf-8")
            note.unlink()
            return session
    return None


def _find_notes(root: Path, call: str | None) -> Iterator[Path]:
    if call is not None and _ID.fullmatch(call) is not None:
        yield from (home / FOLDER / call for home in list_candidates(root))


def _remove_old(folder: Path) -> None:
    since = time.time() - _LONGEST_WAIT
    for note in find_files(folder, "*"):
        with suppress(OSError):
            if note.stat().st_mtime < since:
                note.unlink()
