"""Calls that are taken back, without touching what came after them.

A file that is still as the change left it becomes what it was before. Where it has changed since,
the lines of the change are put back where a line diff has them. Lines that already are as they were
stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hkgit.applying.file_diff import compare
from hkgit.applying.outcome import FileChange, Plan, files_after
from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import Conflict, InvalidInput, Stale
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import RecordedFile
from hkgit.sessions.answers import UndoReport
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.call_journal import JournaledCall, SessionJournal
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import expect_kept_here
from hkgit.sessions.knowledge import NOTHING, FileKnowledge, Kept
from hkgit.sessions.placement import carry_change
from hkgit.sessions.waiting_edits import find_effective, see_head
from hkgit.sessions.writer import at_work, carry_out
from hkgit.text.document import Document

_FIX = "Change it back by hand, or undo what came after it first."


def undo_calls(
    root: Path, journal: SessionJournal, agent: str, call: str | None, *, whole_session: bool
) -> UndoReport:
    """See `EditSession.undo`."""
    with at_work(root, journal):
        journal.begin_turn()
        see_head(root, [journal])
        files, blobs = Checkout(root), journal.blobs
        kept = journal.standing
        ids = {unit.call.id for unit in find_effective(files, journal.units)}
        effective = [each for each in kept if each.id in ids]
        if call is not None:
            calls = [each for each in kept if str(each.id) == call]
        else:  # the last one of which something is left, if there is one
            calls = kept if whole_session else (effective or kept)[-1:]
        if not calls:
            expect_kept_here(root, journal.folder, "Run this command outside the sandbox.")
            where = "the session" if call is None else f"call {call}"
            fix = "hkgit undo --list shows the calls; git revert undoes what is committed"
            raise InvalidInput(where, "has no call that can be undone", fix)
        now: dict[str, File | None] = {}
        for change in reversed([x for each in calls if each in effective for x in each.changes]):
            now |= _reverse(change, Overlay(files, now), blobs)
        changed = {path: file for path, file in now.items() if files.get(path) != file}
        reversals = tuple(_tell(path, files.get(path), file) for path, file in changed.items())
        blobs.put_files([*map(files.get, changed), *changed.values()])
        known = journal.knowledge.known
        known = _reread(calls, known, Overlay(files, changed), blobs.get)
        numbers = tuple(each.id for each in calls)
        back = JournaledCall(agent, reversals=reversals, undoes=numbers)
        carry_out(root, journal, back, changed, known)
    edits = (edit for each in calls for entry in each.entries for edit in entry.edits)
    is_tagged = any(edit.dialect == "hashline" for edit in edits)
    return UndoReport(journal.folder.name, tuple(map(str, numbers)), changed, is_tagged)


def _tell(path: str, before: File | None, after: File | None) -> RecordedFile:
    """A change told by its two versions alone."""
    return RecordedFile(
        path=None if before is None else path,
        new_path=None if after is None else path,
        before=mark(before),
        after=mark(after),
        final_newline=True,
        hunks=(),
    )


def _reread(
    calls: Iterable[JournaledCall], known: Mapping[str, FileKnowledge], files: Snapshot, kept: Kept
) -> dict[str, FileKnowledge]:
    """What is known of files once calls are taken back: receipts from before them hold again."""
    found: dict[str, FileKnowledge] = {}
    for entry in (entry for call in calls for entry in call.entries):
        for read in entry.reads:
            # What else was given as evidence was not read here.
            if read.kind != "receipt" or read.start_line is None or read.end_line is None:
                continue
            lines, file = (read.start_line, read.end_line), files.get(read.path)
            version = next((each.before for each in entry.files if each.path == read.path), None)
            if file is not None and version is not None:
                now = found.get(read.path, known.get(read.path, NOTHING))
                held = FileKnowledge(version.sha256, [lines]).carry(file.data, kept)
                found[read.path] = now.learn(held.lines, file.data, kept)
    return found


def _reverse(change: RecordedFile, files: Snapshot, blobs: Blobs) -> dict[str, File | None]:
    """Take back a change of one file. Raises Conflict where later work is in the way."""
    if all(mark(files.get(path)) == state for path, state in change.needs):
        return {}
    before, after = blobs.file(change.before), blobs.file(change.after)
    if (before is None) != (change.before is None) or (after is None) != (change.after is None):
        raise Conflict(change.name, "was never stored", _FIX)
    back = compare(change.new_path, after, change.path, before)
    return files_after(Plan((), (put_back(back, files),)))


def put_back(change: FileChange, files: Snapshot) -> FileChange:
    """Make a change of a file as it is now, but for lines that are already as it leaves them.

    Raises Conflict where others have changed what it replaces.
    """
    try:
        carried = carry_change(change, files)
    except Stale as error:
        raise Conflict(error.where, error.what, _FIX) from error
    there = carried.change.before
    for hunk, (first, last) in carried.refused:
        if there is None or Document(there.data).lines[first - 1 : last] != hunk.new_lines:
            where = f"{change.name}:{max(first, 1)}"
            raise Conflict(where, "these lines were changed again", _FIX)
    return carried.change
