"""latest.py: choose the default session for `undo`."""

from __future__ import annotations

from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import existing


def latest_session(root: Path) -> str:
    """The session with the newest call that is not undone. Raises InvalidInput without one."""
    found = [
        (journal.state.standing[-1].time, folder.name)
        for folder in existing(root)
        if (journal := SessionJournal(folder)).load().standing
    ]
    if not found:
        fix = "hkgit edit keeps its calls in the git directory; so does --session elsewhere."
        raise InvalidInput("undo", "there is no call that can be undone", fix)
    return max(found)[1]
