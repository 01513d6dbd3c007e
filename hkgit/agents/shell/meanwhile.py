"""meanwhile.py: tell what a command did to files from what other sessions did to them meanwhile.

A command does not say what it changes. What has become of a file while it ran is its work where
nobody else was at work then: up to the moment at which another session looked at the file, or from
what another has recorded on. What was changed while commands of two sessions ran is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.aside import read_copy
from hkgit.agents.late_edits import find_last_recorded
from hkgit.agents.overlaps import (
    OwnPart,
    find_worded_part,
    is_work_of,
    list_open_copies,
    list_others,
)
from hkgit.agents.shell.harmless import is_harmless
from hkgit.agents.shell.kept import ABSENT, ShellSnapshot
from hkgit.agents.shell.moves import ShellWork
from hkgit.agents.shell.running import list_running_commands
from hkgit.agents.shell.snapshots import ShellSnapshots
from hkgit.edits import DIRECTORY, File
from hkgit.errors import HkgitError, Stale
from hkgit.git.listing import find_files
from hkgit.git.repository import Repository
from hkgit.sessions.readings.checkout import Checkout
from hkgit.sessions.session import EditSession
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import find_folders
from hkgit.sessions.storage.records import Version
from hkgit.values import dataclass, replace

_UNKNOWN = File(b"", DIRECTORY)


@dataclass(frozen=True, slots=True)
class RivalLook:
    """A file as another session found it, before an edit or a command that is not over yet."""

    folder: Path
    time: int
    file: File | None
    is_edit: bool = False


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """What another session has recorded of a file, in milliseconds since 1970."""

    time: int
    before: File | None
    after: File | None


@dataclass(frozen=True, slots=True)
class Gap:
    """What has become of a file between two moments at which it is known; `until` 0 is now.

    `is_beside` says that another session has recorded what came before it, or after it.
    """

    before: File | None
    after: File | None
    since: int
    until: int = 0
    is_beside: bool = False


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What a command did itself: `whole` is all of it in files that it had for itself.

    Of other files `parts` are its own; `lost` names the session that may have changed the rest.
    """

    whole: ShellWork
    parts: Sequence[OwnPart]
    lost: Mapping[str, str]


def find_own_work(session: EditSession, work: ShellWork, snapshots: ShellSnapshots) -> OwnWork:
    """Find what a command did itself of what was done while it ran."""
    meanwhile = _Meanwhile(session, min(work.since.values()))
    work = snapshots.refresh(work)  # by those that have ended by now, and are no rivals any more
    parts: list[OwnPart] = []
    lost: dict[str, str] = {}
    whole: set[str] = set()
    for path, before in {**work.changed, **work.committed}.items():
        looks, changes = meanwhile.find_looks(path), meanwhile.find_changes(path, work.since[path])
        if not changes and meanwhile.is_recorded(path):
            continue
        if not looks and not changes:
            whole.add(path)
            continue
        end = work.time if path in work.committed else 0
        now = Checkout(session.root).get(path)
        for gap in _list_gaps(before, now, work.since[path], changes):
            own, rival = _judge(session, work.command, path, gap, looks)
            if own is not None:
                time = own.until - 1 if own.until else end
                parts.append(OwnPart({path: own.before}, {path: own.after}, time))
            if rival is not None:
                lost[path] = rival.folder.name
    changed, committed = (
        {path: file for path, file in files.items() if path in whole}
        for files in (work.changed, work.committed)
    )
    return OwnWork(replace(work, changed=changed, committed=committed), parts, lost)


class _Meanwhile:
    """What the sessions of a checkout have done since a time, and what they are doing."""

    def __init__(self, session: EditSession, since: int) -> None:
        self._root = session.root
        self._others = list_others(session)
        # One that ends by now has recorded first what it did: so that is read after this.
        self._running = [
            (folder, each) for folder in self._others for each in list_running_commands(folder)
        ]
        self._editing = [x for x in self._others if find_files(x / "aside", "*-*.json")]
        recent = [each for each in find_folders(session.root) if _is_written(each, since)]
        self._last = find_last_recorded(recent)
        self._journals = [SessionJournal(each) for each in recent if each in self._others]

    def is_recorded(self, path: str) -> bool:
        """Whether a session has recorded a file as it is now."""
        now = Version.of(Checkout(self._root).get(path))
        return path in self._last and self._last[path] == now

    def find_looks(self, path: str) -> list[RivalLook]:
        """Find how the calls of others that are not over have found a file."""
        edits = _list_edit_looks(self._editing, path)
        return [*_list_looks(self._root, self._running, path), *edits]

    def find_changes(self, path: str, since: int) -> list[RecordedChange]:
        """Find what others have recorded of a file since a time, the earliest first."""
        found: list[RecordedChange] = []
        for journal in self._journals:
            with suppress(HkgitError):
                found += _find_recorded(journal, path, since)
        return sorted(found, key=lambda each: each.time)


def _is_written(folder: Path, since: int) -> bool:
    try:
        return (folder / "journal").stat().st_mtime * 1000 >= since
    except OSError:
        return False


def _judge(
    session: EditSession, command: str, path: str, gap: Gap, looks: Sequence[RivalLook]
) -> tuple[Gap | None, RivalLook | None]:
    """Find what of a gap is the command's own, and who may have done the rest."""
    if gap.is_beside and path.rpartition("/")[2] not in command:
        return None, None
    rivals = [
        each
        for each in looks
        if each.file != gap.after and not (gap.until and each.time > gap.until)
    ]
    if not rivals:
        return gap, None
    if is_harmless(command):
        return None, None
    if not gap.until:
        folders = [*dict.fromkeys(each.folder for each in rivals)]
        versions = gap.before, gap.after
        if (part := find_worded_part(command, session, path, versions, folders)) is not None:
            return replace(gap, before=part.before[path], after=part.after[path]), None
        if is_work_of(folders, session, path, *versions):
            return None, None
    first = min(rivals, key=lambda each: each.time)
    is_own = first.time > gap.since and first.file not in (gap.before, _UNKNOWN)
    return replace(gap, after=first.file, until=first.time) if is_own else None, first


def _list_gaps(
    before: File | None, now: File | None, since: int, changes: Sequence[RecordedChange]
) -> Iterator[Gap]:
    """Yield what nobody has recorded of how a file came from `before` to what it is now."""
    file = before
    for change in changes:
        if change.before != file and change.after == file:
            continue  # that was before
        if change.before != file:
            yield Gap(file, change.before, since, change.time, is_beside=True)
        file, since = change.after, change.time
    if file != now:
        yield Gap(file, now, since, is_beside=bool(changes))


def _list_looks(
    root: Path, running: Sequence[tuple[Path, ShellSnapshot]], path: str
) -> Iterator[RivalLook]:
    """Yield how the commands of others that run have found a file."""
    for folder, snapshot in running:
        kept = snapshot.files.get(path)
        if kept is None:
            head = snapshot.head
            file = (
                Repository.discover(root, is_small=True).snapshot(head).get(path) if head else None
            )
            yield RivalLook(folder, snapshot.begun, file)
            continue
        data = SessionJournal(folder).blobs.get(kept.version) if kept.version else None
        is_absent = kept.stamp == ABSENT
        file = None if is_absent else _UNKNOWN if data is None else File(data, kept.mode)
        yield RivalLook(folder, kept.since or snapshot.begun, file)


def _list_edit_looks(others: Sequence[Path], path: str) -> Iterator[RivalLook]:
    """Yield how others have put a file aside for calls that are not over."""
    for folder in others:
        blobs = SessionJournal(folder).blobs
        for place, made in list_open_copies(folder, path):
            with suppress(Stale):
                file = read_copy(place, path, blobs)
                yield RivalLook(folder, int(made * 1000), file, is_edit=True)


def _find_recorded(journal: SessionJournal, path: str, since: int) -> Iterator[RecordedChange]:
    calls = (call for call in journal.load().effective if call.time >= since)
    for change, time in ((change, call.time) for call in calls for change in call.changes):
        if path in (change.path, change.new_path):
            before = change.before if change.path == path else None
            after = change.after if change.new_path == path else None
            yield RecordedChange(time, _load(journal, before), _load(journal, after))


def _load(journal: SessionJournal, version: Version | None) -> File | None:
    data = None if version is None else journal.blobs.get(version.sha256)
    if version is None:
        return None
    return _UNKNOWN if data is None else File(data, version.mode)
