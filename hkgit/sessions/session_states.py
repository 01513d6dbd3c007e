"""What state sessions are in, and their end: by command, by age, or with hkgit itself.

Only state is removed: receipts, versions, the journal. No file of the checkout changes. Fields have
the names that they have in the documents (`hkgit schema sessions` and `status`).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from hkgit.edits import Read, Snapshot
from hkgit.errors import GitRefused, HkgitError, InvalidInput
from hkgit.evidence.claims import mark
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.homes import (
    EXPIRY,
    LOST,
    WAITING,
    find_folders,
    find_unused,
    list_candidates,
    lock_sessions,
    read_last_use,
)
from hkgit.sessions.waiting_edits import find_awaiting, find_effective
from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import JsonObject
from hkgit.values import asdict, dataclass


@dataclass(frozen=True)
class SessionState:
    """One session: who used it when, how much it holds, and how many edits wait for a commit.

    Times are in seconds since 1970; `expires` is None as long as an edit waits. `damage` says why a
    journal cannot be read.
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
    states: list[SessionState] = []
    journals: list[SessionJournal] = []
    for folder in find_folders(root):
        try:
            journals.append(SessionJournal(folder).load())
        except GitRefused as error:
            last = int(read_last_use(folder))
            states.append(SessionState(folder.name, last, damage=error.what))
    units = find_awaiting(repository, journals)
    waiting = Counter(unit.key[0] for unit in units)
    blind = Counter(unit.key[0] for unit in units if unit.is_unread)
    for journal in journals:
        name, last = journal.folder.name, int(read_last_use(journal.folder))
        agents = dict.fromkeys(call.agent for call in journal.standing)
        state = SessionState(
            session=name,
            last_used=last,
            agents=tuple(agents),
            call_count=len(journal.standing),
            waiting=waiting[name],
            waiting_blind=blind[name],
            expires=None if waiting[name] else last + EXPIRY,
        )
        states.append(state)
    return sorted(states, key=lambda state: state.session)


def clean(
    repository: Repository, root: Path, names: Collection[str], *, force: bool, dry_run: bool
) -> tuple[list[SessionState], list[SessionState]]:
    """Remove sessions, all or those named; answers with those that went and those that stay.

    Those of which an edit waits, or whose journal is damaged, stay unless `force` says otherwise.
    Raises InvalidInput for a name that is none.
    """
    states = list_sessions(repository, root)
    asked = [find_state(states, name) for name in names] or states
    kept = [each for each in asked if not force and (each.waiting or each.damage is not None)]
    gone = [each for each in asked if each not in kept]
    old = {each.session for each in gone if not dry_run}
    for folder in (each for each in find_folders(root) if each.name in old):
        with lock_sessions(folder.parent):
            shutil.rmtree(folder, ignore_errors=True)
    _tidy(root)
    return gone, kept


def find_state(states: Iterable[SessionState], name: str) -> SessionState:
    """Find the state of one session. Raises InvalidInput for a name that none has."""
    for state in states:
        if state.session == name:
            return state
    fix = "hkgit session list shows the sessions."
    raise InvalidInput(f"session {name}", "is not a session of this checkout", fix)


def expire(root: Path) -> None:
    """Remove the sessions that nobody used for long and of which no edit waits."""
    try:
        repository = Repository.discover(root)
    except HkgitError:  # a checkout whose repository cannot be opened keeps what it has
        return
    old = find_unused(root)
    awaiting = find_awaiting(repository, [*map(SessionJournal, old)])
    waits = {unit.key[0] for unit in awaiting}
    for folder in (each for each in old if each.name not in waits):
        with lock_sessions(folder.parent):
            if folder in find_unused(root):
                shutil.rmtree(folder, ignore_errors=True)


def list_homes(repository: Repository) -> Iterator[Path]:
    """List every directory that may hold sessions of a repository's checkouts, each once."""
    homes = [] if repository.work_tree is None else [*list_candidates(repository.work_tree)]
    homes.append(repository.common_dir / "hkgit" / "sessions")
    homes += find_files(repository.common_dir / "worktrees", "*/hkgit/sessions")
    yield from dict.fromkeys(home.resolve() for home in homes)


def _tidy(root: Path) -> None:
    """Take away the directories that hold no session any more."""
    if find_folders(root):
        return
    for home in list_candidates(root):
        if home.is_dir() and {each.name for each in find_files(home, "*")} <= {WAITING, LOST}:
            (home / WAITING).unlink(missing_ok=True)
            (home / LOST).unlink(missing_ok=True)
            with suppress(OSError):
                home.rmdir()
                home.parent.rmdir()


@dataclass(frozen=True)
class CallStatus:
    """One call: its edits and files, and how many edits are blind or in a commit already."""

    call: str
    time: int
    agent: str
    edits: int
    blind: int
    committed: int
    files: tuple[str, ...]
    undone: bool


@dataclass(frozen=True)
class Status:
    """A session: its calls, the receipts that hold now, and edits not in a commit yet.

    `coverage` is the share of uncommitted edits that have evidence, in [0, 1]; None without any.
    """

    session: str
    calls: tuple[CallStatus, ...]
    receipts: tuple[Read, ...]
    uncommitted: int
    blind: int
    coverage: float | None

    @property
    def document(self) -> JsonObject:
        """It as JSON."""
        document: JsonObject = asdict(self)
        for each in document["calls"]:
            each["files"] = [*map(to_json_text, each["files"])]
        for each in document["receipts"]:
            each["path"] = to_json_text(each["path"])
            del each["kind"]
        return document


def collect_status(session: str, journal: SessionJournal, files: Snapshot) -> Status:
    """Collect the status of a session; edits gone from the checkout wait for no commit."""
    undone, done = journal.undone, journal.committed
    left = [unit for unit in find_effective(files, journal.units) if unit.id not in done]
    # A file that is back where its first edit found it has nothing for a commit.
    first = dict(each for unit in reversed(left) for each in unit.entry.needs)
    changed = {path for path, before in first.items() if mark(files.get(path)) != before}
    waiting = [unit.is_unread for unit in left if not changed.isdisjoint(unit.paths)]
    # What HEAD has is git's.
    gone = (call for call in journal.calls if call.id in undone and not call.undoes)
    calls = sorted([*gone, *journal.standing], key=lambda call: call.id)
    return Status(
        session=session,
        calls=tuple(_describe_call(journal, each, undone) for each in calls),
        receipts=tuple(_list_receipts(journal, files)),
        uncommitted=len(waiting),
        blind=sum(waiting),
        coverage=1 - sum(waiting) / len(waiting) if waiting else None,
    )


def _list_receipts(journal: SessionJournal, files: Snapshot) -> Iterator[Read]:
    """List the receipts of a session that hold for files as they are."""
    kept = journal.blobs.get
    for path, known in sorted(journal.knowledge.merge(kept).items()):
        file = files.get(path)
        if file is not None:
            yield from known.receipts(path, file.data, kept)


def _describe_call(
    journal: SessionJournal, call: JournaledCall, undone: Collection[int]
) -> CallStatus:
    blind = [unit.is_unread for unit in journal.list_units(call)]
    return CallStatus(
        call=str(call.id),
        time=call.time // 1000,
        agent=call.agent,
        edits=len(blind),
        blind=sum(blind),
        committed=sum(key[0] == call.id for key in journal.committed),
        files=tuple(call.states()),
        undone=call.id in undone,
    )
