"""Leave out of a command's work what another session may have done meanwhile.

A command does not say what it changes. What has become of a file while it ran is its work where no
other session was at work on it; what others have recorded step by step is theirs. The rest is
nobody's, and told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.begun_calls import ABSENT, ShellSnapshot, list_running_commands
from hkgit.agents.files_before import read_copy
from hkgit.agents.late_edits import find_last_recorded
from hkgit.agents.overlaps import list_open_copies, list_others, list_recorded
from hkgit.agents.shell_changes import ShellSnapshots, ShellWork
from hkgit.agents.shell_words import is_harmless
from hkgit.edits import File
from hkgit.errors import Stale
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark, RecordedFile
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import STATE_FILE, find_folders
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
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
