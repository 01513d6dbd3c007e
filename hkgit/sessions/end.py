"""Remove sessions: by command, by age, or when hkgit is removed from the repository.

Only state is removed: receipts, versions, the journal. No file of the checkout changes.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.errors import GitRefused, HkgitError, InvalidInput
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.homes import (
    EXPIRY,
    find_folders,
    find_unused,
    list_candidates,
    lock_sessions,
    read_last_use,
)
from hkgit.sessions.waiting_edits import find_awaiting, is_unread
from hkgit.values import dataclass


@dataclass(frozen=True)
class SessionState:
    """One session: who used it when, how much it holds, and how many edits wait for a commit.

    Fields have the names that they have in the document (`hkgit schema sessions`). Times are in
    seconds since 1970; `expires` is None as long as an edit waits. `damage` says why a journal
    cannot be read.
    """

    session: str
    last_used: int
    agents: tuple[str, ...] = ()
    call_count: int = 0
    waiting: int = 0
    waiting_blind: int = 0
    expires: int | None = None
    damage: str | None = None


def list_sessions(repository: Repository, root: Path) -> list[SessionState]:
    """List every session of a checkout, by name."""
    damaged: list[SessionState] = []
    journals: list[SessionJournal] = []
    for folder in find_folders(root):
        try:
            (journal := SessionJournal(folder)).load()
            journals.append(journal)
        except GitRefused as error:
            last = int(read_last_use(folder))
            damaged.append(SessionState(folder.name, last, damage=error.what))
    states = [*damaged, *_describe(repository, root, journals)]
    return sorted(states, key=lambda state: state.session)


def clean(
    repository: Repository, root: Path, names: Collection[str], *, force: bool, dry_run: bool
) -> tuple[list[SessionState], list[SessionState]]:
    """Remove sessions, all or those named; answers with those that went and those that stay.

    Those of which an edit waits, or whose journal is damaged, stay unless `force` says otherwise.
    Raises InvalidInput for a name that is none.
    """
    for name in names:
        _open_named(root, name)
    gone: list[SessionState] = []
    kept: list[SessionState] = []
    for state in list_sessions(repository, root):
        if names and state.session not in names:
            continue
        stays = state.waiting or state.damage is not None
        (gone if force or not stays else kept).append(state)
    for state in () if dry_run else gone:
        folder = _open_named(root, state.session).folder
        with lock_sessions(folder.parent):
            shutil.rmtree(folder, ignore_errors=True)
    _tidy(root)
    return gone, kept


def expire(root: Path) -> list[str]:
    """Remove the sessions that nobody used for long; answers with their names."""
    old = find_unused(root)
    try:
        repository = Repository.discover(root) if old else None
    except HkgitError:  # a checkout whose repository cannot be opened keeps what it has
        repository = None
    if repository is None:
        return []
    waits = {
        unit.key[0]
        for unit in find_awaiting(repository, root, [SessionJournal(each) for each in old])
    }
    gone = [folder for folder in old if folder.name not in waits]
    for folder in gone:
        with lock_sessions(folder.parent):
            if folder in find_unused(root):
                shutil.rmtree(folder, ignore_errors=True)
    return [folder.name for folder in gone]


def list_homes(repository: Repository) -> Iterator[Path]:
    """List every directory that may hold sessions of a repository's checkouts, each once."""
    homes = [] if repository.work_tree is None else [*list_candidates(repository.work_tree)]
    homes.append(repository.common_dir / "hkgit" / "sessions")
    homes += find_files(repository.common_dir / "worktrees", "*/hkgit/sessions")
    yield from dict.fromkeys(home.resolve() for home in homes)


def _describe(
    repository: Repository, root: Path, journals: Sequence[SessionJournal]
) -> list[SessionState]:
    """Describe sessions, with how many edits of each wait."""
    units = find_awaiting(repository, root, journals)
    waiting = Counter(unit.key[0] for unit in units)
    blind = Counter(unit.key[0] for unit in units if is_unread(unit.entry, unit.number))
    states = []
    for journal in journals:
        name, last, calls = (
            journal.folder.name,
            int(read_last_use(journal.folder)),
            journal.standing,
        )
        states.append(
            SessionState(
                session=name,
                last_used=last,
                agents=tuple(dict.fromkeys(call.agent for call in calls)),
                call_count=len(calls),
                waiting=waiting[name],
                waiting_blind=blind[name],
                expires=None if waiting[name] else last + EXPIRY,
            )
        )
    return states


def _open_named(root: Path, name: str) -> SessionJournal:
    for folder in find_folders(root):
        if folder.name == name:
            return SessionJournal(folder)
    raise refuse_missing_session(name)


def refuse_missing_session(name: str) -> InvalidInput:
    """Build the error for a name that no session has."""
    fix = "hkgit session list shows the sessions."
    return InvalidInput(f"session {name}", "is not a session of this checkout", fix)


def _tidy(root: Path) -> None:
    """Take away the directories that hold no session any more."""
    if find_folders(root):
        return
    for home in list_candidates(root):
        if home.is_dir() and {each.name for each in find_files(home, "*")} <= {".waiting"}:
            (home / ".waiting").unlink(missing_ok=True)
            with suppress(OSError):
                home.rmdir()
                home.parent.rmdir()
