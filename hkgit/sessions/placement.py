"""Recorded edits on other files than those that they were made on.

A call may have found changes of others that no commit has. Its edits must land on the files of the
commit's parent at the lines that a line diff maps them to, and are restated in those lines. What
was read holds line by line: when somebody changes one line of a range, the others are still known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from hkgit.applying.carry import find_line_maps, plan_carried
from hkgit.applying.evidence import LATE, is_empty
from hkgit.applying.hunk import Hunk
from hkgit.applying.outcome import EditOutcome, Plan, expect_change
from hkgit.applying.planner import Options, PlannedSpec, plan
from hkgit.applying.quotes import StoresLf
from hkgit.edits import (
    AnyEdit,
    Edit,
    File,
    InsertAfter,
    Overlay,
    Read,
    ReplaceRange,
    Snapshot,
    Spec,
    TagEdit,
    decode_text,
)
from hkgit.errors import InvalidInput
from hkgit.evidence.claims import read_recorded_spec
from hkgit.evidence.entry import Entry, RecordedEdit, RecordedFile, RecordedHunk
from hkgit.matching.place import Settings
from hkgit.sessions.knowledge import Kept, carry_knowledge, know_lines
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, Lines
from hkgit.text.edit_json import write_edit
from hkgit.text.hashes import digest
from hkgit.text.line_map import LineMap
from hkgit.values import replace


def place_spec(
    entry: Entry, numbers: Sequence[int], files: Snapshot, kept: Kept, stores_lf: StoresLf
) -> PlannedSpec:
    """Place edits of an entry, by number from 1, on `files`.

    Raises the refusal of the first that cannot be placed.
    """
    edits = tuple(entry.edits[number - 1] for number in numbers)
    spec = replace(read_recorded_spec(replace(entry, edits=edits)), digest=entry.spec_digest)
    touched = {edit.path for edit in edits}
    changes = [each for each in entry.files if touched & {each.path, each.new_path}]
    base = Overlay(files, {each.name: _before(each, files, kept, stores_lf) for each in changes})
    moved = find_line_maps(base.files, base, files)
    relocate = any(edit.relocated for edit in entry.edits)
    options = Options(Settings(entry.threshold), relocate, stores_lf=stores_lf)
    reads = [read for read in entry.reads if read.path not in moved]
    for change in changes:
        before, now = base.get(change.name), files.get(change.name)
        if change.name in moved and before is not None and now is not None:
            reads += carry_reads(entry, edits, change, before.data, now.data)
            document = Document(before.data)
            here = (change.path, change.new_path)
            narrowed = (
                _narrow(edit, each, document) if each.path in here else edit
                for edit, each in zip(spec.edits, edits, strict=True)
            )
            spec = replace(spec, edits=tuple(narrowed))
    if not moved:
        planned = _expect_applied(plan(spec, files, options, reads))
    else:
        placed = [(edit.path, edit.tier, edit.base_lines) for edit in edits]
        planned = _expect_applied(plan_carried(spec, placed, moved, files, options, reads))
    pairs = zip(spec.edits, planned.outcomes, strict=True)
    again = replace(spec, edits=tuple(_renumber(*each, spec) for each in pairs))
    if again != spec:
        planned = _expect_applied(plan(again, files, options, reads))
    return PlannedSpec(again, planned, tuple(reads))


def _before(change: RecordedFile, files: Snapshot, kept: Kept, stores_lf: StoresLf) -> File | None:
    """The file that a spec was applied to; as git stores it, where that is what is committed."""
    if change.path is None or change.before is None:
        return None
    data = kept(change.before.sha256)
    if data is None:
        raise InvalidInput(change.path, "the version that was edited is no longer stored")
    there = files.get(change.path)
    if there is not None:
        is_converted = data != there.data and stores_lf(change.path, data, there.data)
        if there.data == (data.replace(b"\r\n", b"\n") if is_converted else data):
            return there
    return File(data, change.before.mode)


def carry_reads(
    entry: Entry, edits: Sequence[RecordedEdit], change: RecordedFile, before: bytes, now: bytes
) -> Iterator[Read]:
    """Yield what some edits of an entry knew of a file, as receipts of lines that are left of it.

    `before` is the file that they were made on.
    """
    known: dict[str, list[Lines]] = {"receipt": [], LATE: []}
    for read in entry.reads:
        if read.path == change.path and read.start_line is not None and read.end_line is not None:
            kind = LATE if read.kind == LATE else "receipt"
            known[kind].append((read.start_line, read.end_line))
    for edit in edits:
        if edit.path in (change.path, change.new_path) and edit.expected_hash is not None:
            lines = edit.evidence_lines
            known["receipt"] += edit.base_lines if lines is None else (lines,)
    for kind, spoken in known.items():
        seen = know_lines(before, (each for each in spoken if not is_empty(each)))
        for read in carry_knowledge(seen, now, lambda _: before).receipts(change.name):
            yield replace(read, kind=kind)


def _narrow(edit: AnyEdit, found: RecordedEdit, base: Document) -> AnyEdit:
    """Give an edit that names a whole file's hash that of the one range it touches, or none."""
    if not isinstance(edit, Edit | ReplaceRange | TagEdit) or found.evidence_lines is None:
        return edit
    if edit.expected_hash is None:
        return edit
    if len(found.base_lines) != 1 or is_empty(found.base_lines[0]):
        return replace(edit, expected_hash=None)
    return replace(edit, expected_hash=base.range_hash(*found.base_lines[0]))


def _expect_applied(planned: Plan) -> Plan:
    planned = expect_change(planned)
    if planned.first_error is not None:
        raise planned.first_error
    return planned


def _renumber(edit: AnyEdit, outcome: EditOutcome, spec: Spec) -> AnyEdit:
    """The edit with the line numbers at which it landed."""
    first, last = (outcome.lines if spec.sequential else outcome.base_lines)[0]
    if isinstance(edit, InsertAfter):
        return replace(edit, after_line=last)
    if isinstance(edit, ReplaceRange):
        return replace(edit, start_line=first, end_line=last)
    return edit


def restate(path: str, before: bytes, after: bytes) -> Spec:
    """Make a spec of line ranges that turns one text into another."""
    old, new = Document(before).lines, Document(after).lines
    return _make_spec(_edit_lines(path, each, new) for each in find_changes(old, new))


def restate_on(path: str, hunks: Iterable[RecordedHunk], before: bytes, onto: bytes) -> Spec:
    """Make a spec that does to `onto` what hunks did to the file before them.

    What is in their place in `onto` is replaced.
    """
    moved = LineMap.between(before, onto)
    return _make_spec(_move(path, hunk.plain, moved) for hunk in hunks)


def _move(path: str, hunk: Hunk, moved: LineMap) -> ReplaceRange | InsertAfter:
    """Make an edit of a hunk where its old lines are in another version."""
    lines = tuple(map(decode_text, hunk.new_lines))
    if hunk.start_line > hunk.end_line:
        _, last = moved.follow((hunk.end_line, hunk.end_line))
        return InsertAfter(path, last, lines)
    first, last = moved.follow((hunk.start_line, hunk.end_line))
    if last < first:
        return InsertAfter(path, first - 1, lines)
    return ReplaceRange(path, first, last, lines)


def _make_spec(edits: Iterable[ReplaceRange | InsertAfter]) -> Spec:
    found = tuple(edits)
    written = json.dumps([*map(write_edit, found)])
    return Spec("protocol", found, sequential=False, digest=digest(written.encode()))


def _edit_lines(path: str, change: LineChange, new: Sequence[bytes]) -> ReplaceRange | InsertAfter:
    lines = tuple(map(decode_text, new[change.new_start : change.new_end]))
    if change.old_start == change.old_end:
        return InsertAfter(path, change.old_start, lines)
    return ReplaceRange(path, change.old_start + 1, change.old_end, lines)
