"""Write the files of a call, all or none, even if the process dies.

Before the first file is replaced, the journal names the call and keeps every version. So the next
call can finish one that died, or take it back.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.applying.files import DirectorySnapshot, clear_away, write_files
from hkgit.applying.outcome import FileChange
from hkgit.edits import File
from hkgit.errors import GitRefused, HkgitError, Stale
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import Entry, RecordedFile
from hkgit.sessions.blobs import Blobs, refuse_unwritable
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.homes import find_unused, list_candidates, lock_sessions
from hkgit.sessions.knowledge import (
    KEPT,
    NOTHING,
    FileKnowledge,
    carry_knowledge,
    learn_lines,
    merge_knowledge,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.call_plan import CallPlan
    from hkgit.text.document import Lines


_UNDER_WAY = ".under-way"
"""The file beside the sessions that names the one whose call is being written."""


@contextmanager
def at_work(root: Path, journal: SessionJournal) -> Iterator[None]:
    """Lock the sessions of a checkout and repair what a crash has left. Raises GitRefused.

    The first call of a session also removes sessions that have expired.
    """
    if not journal.folder.exists() and find_unused(root):
        # Few calls need it, and it opens the repository.
        from hkgit.sessions.end import expire

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
) -> None:
    """Write the files of a call.

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
    try:
        under_way.write_text(journal.folder.name)
    except OSError as error:
        raise refuse_unwritable(under_way, error) from error
    journal.begin(call)
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


def learn_reading(
    journal: SessionJournal, path: str, seen: Mapping[Lines, str], data: bytes, turn: str = ""
) -> None:
    """Record what a session knows of a file, now that a call has shown these lines.

    With the `turn` of the model that has made the call they are known from the next turn on.
    """
    if turn:
        begin_turn(journal, turn)
    if len(data) <= KEPT:
        journal.blobs.put(data)
    state = journal.state
    before = (state.fresh if turn else state.known).get(path, NOTHING)
    known = {path: learn_lines(before, seen, data, journal.blobs.get)}
    if turn:
        journal.learn({}, fresh={**state.fresh, **known}, turn=turn)
    else:
        journal.learn(known)


def begin_turn(journal: SessionJournal, turn: str = "") -> None:
    """Count as known what earlier turns of the model have read: it has been shown that by now.

    What calls of this very `turn` have read it has not, whichever of them came first.
    """
    state = journal.state
    if state.fresh and turn != state.turn:
        seen = {
            path: merge_knowledge(state.known.get(path, NOTHING), fresh, journal.blobs.get)
            for path, fresh in state.fresh.items()
        }
        journal.update(known={**state.known, **seen}, fresh={})


def end_adopted(journal: SessionJournal, call: JournaledCall, plan: CallPlan) -> None:
    """Record that a call of an agent's tool has been made; what is fresh moves along with it."""
    journal.end(call, plan.known)
    moved = {
        path: carry_knowledge(fresh, file.data, journal.blobs.get)
        for path, fresh in journal.state.fresh.items()
        if (file := plan.changed.get(path)) is not None
    }
    if moved:
        journal.update(fresh={**journal.state.fresh, **moved})


def keep_versions(blobs: Blobs, changes: Iterable[FileChange]) -> None:
    """Keep the bytes of files before and after a change. Raises GitRefused."""
    keep_files(blobs, (file for change in changes for file in (change.before, change.after)))


def keep_files(blobs: Blobs, files: Iterable[File | None]) -> None:
    """Keep the bytes of files. Raises GitRefused."""
    for file in files:
        if file is not None:
            blobs.put(file.data)


def next_call(
    journal: SessionJournal,
    agent: str,
    entries: tuple[Entry, ...] = (),
    *,
    reversals: tuple[RecordedFile, ...] = (),
    undoes: tuple[int, ...] = (),
) -> JournaledCall:
    """Make the record of the next call in a journal."""
    return JournaledCall(
        id=journal.state.last + 1,
        time=time.time_ns() // 10**6,
        agent=agent,
        entries=entries,
        reversals=reversals,
        undoes=undoes,
    )


def repair(root: Path, home: Path) -> list[str]:
    """Finish or take back a call that died; answers with what was found, a line each.

    Files that somebody has changed since stay as they are. Raises GitRefused.
    """
    journal = _find_under_way(home)
    if journal is None:
        return []
    call = journal.load().calls.begun_call()
    lines = [] if call is None else _settle_call(root, journal, call)
    (home / _UNDER_WAY).unlink(missing_ok=True)
    return lines


def _find_under_way(home: Path) -> SessionJournal | None:
    """Find the journal of the session that the mark names."""
    try:
        return SessionJournal(home / (home / _UNDER_WAY).read_text())
    except OSError:
        return None


def find_crashed(root: Path, *, fix: bool) -> list[str]:
    """List what calls that died have left in a checkout; with `fix`, repair it first.

    Raises GitRefused.
    """
    lines: list[str] = []
    for home in list_candidates(root):
        if not (home / _UNDER_WAY).exists():
            continue
        with lock_sessions(home):
            lines += repair(root, home) if fix else _find_dead_call(home)
    return lines


def _find_dead_call(home: Path) -> list[str]:
    """Find the call that died, if one has."""
    journal = _find_under_way(home)
    call = None if journal is None else journal.load().calls.begun_call()
    if journal is None or call is None:
        return []
    return [f"call {call.id} of session {journal.folder.name} died half-written"]


def _settle_call(root: Path, journal: SessionJournal, call: JournaledCall) -> list[str]:
    files = DirectorySnapshot(root)
    found = {path: files.get(path) for path in call.states()}
    states = {path: (*pair, mark(found[path])) for path, pair in call.states().items()}
    swept = _sweep(root, journal.blobs, call)
    named = f"call {call.id} of session {journal.folder.name}"
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
