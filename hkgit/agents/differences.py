"""Differences, recorded as close to what was asked as possible, and what was recorded last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import tell_changes
from hkgit.edits import File
from hkgit.errors import HkgitError, Stale
from hkgit.evidence.entry import FileMark
from hkgit.sessions.answers import EditReport
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout

Files = Mapping[str, File | None]

_AROUND = (0, 3, 30, 10**9)
"""So many lines around a change are told until it has one place: one of equal blank lines may have
none but in its whole file."""


def adopt_difference(session: EditSession, before: Files, time: int = 0) -> EditReport | None:
    """Record what has become of files; None where nothing has.

    The lines around a change need not have been read; where it has no place without them, more
    and more of them are told as well, in the end the whole file. `time` is when it was done, in
    milliseconds since 1970, but not before what the session has done; 0 for now.

    Raises HkgitError.
    """
    if time:
        last = session.journal.load().effective[-1:]
        time = max([time, *(call.time for call in last)])
    changes = compare_files(before.get, Checkout(session.root).get, before)
    refusal: HkgitError | None = None
    for around in _AROUND if changes else ():
        try:
            answer = session.adopt(tell_changes(changes, around), before, time)
        except Stale as error:  # it has led somewhere else
            refusal = error
            continue
        if answer.ok:
            return answer
        refusal = answer.error
    if refusal is not None:
        raise refusal
    return None


def find_last_recorded(folders: Iterable[Path]) -> dict[str | None, FileMark | None]:
    """Find what sessions have recorded last of each path."""
    changes = [each for folder in folders for each in list_recorded_changes(folder)]
    return {path: after for path, after, _, _ in sorted(changes, key=lambda each: each[3])}


def list_recorded_changes(folder: Path) -> Iterator[tuple[str | None, FileMark | None, str, int]]:
    """List what the calls of a session have left of each path: dialect of the edit, and time."""
    for call in SessionJournal(folder).load().effective:
        for entry in call.entries:
            for change in entry.files:
                yield (
                    change.new_path or change.path,
                    change.after,
                    entry.edits[0].dialect,
                    call.time,
                )
