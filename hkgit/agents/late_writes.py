"""Take in what a formatter makes of a file just after an agent's tool wrote it.

Agents run their hooks side by side, so a formatter may write a file after hkgit has recorded the
edit. What comes within moments of an edit is the formatter's; what comes later, a person's.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from hkgit.agents.differences import adopt_difference
from hkgit.edits import File
from hkgit.errors import Ambiguous, HkgitError, Stale
from hkgit.sessions.blobs import Written, find_late_sessions, load_written, save_written
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.hashes import digest
from hkgit.values import replace

_MOMENTS = 3.0
"""Seconds within which a formatter has written."""


def note_written(session: EditSession, path: str, file: File) -> None:
    """Remember what an edit has left of a file, for the moments after it."""
    folder, blobs = session.journal.folder, session.journal.blobs
    kept = load_written(folder) | {path: (blobs.put(file.data), file.mode, time.time())}
    save_written(folder, kept)


def settle_written(session: EditSession) -> None:
    """Take in what formatters have written since; nothing of files that a call is changing.

    Nor of those that another session has changed since: it may have been that one's formatter.

    Raises HkgitError where it cannot be recorded; it is not tried again.
    """
    folder = session.journal.folder
    written = load_written(folder)
    if not written:
        return
    checkout = Checkout(session.root)
    left: Written = {}
    save_written(folder, {})
    for path, (version, mode, since) in written.items():
        data, file = session.journal.blobs.get(version), checkout.get(path)
        if data is None or file is None:
            continue
        before = File(data, mode)
        if file == before:
            if time.time() - since < _MOMENTS:
                left[path] = version, mode, since
        elif _is_late(session, path, file, since) and not _is_busy(session, path, since):
            with suppress(Ambiguous, Stale):
                adopt_difference(session, {path: before})
    save_written(folder, left | load_written(folder))


def settle_all_written(root: Path) -> None:
    """Do so for every session of a checkout: a commit of their edits is being made."""
    for name in find_late_sessions(root):
        # Whether it must be recorded, the gate knows.
        with suppress(HkgitError):
            session = EditSession.open(root, name)
            calls = session.journal.load().effective
            agent = calls[-1].agent if calls else session.agent
            settle_written(replace(session, agent=agent))


def _is_busy(session: EditSession, path: str, since: float) -> bool:
    # Most files are not written again.
    from hkgit.agents.parallel_work import find_rivals, has_open_call

    own = session.journal.folder
    return has_open_call(own, [path]) or bool(find_rivals(session, [path], since))


def _is_late(session: EditSession, path: str, file: File, since: float) -> bool:
    """Whether a file was written within moments of an edit, and by no call of the session."""
    try:
        changed = (session.root / path).stat().st_mtime
    except OSError:
        return False
    changes = (
        change
        for call in session.journal.load().calls.values()
        for change in call.changes
        if change.new_path == path
    )
    name = digest(file.data)
    is_known = any(each.after is not None and each.after.sha256 == name for each in changes)
    return changed - since <= _MOMENTS and not is_known
