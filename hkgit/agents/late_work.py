"""Take in late what no hook has told in time.

Hooks of an edit may have been stopped. A formatter may write a file after hkgit has recorded the
edit: what comes within moments of an edit is the formatter's; what comes later, a person's.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import LASTS, OVERDUE, BegunCall, list_calls
from hkgit.agents.events import Editing
from hkgit.agents.intake import adopt_difference, adopt_edit
from hkgit.agents.parallel_work import find_rival, find_start, has_changed
from hkgit.agents.specs import spec_of
from hkgit.edits import File
from hkgit.errors import Ambiguous, HkgitError, Stale
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import find_unsettled
from hkgit.text.hashes import digest
from hkgit.values import replace

_MOMENTS = 3.0
"""Seconds within which a formatter has written."""


def settle_left(session: EditSession) -> None:
    """Take in what formatters have written since calls have left files.

    Nothing of files that a call is changing, nor of those that another session has changed since:
    it may have been that one's formatter. Raises HkgitError where it cannot be recorded.
    """
    for call in list_calls(session.journal.folder, "left"):
        try:
            for path in call.files:
                with suppress(Ambiguous, Stale):
                    _settle_formatter(session, call, path)
        finally:
            if call.age > _MOMENTS:
                call.end()


def _settle_formatter(session: EditSession, call: BegunCall, path: str) -> None:
    before, since = find_start(session.root, call, [path])
    file = Checkout(session.root).get(path)
    if file in (None, before[path]) or before[path] is None:
        return
    if _is_late(session, path, file, since) and not _is_busy(session, path, since):
        adopt_difference(session, before)


def _is_busy(session: EditSession, path: str, since: int) -> bool:
    """Whether a call of the session has a file open, or another session may have changed it."""
    own = list_calls(session.journal.folder, "open", "untold", "file")
    is_open = any(path in each.files and each.age < LASTS for each in own)
    return is_open or find_rival(session.root, session.journal.folder, [path], since) is not None


def _is_late(session: EditSession, path: str, file: File, since: int) -> bool:
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
    return changed - since / 1000 <= _MOMENTS and not is_known


def settle_missed_edits(session: EditSession, least_age: float = OVERDUE) -> None:
    """Record edits of a session whose hooks were stopped, if their words lead to what is there."""
    for call in list_calls(session.journal.folder, "open"):
        if call.age >= least_age:
            with suppress(HkgitError):
                _settle_edit(session, call)
            if call.age > LASTS:
                call.end()


def _settle_edit(session: EditSession, call: BegunCall) -> None:
    assert isinstance(call.did, Editing), "only these are listed"
    before, _ = find_start(session.root, call, call.files)
    spec = spec_of(call.did, session.root, call.directory)
    if has_changed(session.root, call) and adopt_edit(session, spec, before) is not None:
        call.end()


def settle_all(root: Path) -> None:
    """Do both for every session of a checkout: a commit of their edits is being made."""
    for folder in find_unsettled(root):
        # Whether it must be recorded, the gate knows.
        with suppress(HkgitError):
            session = EditSession.open(root, folder.name, agent=folder.name.partition("-")[0])
            settle_missed_edits(session, 0)
            calls = session.journal.load().effective
            settle_left(replace(session, agent=calls[-1].agent) if calls else session)
