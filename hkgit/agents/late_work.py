"""Take in late what no hook has told in time.

Hooks of an edit may have been stopped, or an agent reports it when the next one is made already. A
formatter may write a file after hkgit has recorded the edit: what comes within moments of an edit
is the formatter's; what comes later, a person's.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import LASTS, OVERDUE, BegunCall, list_begun
from hkgit.agents.differences import (
    adopt_difference,
    find_last_recorded,
    list_recorded_changes,
)
from hkgit.agents.events import Editing, LateEdit
from hkgit.agents.files_before import PutAside
from hkgit.agents.shell_changes import find_head
from hkgit.agents.specs import find_touched_paths, spec_of
from hkgit.edits import File, Spec, encode_text
from hkgit.errors import Ambiguous, HkgitError, Stale
from hkgit.evidence.claims import mark
from hkgit.sessions.answers import EditReport
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


Guess = tuple[File | None, bool]
"""What a file may have been, None for no file; and whether, if the edit fits it, it surely was."""


def find_versions_before(
    did: LateEdit, path: str, session: EditSession, aside: PutAside
) -> Iterator[Guess]:
    """Find what a file may have been, the likeliest first; at last once more to be sure of."""
    now = Checkout(session.root).get(path)
    try:
        kept = aside.get(path, did.edit.text)
    except Stale:
        kept = None
    if kept is not None and kept.data and kept != now:  # one that is being written may be empty
        yield kept, True
    guesses = [file for file in _guess(did, path, now, session) if file != now]
    yield from ((file, False) for file in guesses)
    yield from ((file, True) for file in guesses)


def _guess(
    did: LateEdit, path: str, now: File | None, session: EditSession
) -> Iterator[File | None]:
    back = None if now is None else _take_back(now.data, did.replaced)
    if now is not None and back is not None:
        yield File(back, now.mode)
    known = session.journal.load().state.known.get(path)
    data = None if known is None else session.journal.blobs.get(known.version)
    if data is not None:
        yield File(data) if now is None else File(data, now.mode)
    head = find_head(session.root)
    yield None if head is None else head.get(path)


def _take_back(data: bytes, replaced: Iterable[tuple[str, str]]) -> bytes | None:
    """A file with old texts in place of the new ones; None where that is no single place."""
    for old, new in reversed([*replaced]):
        if data.count(encode_text(new)) != 1:
            return None
        data = data.replace(encode_text(new), encode_text(old))
    return data


def holds_already(paths: Iterable[str], root: Path, folders: Iterable[Path]) -> bool:
    """Whether what is in the checkout is what sessions have recorded last of each path."""
    checkout, last = Checkout(root), find_last_recorded(folders)
    return all(path in last and last[path] == mark(checkout.get(path)) for path in paths)


def holds_difference(path: str, session: EditSession) -> bool:
    """Whether the session has taken in all that became of a file, as a difference."""
    changes = [each for each in list_recorded_changes(session.journal.folder) if each[0] == path]
    if not changes:
        return False
    _, after, dialect, _ = changes[-1]
    return dialect == "unified-diff" and after == mark(Checkout(session.root).get(path))


def settle_missed_edits(session: EditSession, least_age: float = OVERDUE) -> list[str]:
    """Record what hooks have missed of a session's edits; the paths of what was recorded."""
    recorded: list[str] = []
    for each in [*list_begun(session.journal.folder)]:
        if not isinstance(each.did, Editing) or each.age < least_age:
            continue
        with suppress(HkgitError):
            recorded += _settle(session, each, each.did)
        if each.age > LASTS:
            each.note.unlink(missing_ok=True)
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


def take_unseen_edit(edit: Editing, session: EditSession, directory: Path) -> EditReport | None:
    """Record an edit that no hook has told of before it was made. Raises Stale where it fits none.

    None where it is recorded already.
    """
    spec = spec_of(edit, session.root, directory)
    paths = find_touched_paths(edit, session.root, directory)
    if holds_already(paths, session.root, [session.journal.folder]):
        return None
    aside = PutAside(session.journal.folder, session.journal.blobs)
    [path] = paths if len(paths) == 1 else [""]
    guesses = find_versions_before(LateEdit(edit, path), path, session, aside) if path else ()
    for file, _ in guesses:
        if (answer := _adopt(session, spec, {path: file})) is not None:
            return answer
    fix = "It is not recorded in any session; the gate will say so at the commit."
    raise Stale(", ".join(paths), "was changed before hkgit could see how it was", fix)


def _settle(session: EditSession, begun: BegunCall, edit: Editing) -> Iterator[str]:
    checkout = Checkout(session.root)
    aside = PutAside(session.journal.folder, session.journal.blobs)
    spec = spec_of(edit, session.root, begun.directory)
    paths = find_touched_paths(edit, session.root, begun.directory)
    before = {path: aside.get(path, edit.text) for path in paths}
    if all(checkout.get(path) == file for path, file in before.items()):
        return
    if _adopt(session, spec, before) is None:
        return
    begun.note.unlink(missing_ok=True)
    for path in paths:
        aside.drop(path, edit.text)
        aside.renew(path, checkout.get(path), before[path])
    yield from paths


def _adopt(
    session: EditSession, spec: Spec, before: Mapping[str, File | None]
) -> EditReport | None:
    """Record an edit if it leads from those files to what is there now."""
    try:
        answer = session.adopt(spec, before)
    except Stale:
        return None
    return answer if answer.ok else None
