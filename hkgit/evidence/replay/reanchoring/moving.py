"""moving.py: edits that landed on other lines than they name, and what shows that they may."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.applying.carry.carrying import LineMap
from hkgit.applying.draft import Lines
from hkgit.applying.operations.ranges import find_hash, lines_of_hash
from hkgit.applying.planner import Options, plan
from hkgit.edits import AnyEdit, InsertAfter, ReplaceRange, Snapshot, Spec
from hkgit.evidence.ledger.entry import Entry, RecordedEdit
from hkgit.matching.places import Settings
from hkgit.text.document import Document


def find_unexplained(
    entry: Entry, spec: Spec, files: Snapshot, base_files: Snapshot | None
) -> Iterator[RecordedEdit]:
    """Find the relocated edits that nothing ties to the lines they changed.

    Two things do: the edit's own hash holds at that place and nowhere else, or the line diff from
    the base leads there.
    """
    moved = [
        (edit, requested)
        for edit, requested in zip(entry.edits, spec.edits, strict=True)
        if edit.relocated and not _is_only_place(requested, edit, files)
    ]
    if not moved:
        return
    carried = {} if base_files is None else _carry_edits(entry, spec, files, base_files)
    for edit, _ in moved:
        if carried.get(edit.id) != edit.base_lines[0]:
            yield edit


def _is_only_place(requested: AnyEdit, edit: RecordedEdit, files: Snapshot) -> bool:
    file = files.get(requested.path)
    if file is None or not isinstance(requested, ReplaceRange | InsertAfter):
        return False
    document, is_insertion = Document(file.data), isinstance(requested, InsertAfter)
    first, last = lines_of_hash(edit.base_lines[0], document, is_insertion=is_insertion)
    expected = requested.expected_hash
    return expected is not None and find_hash(document, last - first + 1, expected) == [first]


def _carry_edits(
    entry: Entry, spec: Spec, files: Snapshot, base_files: Snapshot
) -> dict[int, Lines | None]:
    """Where the line diff from the base leads each edit."""
    options = Options(Settings(entry.threshold), relocate=True)
    carried = {}
    for outcome in plan(spec, base_files, options).outcomes:
        old, new = base_files.get(outcome.path), files.get(outcome.path)
        if outcome.error is None and old is not None and new is not None:
            lines = LineMap.between(old.data, new.data).carry(outcome.base_lines[0])
            carried[outcome.number] = lines
    return carried
