"""Calls that are taken back, without touching what came after them.

A file that is still as the change left it becomes what it was before. Where it has changed since,
the lines of the change are put back by a three-way merge of lines, whose base is what the change
left. Lines that already are as they were stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import Conflict, InvalidInput
from hkgit.evidence.claims import mark
from hkgit.evidence.entry import RecordedFile
from hkgit.sessions.answers import UndoReport
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.call_journal import JournaledCall, SessionJournal, list_units
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import expect_kept_here
from hkgit.sessions.knowledge import (
    NOTHING,
    FileKnowledge,
    Kept,
    carry_knowledge,
    learn_lines,
)
from hkgit.sessions.waiting_edits import find_effective, see_head
from hkgit.sessions.writer import at_work, begin_turn, carry_out, keep_files, next_call
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, terminate, unterminate

_FIX = "Change it back by hand, or undo what came after it first."


def undo_calls(
    root: Path, journal: SessionJournal, agent: str, call: str | None, *, whole_session: bool
) -> UndoReport:
    """See `EditSession.undo`."""
    with at_work(root, journal):
        begin_turn(journal)
        see_head(root, [journal])
        state, files, blobs = journal.state, Checkout(root), journal.blobs
        kept = journal.standing
        ids = {unit.call.id for unit in find_effective(files, list_units(journal))}
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
        keep_files(blobs, [*map(files.get, changed), *changed.values()])
        known = _reread(calls, state.known, Overlay(files, changed), blobs.get)
        numbers = tuple(each.id for each in calls)
        back = next_call(journal, agent, reversals=reversals, undoes=numbers)
        carry_out(root, journal, back, changed, known)
    return UndoReport(tuple(map(str, numbers)), changed)


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
                seen = FileKnowledge(version.sha256, {lines: read.range_hash})
                held = carry_knowledge(seen, file.data, kept).ranges
                found[read.path] = learn_lines(now, held, file.data, kept)
    return found


def _reverse(change: RecordedFile, files: Snapshot, blobs: Blobs) -> dict[str, File | None]:
    before, after = blobs.file(change.before), blobs.file(change.after)
    if change.new_path is None:
        return _restore(change.path or "", before, files)
    present = files.get(change.new_path)
    is_back = change.path is not None and files.get(change.path) == before
    if is_back and (change.path == change.new_path or present is None):
        return {}
    if change.path is None:
        if present is not None and present != after:
            raise Conflict(change.new_path, "was changed after it was made", _FIX)
        return {change.new_path: None}
    if present is None or before is None or after is None:
        raise Conflict(change.new_path, "is gone, or was never stored", _FIX)
    file = _merge_file(change.new_path, before, after, present)
    if change.path == change.new_path:
        return {change.path: file}
    return {change.new_path: None, **_restore(change.path, file, files)}


def _restore(path: str, file: File | None, files: Snapshot) -> dict[str, File | None]:
    """Put a file back at its path. Raises Conflict when another has taken it."""
    if files.get(path) not in (None, file):
        raise Conflict(path, "was created again after it was deleted", _FIX)
    return {path: file}


def _merge_file(path: str, before: File, after: File, present: File) -> File:
    """The present file without the change from `before` to `after`."""
    mode = before.mode if present.mode == after.mode else present.mode
    if present.data == after.data:
        return File(before.data, mode)
    if before.data == after.data:
        return File(present.data, mode)
    data = merge_back(path, after.data, before.data, present.data)
    return File(data, mode)


def merge_back(path: str, base: bytes, wanted: bytes, present: bytes) -> bytes:
    """Apply the change from `base` to `wanted` to `present`, by lines. Raises Conflict.

    Lines of `present` that already equal those of `wanted` stay. Lines right beside a change may
    have changed since, which git's own merge would call a conflict.
    """
    old, new, here = (terminate(Document(data)).raw_lines for data in (base, wanted, present))
    lines, ours = [*here], find_changes(old, here)
    for change in reversed(find_changes(old, new)):
        back = new[change.new_start : change.new_end]
        met = [each for each in ours if _meet(change, each)]
        if any(here[each.new_start : each.new_end] == back for each in met):
            continue
        if met:
            raise Conflict(f"{path}:{met[0].new_start + 1}", "these lines were changed again", _FIX)
        above = [each for each in ours if each.old_end <= change.old_start]
        shift = above[-1].new_end - above[-1].old_end if above else 0
        lines[change.old_start + shift : change.old_end + shift] = back
    was_terminated = Document(wanted if _ends(base) == _ends(present) else present).is_terminated
    data = b"".join(lines)
    return data if was_terminated else unterminate(data)


def _ends(data: bytes) -> bool:
    return Document(data).is_terminated


def _meet(one: LineChange, other: LineChange) -> bool:
    """Whether two changes are of the same lines, or put something into the same place."""
    span = (one.old_start, one.old_end)
    if span == (other.old_start, other.old_end):
        return True
    return one.old_start < other.old_end and other.old_start < one.old_end
