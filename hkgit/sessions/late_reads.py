"""Read the lines of blind edits after the fact, as they were before: `late`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.applying.evidence import LATE
from hkgit.edits import MappingSnapshot, Read
from hkgit.errors import InvalidInput
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository
from hkgit.sessions.answers import render_mending_read
from hkgit.sessions.call_journal import SessionJournal, list_waiting
from hkgit.sessions.file_lines import Reading, read_snapshot
from hkgit.sessions.homes import expect_kept_here
from hkgit.sessions.waiting_edits import is_unread, open_journals
from hkgit.sessions.writer import at_work
from hkgit.values import replace


def find_blind_reads(
    repository: Repository, root: Path, policy: Policy
) -> Iterator[tuple[str, str]]:
    """Yield the path of each blind edit that waits, and the command that reads its lines.

    Where the policy takes no `late` evidence, the edit is taken back first.
    """
    for unit in list_waiting(open_journals(repository, root)):
        session, call, _ = unit.key
        if is_unread(unit.entry, unit.number):
            path, touched = unit.edit.path, unit.edit.base_lines
            is_late = policy.accepts_late(path)
            yield path, render_mending_read(path, touched, session, call, is_late=is_late)


def read_before(
    root: Path,
    journal: SessionJournal,
    call: str,
    path: str,
    start: int | None,
    end: int | None,
) -> Reading:
    """Read lines as they were before a call, and keep a receipt for that call's edits."""
    with at_work(root, journal):
        changes = (
            (each, at, change.before)
            for each in journal.effective
            if str(each.id) == call
            for at, entry in enumerate(each.entries)
            for change in entry.files
            if path in (change.path, change.new_path)
        )
        first = next(changes, None)
        if first is None:
            fix = (
                "Run this command outside the sandbox, or call the tool `read` of hkgit's server"
                f" with path {path}, session {journal.folder.name} and before {call}."
            )
            expect_kept_here(root, journal.folder, fix)
            raise InvalidInput(f"call {call}", f"did not change {path}, or was undone")
        found, spec, before = first
        file = journal.blobs.file(before)
        files = MappingSnapshot({} if file is None else {path: file})
        reading, _ = read_snapshot(files, path, start, end, limit=None)
        lines = reading.start_line, reading.end_line
        journal.mend(found, spec, Read(path, *lines, reading.range_hash or "", LATE))
    return replace(reading, has_receipt=True)
