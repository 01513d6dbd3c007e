"""Tell the work of a call from what other sessions did at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.begun_calls import BegunCall, list_rivals, may_change
from hkgit.agents.events import Shell
from hkgit.agents.shell_changes import ShellWork, refresh
from hkgit.errors import HkgitError
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark, RecordedFile
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import STATE_FILE, find_folders, list_candidates
from hkgit.values import replace


def find_rivals(session: EditSession, paths: Sequence[str], since: int) -> list[Path]:
    """Find the other sessions that may have changed files since a time, in ms since 1970.

    Those with an open call that may change one, and those that have recorded a change since.
    """
    return [
        folder
        for folder in _list_others(session)
        if any(may_change(each, paths) for each in list_rivals(folder))
        or any({each.path, each.new_path} & {*paths} for _, each in list_recorded(folder, since))
    ]


def _list_others(session: EditSession) -> list[Path]:
    """List the sessions of other conversations.

    An editor's session of the same conversation reports the same calls.
    """
    own = _name_conversation(session.journal.folder)
    folders = (each for home in list_candidates(session.root) for each in sorted(home.glob("*/")))
    return [each for each in folders if _name_conversation(each) != own]


def _name_conversation(folder: Path) -> str:
    return folder.name.partition("-")[2] or folder.name


def list_recorded(folder: Path, since: int = 0) -> Iterator[tuple[JournaledCall, RecordedFile]]:
    """Yield what calls of a session have changed that it has recorded since a time, in ms."""
    if not _is_written(folder, since):
        return
    try:
        calls = SessionJournal(folder).load().effective
    except (OSError, HkgitError):
        return
    for call in calls:
        if call.time > since:
            yield from ((call, change) for change in call.changes)


def find_last_recorded(
    folders: Iterable[Path], since: int = 0
) -> dict[str | None, FileMark | None]:
    """Find what the sessions that have recorded anything since a time have recorded last."""
    written = (each for each in folders if _is_written(each, since))
    found = [each for folder in written for each in list_recorded(folder)]
    found.sort(key=lambda each: each[0].time)
    return {change.new_path or change.path: change.after for _, change in found}


def _is_written(folder: Path, since: int) -> bool:
    try:
        return (folder / STATE_FILE).stat().st_mtime * 1000 >= since
    except OSError:
        return False


def find_own_work(
    session: EditSession, work: ShellWork, call: BegunCall
) -> tuple[ShellWork, Mapping[str, str]]:
    """Find what a command did itself of what was done while it ran.

    Names by their paths the files that another session may have changed, with that session.
    """
    others = _list_others(session)
    rivals = [each for folder in others for each in list_rivals(folder)]
    # One that ends by now has recorded first what it did: so that is read after this.
    since = min(work.since.values())
    last = find_last_recorded(find_folders(session.root), since)
    work = refresh(work, call)  # by those that have ended by now, and are no rivals any more
    checkout = Checkout(session.root)
    own: set[str] = set()
    lost: dict[str, str] = {}
    for path, before in {**work.changed, **work.committed}.items():
        now = mark(checkout.get(path))
        recorded = [
            (made.time, change, folder)
            for folder in others
            for made, change in list_recorded(folder, work.since[path] - 1)
            if path in (change.path, change.new_path)
        ]
        recorded.sort(key=lambda each: each[0])
        if recorded:
            if not _leads(mark(before), now, path, [change for _, change, _ in recorded]):
                lost[path] = recorded[0][2].name
        elif path in last and last[path] == now:
            continue  # a call of this session, or what others did before
        elif rival := _find_rival(session.root, path, now, rivals):
            lost[path] = rival.folder.name
        else:
            own.add(path)
    changed, committed = (
        {path: file for path, file in files.items() if path in own}
        for files in (work.changed, work.committed)
    )
    return replace(work, changed=changed, committed=committed), lost


def _leads(
    file: FileMark | None, now: FileMark | None, path: str, changes: Sequence[RecordedFile]
) -> bool:
    """Whether what others have recorded of a file leads from one version to another."""
    for change in changes:
        before = change.before if change.path == path else None
        after = change.after if change.new_path == path else None
        if before == file:
            file = after
        elif after != file:
            return False
    return file == now


def _find_rival(
    root: Path, path: str, now: FileMark | None, rivals: Sequence[BegunCall]
) -> BegunCall | None:
    """Find a call that is not over and has found a file otherwise than it is now."""
    for each in rivals:
        found: FileMark | str | None = now
        if path in each.files:
            found = each.files[path].mark
        elif isinstance(each.did, Shell):  # it has found it as it was in its commit
            repository = Repository.discover(root)
            found = None if each.head is None else mark(repository.snapshot(each.head).get(path))
        if found != now:
            return each
    return None
