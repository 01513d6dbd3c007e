"""refusals.py: record refused calls, and the conflicts that they met, for the next try."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.errors import Conflict, HkgitError, InvalidInput, Stale
from hkgit.evidence.refusals import RefusalLog, note_unread
from hkgit.sessions.drafting import CallPlan
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import find_git_dir


def note_refused(
    root: Path, plan: CallPlan, agent: str, journal: SessionJournal | None
) -> tuple[str, ...]:
    """Record what was refused, and the conflicts with others; return what to say of these.

    `journal` is that of the session, if the call has one.
    """
    _note_refusals(root, plan, agent)
    if {Stale.status, Conflict.status}.isdisjoint(each.status for each in plan.outcomes):
        return ()
    return _note_conflicts(root, plan, agent, journal)


def _note_refusals(root: Path, plan: CallPlan, agent: str) -> None:
    """Keep what was refused, in the clone's own record."""
    log = find_log(root)
    if log is None:
        return
    refused = ((each.path, each.status, each.error.what) for each in plan.outcomes if each.error)
    with suppress(OSError):  # nobody's edit is refused for want of a record
        log.note(agent, "edit", int(time.time()), refused)


def note_unread_spec(root: Path, agent: str, call: str, error: InvalidInput) -> None:
    """Keep a spec that cannot be read, in the clone's own record."""
    log = find_log(root)
    if log is not None:
        note_unread(log, agent, call, error)


def find_log(root: Path) -> RefusalLog | None:
    """Find the record of a checkout's clone; None without a repository."""
    git_dir = find_git_dir(root)
    return None if git_dir is None else RefusalLog.of_git_dir(git_dir)


def _note_conflicts(
    root: Path, plan: CallPlan, agent: str, journal: SessionJournal | None
) -> tuple[str, ...]:
    # Few refusals are conflicts, and these open the repository.
    from hkgit.gate.conflicts.noting import RefusedSpec
    from hkgit.gate.conflicts.tracking import note_tried
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
        tip = repository.head().commit
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    if tip is None:
        return ()
    last = plan.steps[-1]
    tried = RefusedSpec(
        last.spec,
        last.plan.outcomes,
        reads=last.reads,
        agent=agent,
        base=None,
        tip=tip,
        files=plan.series.files,
        earlier=lambda path: () if journal is None else _versions(journal, path),
    )
    return tuple(note_tried(repository, tried))


def _versions(journal: SessionJournal, path: str) -> Iterator[bytes]:
    """The versions of a file that the session has read, or found before a call."""
    known = journal.state.known.get(path)
    changes = (each for call in journal.state.calls.values() for each in call.changes)
    before = [each.before for each in changes if each.path == path]
    names = [] if known is None else [known.version]
    for name in dict.fromkeys([*names, *(each.sha256 for each in before if each is not None)]):
        data = journal.blobs.get(name)
        if data is not None:
            yield data
