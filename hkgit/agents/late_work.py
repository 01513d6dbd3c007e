"""Take in late what no hook has told in time.

Hooks of an edit may have been stopped. A formatter may write a file after hkgit has recorded the
edit: what comes within moments of an edit is the formatter's; what comes later, a person's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import (
    LASTS,
    OVERDUE,
    BegunCall,
    Files,
    list_calls,
    renew_calls,
)
from hkgit.agents.events import Editing
from hkgit.agents.intake import adopt_difference, adopt_edit
from hkgit.agents.parallel_work import find_rivals
from hkgit.agents.specs import paths_of, spec_of
from hkgit.edits import File
from hkgit.errors import Ambiguous, HkgitError, Stale
from hkgit.sessions.blobs import (
    Written,
    find_late_sessions,
    find_open_sessions,
    load_written,
    save_written,
)
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.text.hashes import digest
from hkgit.values import replace

_MOMENTS = 3.0
"""Seconds within which a formatter has written."""


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
    """Whether a call of the session has a file open, or another session may have changed it."""
    own = list_calls(session.journal.folder, "open", "untold", "file")
    is_open = any(path in each.files and each.age < LASTS for each in own)
    return is_open or bool(find_rivals(session, [path], int(since * 1000)))


def _is_late(session: EditSession, path: str, file: File, since: float) -> bool:
    """Whether a file was written within moments of an edit, and by no call of the session."""
    try:
        changed = (session.root / path).stat().st_mtime
    except OSError:
        return False
    changes = (
        change
        for call in session.journal.load().calls
        for change in call.changes
        if change.new_path == path
    )
    name = digest(file.data)
    is_known = any(each.after is not None and each.after.sha256 == name for each in changes)
    return changed - since <= _MOMENTS and not is_known


def settle_missed_edits(session: EditSession, least_age: float = OVERDUE) -> list[str]:
    """Record what hooks have missed of a session's edits; the paths of what was recorded."""
    recorded: list[str] = []
    for each in list_calls(session.journal.folder, "open"):
        if each.age >= least_age:
            with suppress(HkgitError):
                recorded += _settle(session, each)
            if each.age > LASTS:
                each.end()
    return recorded


def settle_all_missed_edits(root: Path) -> list[str]:
    """Do so for every session of a checkout: a commit of their edits is being made."""
    recorded: list[str] = []
    for folder in find_open_sessions(root):
        with suppress(HkgitError):
            agent = folder.name.partition("-")[0]
            session = EditSession.open(root, folder.name, agent=agent)
            recorded += settle_missed_edits(session, 0)
    return recorded


def _settle(session: EditSession, begun: BegunCall) -> Iterator[str]:
    assert isinstance(begun.did, Editing), "only these are listed"
    checkout, spec = Checkout(session.root), spec_of(begun.did, session.root, begun.directory)
    before: Files = {path: begun.restore(path) for path in paths_of(spec)}
    after = {path: checkout.get(path) for path in before}
    if after != before and adopt_edit(session, spec, before) is not None:
        begun.end()
        renew_calls(session.root, session.journal.folder, before, after)
        yield from before
