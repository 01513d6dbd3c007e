"""Record late the edits of an agent whose hooks were stopped before they told.

Such an edit counts where it leads from the file as it was to exactly what stands there now: then
it is what was done. Anything else may be a person's work, and is left to the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import LASTS, BegunCall, list_begun
from hkgit.agents.events import Editing, LateEdit
from hkgit.agents.files_before import PutAside
from hkgit.agents.late_edits import find_versions_before, holds_already
from hkgit.agents.setup.settings import HOOK_SECONDS
from hkgit.agents.specs import find_touched_paths, spec_of
from hkgit.edits import File, Spec
from hkgit.errors import HkgitError, Stale
from hkgit.sessions.answers import EditReport
from hkgit.sessions.blobs import find_open_sessions
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout

OVERDUE = HOOK_SECONDS + 2.0
"""Seconds after which no hook tells of an edit any more, unless a person is asked before it."""


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
    fix = "It is recorded by no session; the gate says so at the commit."
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
    """Record an edit if it leads from those files to what stands there now."""
    try:
        answer = session.adopt(spec, before)
    except Stale:
        return None
    return answer if answer.ok else None
