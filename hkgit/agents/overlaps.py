"""overlaps.py: tell what an edit did to a file from what other sessions did to it meanwhile.

Two agents may write one file before the hook of either runs. Then what stands there is more than
the words of one call explain. Of the versions that the calls lead to, those count that lead to
exactly what stands there; the rest is left to the hooks of the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.aside import name_text
from hkgit.agents.rival_calls import (
    Files,
    RivalCall,
    find_way,
    list_reachable,
    list_rival_calls,
    make_by_command,
    make_by_spec,
)
from hkgit.agents.shell.running import has_command
from hkgit.edits import File, Spec
from hkgit.errors import HkgitError
from hkgit.sessions.readings.checkout import Checkout
from hkgit.sessions.session import EditSession
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.paths import list_candidates
from hkgit.text.diff import find_changes
from hkgit.text.document import split_raw
from hkgit.values import dataclass

_OPEN = 120.0
"""Seconds after which a call that has not reported its end is taken to have failed."""


@dataclass(frozen=True, slots=True)
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
        or _has_recorded(folder, paths, since)
    ]


def list_others(session: EditSession) -> list[Path]:
    """List the sessions of other conversations.

    An editor's session of the same conversation tells of the same calls.
    """
    own = _name_conversation(session.journal.folder)
    folders = (each for home in list_candidates(session.root) for each in sorted(home.glob("*/")))
    return [each for each in folders if _name_conversation(each) != own]


def is_work_of(
    others: Sequence[Path], session: EditSession, path: str, before: File | None, after: File | None
) -> bool:
    """Whether the words of calls of other sessions lead exactly from a file to what it became."""
    steps = [*list_rival_calls(others, session.root, Checkout(session.root), (path,))]
    return find_way({path: before}, {path: after}, steps) is not None


def find_own_part(
    session: EditSession, spec: Spec, before: Files, rivals: Sequence[Path]
) -> OwnPart | None:
    """Find what a call has made of files that other sessions changed too; None if not exactly."""
    checkout = Checkout(session.root)
    now = {path: checkout.get(path) for path in before}
    steps = [*list_rival_calls(rivals, session.root, checkout, tuple(before))]
    return _find_part(make_by_spec(spec, checkout), before, now, steps, is_all=True)


def find_worded_part(
    command: str,
    session: EditSession,
    path: str,
    gap: tuple[File | None, File | None],
    rivals: Sequence[Path],
) -> OwnPart | None:
    """Find what the words of a command have made of a file, from one version to another."""
    before, now = ({path: file} for file in gap)
    steps = [*list_rival_calls(rivals, session.root, Checkout(session.root), (path,))]
    return _find_part(make_by_command(command, path), before, now, steps, is_all=False)


def _find_part(
    own: Callable[[Files], Files | None],
    before: Files,
    now: Files,
    steps: Sequence[RivalCall],
    *,
    is_all: bool,
) -> OwnPart | None:
    """Find what a call has made of files; `is_all` says that it does nothing but what it says."""
    after = own(before)
    if after is not None:
        if after == now:
            return OwnPart(before, after)
        if (times := find_way(after, now, steps)) is not None:
            recorded = [each for each in times if each]
            return OwnPart(before, after, min(recorded) - 1 if recorded else 0)
        apart = _take_out(before, after, now) if is_all else None
        if apart is not None and own(apart) == now:
            return OwnPart(before, after)
    for files, _ in list_reachable(before, steps):
        if own(files) == now:
            return OwnPart(files, now)
    return None


def _name_conversation(folder: Path) -> str:
    return folder.name.partition("-")[2] or folder.name


def has_open_call(folder: Path, paths: Sequence[str]) -> bool:
    """Whether a session has put one of these files aside for a call that is still open."""
    return any(True for path in paths for _ in list_open_copies(folder, path))


def list_open_copies(folder: Path, path: str) -> Iterator[tuple[Path, float]]:
    """Yield what a session has put aside of a file for calls that are still open, and when."""
    since = time.time() - _OPEN
    for place in (folder / "aside").glob(f"{name_text(path)}-*.json"):
        with suppress(OSError):
            if (made := place.stat().st_mtime) > since:
                yield place, made


def _has_recorded(folder: Path, paths: Sequence[str], since: float) -> bool:
    unknown = (folder / "aside" / f"{name_text(path)}.unknown" for path in paths)
    if any(each.exists() and each.stat().st_mtime > since for each in unknown):
        return True
    try:
        if (folder / "journal").stat().st_mtime < since:
            return False
        calls = SessionJournal(folder).load().effective
    except (OSError, HkgitError):
        return False
    return any(
        call.time > since * 1000 and {change.path, change.new_path} & {*paths}
        for call in calls
        for change in call.changes
    )


def _take_out(before: Files, after: Files, now: Files) -> Files | None:
    """Take back in files what leads from `before` to `after`; None where it overlaps others."""
    found: dict[str, File | None] = {}
    for path, file in now.items():
        old, new = before[path], after[path]
        if file == new:
            found[path] = old
            continue
        if old is None or new is None or file is None:
            return None
        data = _take_out_lines(old.data, new.data, file.data)
        if data is None:
            return None
        found[path] = File(data, file.mode)
    return found


def _take_out_lines(before: bytes, after: bytes, now: bytes) -> bytes | None:
    old, new, lines = split_raw(before), split_raw(after), split_raw(now)
    others = find_changes(new, lines)
    for own in reversed(find_changes(old, new)):
        if any(x.old_start < own.new_end and x.old_end > own.new_start for x in others):
            return None
        shift = sum(
            (x.new_end - x.new_start) - (x.old_end - x.old_start)
            for x in others
            if x.old_end <= own.new_start
        )
        lines[own.new_start + shift : own.new_end + shift] = old[own.old_start : own.old_end]
    return b"".join(lines)
