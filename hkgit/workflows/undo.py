"""undo.py: take back calls of `edit` in a checkout, and nothing that came after them."""

from __future__ import annotations

from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.sessions.answers import UndoReport
from hkgit.sessions.session import EditSession
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import find_folders
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """The call to take back: the last one where none is named, or every call of the session."""

    call: str | None = None
    whole_session: bool = False


def undo(session: EditSession, request: UndoRequest) -> UndoReport:
    """Take back calls of a session.

    Raises InvalidInput when there is no such call, Conflict when later work is in the way; then
    nothing has changed.
    """
    return session.undo(request.call, whole_session=request.whole_session)


def open_session(root: Path, name: str | None) -> EditSession:
    """Open the session of that name; without one, that of the newest call that is not undone.

    Raises InvalidInput where no call can be undone.
    """
    return EditSession.open(root, _latest_session(root) if name is None else name)


def _latest_session(root: Path) -> str:
    found = [
        (journal.state.effective[-1].time, folder.name)
        for folder in find_folders(root)
        if (journal := SessionJournal(folder)).load().effective
    ]
    if not found:
        fix = "hkgit edit keeps its calls in the git directory; so does --session elsewhere."
        raise InvalidInput("undo", "there is no call that can be undone", fix)
    return max(found)[1]
