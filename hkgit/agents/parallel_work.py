"""Tell the work of an edit or a command from what other sessions did at the same time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import (
    ABSENT,
    LASTS,
    ShellSnapshot,
    has_command,
    list_running_commands,
)
from hkgit.agents.differences import find_last_recorded
from hkgit.agents.files_before import name_text, read_copy
from hkgit.agents.shell_changes import ShellSnapshots, ShellWork
from hkgit.agents.shown_readings import is_harmless
from hkgit.applying.planner import Options
from hkgit.edits import File, MappingSnapshot, Overlay, Spec
from hkgit.errors import Conflict, HkgitError, Stale
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark, RecordedFile
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.call_plan import plan_call
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import STATE_FILE, find_folders, list_candidates
from hkgit.values import dataclass, replace

Files = Mapping[str, File | None]


@dataclass(frozen=True)
class OwnPart:
    """What one call has made of files: as they were, and as it left them.

    `time` is when, in milliseconds since 1970, where others are known to have gone on; else 0.
    """

    before: Files
    after: Files
    time: int = 0


def find_rivals(session: EditSession, paths: Sequence[str], since: float) -> list[Path]:
    """Find the other sessions that may have changed files since a time, in seconds since 1970.

    Those that have put one aside for a call which is still open, or run a command that names one,
    and those that have recorded a change since, or one that they could not tell.
    """
    return [
        folder
        for folder in list_others(session)
        if has_open_call(folder, paths)
        or has_command(folder, paths)
        or _has_unknown(folder, paths, since)
        or any(True for _ in list_recorded(folder, paths, int(since * 1000)))
    ]


def list_others(session: EditSession) -> list[Path]:
    """List the sessions of other conversations.

    An editor's session of the same conversation reports the same calls.
    """
    own = _name_conversation(session.journal.folder)
    folders = (each for home in list_candidates(session.root) for each in sorted(home.glob("*/")))
    return [each for each in folders if _name_conversation(each) != own]


def find_own_part(
    session: EditSession, spec: Spec, before: Files, rivals: Sequence[Path], since: float
) -> OwnPart | None:
    """Find what a call has made of files that other sessions changed too; None if not exactly."""
    checkout = Checkout(session.root)
    now = {path: checkout.get(path) for path in before}
    after = _plan(spec, checkout, before)
    apart = None if after is None else _take_back(before, after, now)
    if after is None or apart is None or _plan(spec, checkout, apart) != now:
        return None
    later = [
        recorded
        for folder in rivals
        for recorded, change in list_recorded(folder, [*after], int(since * 1000))
        if (path := change.path) and path in after and change.before == mark(after[path])
    ]
    return OwnPart(before, after, min(later) - 1 if later else 0)


def _plan(spec: Spec, checkout: Checkout, files: Files) -> Files | None:
    """What a spec makes of files; None where it does not fit them."""
    try:
        plan = plan_call([spec], Overlay(checkout, files), Options(), (), {}, lambda _: None)
    except HkgitError:
        return None
    return {path: plan.changed.get(path, files[path]) for path in files} if plan.is_ok else None


def _name_conversation(folder: Path) -> str:
    return folder.name.partition("-")[2] or folder.name


def has_open_call(folder: Path, paths: Sequence[str]) -> bool:
    """Whether a session has put one of these files aside for a call that is still open."""
    return any(True for path in paths for _ in list_open_copies(folder, path))


def list_open_copies(folder: Path, path: str) -> Iterator[Path]:
    """Yield what a session has put aside of a file for calls that are still open."""
    since = time.time() - LASTS
    for place in (folder / "aside").glob(f"{name_text(path)}-*.json"):
        with suppress(OSError):
            if place.stat().st_mtime > since:
                yield place


def _has_unknown(folder: Path, paths: Sequence[str], since: float) -> bool:
    unknown = (folder / "aside" / f"{name_text(path)}.unknown" for path in paths)
    return any(each.exists() and each.stat().st_mtime > since for each in unknown)


def list_recorded(
    folder: Path, paths: Sequence[str], since: int
) -> Iterator[tuple[int, RecordedFile]]:
    """Yield what a session has recorded of files since a time, in milliseconds since 1970."""
    try:
        if (folder / STATE_FILE).stat().st_mtime * 1000 < since:
            return
        calls = SessionJournal(folder).load().effective
    except (OSError, HkgitError):
        return
    for call in calls:
        for change in call.changes:
            if call.time > since and {change.path, change.new_path} & {*paths}:
                yield call.time, change


def _take_back(before: Files, after: Files, now: Files) -> Files | None:
    """Take back in files what leads from `before` to `after`; None where it overlaps others."""
    found: dict[str, File | None] = {}
    for path, file in now.items():
        old, new = before[path], after[path]
        if file == new:
            found[path] = old
            continue
        if old is None or new is None or file is None:
            return None
        from hkgit.sessions.undo_calls import put_back, tell_change  # few calls meet in one file

        try:
            back = put_back(tell_change(path, new, path, old), MappingSnapshot({path: file}))
        except Conflict:
            return None
        found[path] = back.after
    return found


@dataclass(frozen=True)
class OwnWork:
    """What a command did itself; `lost` names by path the session that may have done the rest."""

    work: ShellWork
    lost: Mapping[str, str]


def find_own_work(session: EditSession, work: ShellWork, snapshots: ShellSnapshots) -> OwnWork:
    """Find what a command did itself of what was done while it ran."""
    others = list_others(session)
    running = [(each, snapshot) for each in others for snapshot in list_running_commands(each)]
    editing = [each for each in others if find_files(each / "aside", "*-*.json")]
    # One that ends by now has recorded first what it did: so that is read after this.
    since = min(work.since.values())
    last = find_last_recorded(
        each for each in find_folders(session.root) if _is_written(each, since)
    )
    work = snapshots.refresh(work)  # by those that have ended by now, and are no rivals any more
    checkout = Checkout(session.root)
    own: set[str] = set()
    lost: dict[str, str] = {}
    for path, before in {**work.changed, **work.committed}.items():
        now = mark(checkout.get(path))
        recorded = [
            (time, change, folder)
            for folder in others
            for time, change in list_recorded(folder, [path], work.since[path] - 1)
        ]
        recorded.sort(key=lambda each: each[0])
        if recorded:
            if not _leads(mark(before), now, path, [change for _, change, _ in recorded]):
                lost[path] = recorded[0][2].name
        elif path in last and last[path] == now:
            continue  # a call of this session, or what others did before
        elif rival := _find_rival(session.root, path, now, running, editing):
            if not is_harmless(work.command):
                lost[path] = rival.name
        else:
            own.add(path)
    changed, committed = (
        {path: file for path, file in files.items() if path in own}
        for files in (work.changed, work.committed)
    )
    return OwnWork(replace(work, changed=changed, committed=committed), lost)


def _is_written(folder: Path, since: int) -> bool:
    try:
        return (folder / STATE_FILE).stat().st_mtime * 1000 >= since
    except OSError:
        return False


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
    root: Path,
    path: str,
    now: FileMark | None,
    running: Sequence[tuple[Path, ShellSnapshot]],
    editing: Sequence[Path],
) -> Path | None:
    """Find a session whose call is not over and has found a file otherwise than it is now."""
    for folder, snapshot in running:
        if _find_kept(root, snapshot, path) != now:
            return folder
    for folder in editing:
        if any(mark(file) != now for file in _list_copies(folder, path)):
            return folder
    return None


def _find_kept(root: Path, snapshot: ShellSnapshot, path: str) -> FileMark | str | None:
    """How a command of another session has found a file; "" where that is not known."""
    kept = snapshot.files.get(path)
    if kept is not None:
        known = "" if kept.version is None else FileMark(kept.mode, kept.version)
        return None if kept.stamp == ABSENT else known
    if snapshot.head is None:
        return None
    return mark(Repository.discover(root, is_small=True).snapshot(snapshot.head).get(path))


def _list_copies(folder: Path, path: str) -> Iterator[File | None]:
    for place in list_open_copies(folder, path):
        with suppress(Stale):
            yield read_copy(place, path, SessionJournal(folder).blobs)
