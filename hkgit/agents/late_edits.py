"""Find how a file was before an edit that an agent tells when it is made.

Nothing has to be believed: the edit is planned on each version that may have been there, and one
that becomes what now stands in the checkout is it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.agents.events import LateEdit
from hkgit.agents.files_before import PutAside
from hkgit.agents.shell_edits import find_head
from hkgit.edits import File, encode_text
from hkgit.errors import Stale
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import FileMark
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.edit_session import EditSession
from hkgit.sessions.file_lines import Checkout

Guess = tuple[File | None, bool]
"""What a file may have been, None for no file; and whether, if the edit fits it, it surely was."""


def find_versions_before(
    did: LateEdit, path: str, session: EditSession, aside: PutAside
) -> Iterator[Guess]:
    """Find what a file may have been, the likeliest first; at last once more to be sure of."""
    now = Checkout(session.root).get(path)
    try:
        kept = aside.get(path, did.edit.text)
    except Stale:
        kept = None
    if kept is not None and kept.data and kept != now:  # one that is being written may be empty
        yield kept, True
    guesses = [file for file in _guess(did, path, now, session) if file != now]
    yield from ((file, False) for file in guesses)
    yield from ((file, True) for file in guesses)


def _guess(
    did: LateEdit, path: str, now: File | None, session: EditSession
) -> Iterator[File | None]:
    back = None if now is None else _take_back(now.data, did.replaced)
    if now is not None and back is not None:
        yield File(back, now.mode)
    known = session.journal.load().known.get(path)
    data = None if known is None else session.journal.blobs.get(known.version)
    if data is not None:
        yield File(data) if now is None else File(data, now.mode)
    head = find_head(session.root)
    yield None if head is None else head.get(path)


def _take_back(data: bytes, replaced: Iterable[tuple[str, str]]) -> bytes | None:
    """A file with old texts in place of the new ones; None where that is no single place."""
    for old, new in reversed([*replaced]):
        if data.count(encode_text(new)) != 1:
            return None
        data = data.replace(encode_text(new), encode_text(old))
    return data


def holds_already(paths: Iterable[str], root: Path, folders: Iterable[Path]) -> bool:
    """Whether what stands in the checkout is what sessions have recorded last of each path."""
    checkout, last = Checkout(root), find_last_recorded(folders)
    return all(path in last and last[path] == mark(checkout.get(path)) for path in paths)


def find_last_recorded(folders: Iterable[Path]) -> dict[str | None, FileMark | None]:
    """Find what sessions have recorded last of each path."""
    changes = [each for folder in folders for each in _list_changes(folder)]
    return {path: after for path, after, _, _ in sorted(changes, key=lambda each: each[3])}


def holds_difference(path: str, session: EditSession) -> bool:
    """Whether the session has taken in all that became of a file, as a difference."""
    changes = [each for each in _list_changes(session.journal.folder) if each[0] == path]
    if not changes:
        return False
    _, after, dialect, _ = changes[-1]
    return dialect == "unified-diff" and after == mark(Checkout(session.root).get(path))


def _list_changes(folder: Path) -> Iterator[tuple[str | None, FileMark | None, str, int]]:
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
