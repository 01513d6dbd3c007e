"""Write the files of a call, all or none, even if the process dies.

Before the first file is replaced, the journal names the call and keeps every version. So the next
call can finish one that died, or take it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.applying.files import DirectorySnapshot, clear_away, write_files
from hkgit.edits import File
from hkgit.errors import GitRefused, HkgitError, Stale
from hkgit.evidence.claims import mark
from hkgit.sessions.blobs import Blobs, expect_writable
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.homes import find_unused, list_candidates, lock_sessions
from hkgit.sessions.knowledge import FileKnowledge

_UNDER_WAY = ".under-way"
"""The file beside the sessions that names the one whose call is being written."""


@contextmanager
def at_work(root: Path, journal: SessionJournal) -> Iterator[None]:
    """Lock the sessions of a checkout and repair what a crash has left. Raises GitRefused.

    The first call of a session also removes sessions that have expired.
    """
    if not journal.folder.exists() and find_unused(root):
        # Few calls need it, and it opens the repository.
        from hkgit.sessions.session_states import expire

        expire(root)
    with lock_sessions(journal.folder.parent):
        repair(root, journal.folder.parent)
        journal.load()
        yield


def carry_out(
    root: Path,
    journal: SessionJournal,
    call: JournaledCall,
    files: Mapping[str, File | None],
    known: Mapping[str, FileKnowledge | None],
) -> JournaledCall:
    """Write the files of a call; answers with its number.

    Raises Stale where somebody has changed one meanwhile, GitRefused where one cannot be written;
    then nothing has changed.
    """
    present = DirectorySnapshot(root)
    found = {path: present.get(path) for path in call.states()}
    for path, (before, _) in call.states().items():
        if mark(found[path]) != before:
            fix = "Read it again, and write the edit against that."
            raise Stale(path, "was changed while it was being edited", fix)
    under_way = journal.folder.parent / _UNDER_WAY
    with expect_writable(under_way):
        under_way.write_text(journal.folder.name)
    call = journal.begin(call)
    # Where the journal cannot be closed any more (a full disk), the mark stays, and `repair` finds
    # out how the call ended.
    try:
        write_files(root, files, found)
    except HkgitError:
        with suppress(GitRefused):
            journal.abort(call)
            under_way.unlink(missing_ok=True)
        raise
    with suppress(GitRefused):
        journal.end(call, known)
        under_way.unlink(missing_ok=True)
    return call


def repair(root: Path, home: Path, *, fix: bool = True) -> list[str]:
    """Finish or take back a call that died; answers with what was found, a line each.

    Files that somebody has changed since stay as they are, and without `fix` all do. Raises
    GitRefused.
    """
    try:
        journal = SessionJournal(home / (home / _UNDER_WAY).read_text()).load()
    except OSError:
        return []
    call = journal.begun
    if not fix:
        return [] if call is None else [f"{_name(journal, call)} died half-written"]
    lines = [] if call is None else _settle_call(root, journal, call)
    (home / _UNDER_WAY).unlink(missing_ok=True)
    return lines


def find_crashed(root: Path, *, fix: bool) -> list[str]:
    """List what calls that died have left in a checkout; with `fix`, repair it first.

    Raises GitRefused.
    """
    lines: list[str] = []
    for home in list_candidates(root):
        if (home / _UNDER_WAY).exists():
            with lock_sessions(home):
                lines += repair(root, home, fix=fix)
    return lines


def _name(journal: SessionJournal, call: JournaledCall) -> str:
    return f"call {call.id} of session {journal.folder.name}"


def _settle_call(root: Path, journal: SessionJournal, call: JournaledCall) -> list[str]:
    files = DirectorySnapshot(root)
    found = {path: files.get(path) for path in call.states()}
    states = {path: (*pair, mark(found[path])) for path, pair in call.states().items()}
    swept = _sweep(root, journal.blobs, call)
    named = _name(journal, call)
    if all(now == after for _, after, now in states.values()):
        journal.end(call, dict.fromkeys(states))
        return [f"{named} was already written completely", *swept]
    back = {path: before for path, (before, after, now) in states.items() if now == after}
    restored = {path: journal.blobs.file(version) for path, version in back.items()}
    for path, version in back.items():
        if version is not None and restored[path] is None:
            raise GitRefused(path, "its version before the call is lost", "Restore it by hand.")
    write_files(root, restored, {path: found[path] for path in back})
    journal.abort(call)
    others = [path for path, (before, after, now) in states.items() if now not in (before, after)]
    left = f"; changed since, and left as they are: {', '.join(others)}" if others else ""
    return [f"{named} died half-written and was undone{left}", *swept]


def _sweep(root: Path, blobs: Blobs, call: JournaledCall) -> list[str]:
    """Remove temporary files of a call that died; what somebody saved gets a visible name.

    A file that was saved while the call wrote may have been moved aside when it died.
    """
    versions = {each for pair in call.states().values() for each in pair if each is not None}

    def ours() -> list[bytes]:
        kept = (blobs.get(each.sha256) for each in versions)
        return [data for data in kept if data is not None]

    kept = (clear_away(folder, ours) for folder in {(root / path).parent for path in call.states()})
    return [f"what was saved while it wrote is kept in {place}" for each in kept for place in each]
