"""recompute.py: reads an entry's spec again, locates it again, and compares.

What replay alone cannot show: that the edits' own text says what the hunks do, and that tier,
similarity and confidence are what the ladder answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit import dialects
from hkgit.applying.names import resolve_names
from hkgit.applying.operations.line_ends import REPAIR as LINE_ENDS
from hkgit.applying.outcome import Plan
from hkgit.applying.planner import COUNTS, Options, plan
from hkgit.applying.reads import reads_used
from hkgit.edits import Snapshot, Spec
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.ledger.entry import Entry, RecordedEdit, RecordedFile
from hkgit.evidence.ledger.recording import record_edit, record_file
from hkgit.evidence.replay.findings import Finding
from hkgit.evidence.replay.reanchoring.moving import find_unexplained
from hkgit.matching.places import LADDER_VERSION, Settings

_FIX = "Let hkgit apply the spec again; its record is written by hkgit alone."


def recompute(entry: Entry, files: Snapshot, base_files: Snapshot | None) -> list[Finding] | None:
    """Read and locate the spec again, and find every difference from the record.

    `base_files` are those that the spec was written against, where they are here. None where this
    hkgit cannot tell: it does not carry the entry's ladder, or the base is missing that would
    show why an edit landed on other lines than it names.
    """
    if entry.ladder != LADDER_VERSION:
        return None
    try:
        spec = resolve_names(read_recorded_spec(entry), files)
        planned = plan(spec, files, plan_options(entry), entry.reads)
    except HkgitError as error:
        return [Finding("decoy", error.where, f"the recorded spec is refused: {error.what}", _FIX)]
    error_found = planned.first_error
    if error_found is not None:
        what = f"the recorded spec does not apply: {error_found.what}"
        return [Finding("decoy", error_found.where, what, _FIX)]
    moved = [*find_unexplained(entry, spec, files, base_files)]
    if moved and base_files is None:
        return None
    return [
        *_find_moved(moved),
        *_edit_findings(entry, spec, planned),
        *_read_findings(entry, planned),
        *_file_findings(entry, planned),
    ]


def read_recorded_spec(entry: Entry) -> Spec:
    """Parse the spec from an entry's blocks. Raises InvalidInput if a block is not one edit."""
    names = {edit.dialect for edit in entry.edits}
    if len(names) != 1:
        raise InvalidInput("ledger entry", "its edits are in more than one dialect")
    parsed = [dialects.parse(edit.text, names.copy().pop()) for edit in entry.edits]
    for edit, spec in zip(entry.edits, parsed, strict=True):
        if len(spec.edits) != 1:
            raise InvalidInput(f"edit {edit.id}", "its text is not one edit")
    edits = tuple(spec.edits[0] for spec in parsed)
    blocks = tuple(edit.text for edit in entry.edits)
    numbers = enumerate(entry.edits, 1)
    miscounted = frozenset(number for number, edit in numbers if COUNTS in edit.repairs)
    return Spec(
        dialect=parsed[0].dialect,
        edits=edits,
        blocks=blocks,
        sequential=parsed[0].sequential,
        miscounted=miscounted,
    )


def plan_options(entry: Entry) -> Options:
    """Return how an entry's spec was planned."""
    carried = {edit.id: edit.base_lines[0] for edit in entry.edits if edit.relocated}
    stored = {edit.path for edit in entry.edits if LINE_ENDS in edit.repairs}
    return Options(
        Settings(entry.threshold), carried=carried, stores_lf=lambda path, *_: path in stored
    )


def _find_moved(moved: Iterable[RecordedEdit]) -> Iterator[Finding]:
    for edit in moved:
        what = f"edit {edit.id} names other lines, and nothing shows that they moved here"
        yield Finding("decoy", edit.where, what, _FIX)


def _read_findings(entry: Entry, planned: Plan) -> Iterator[Finding]:
    used = set(reads_used(entry.reads, planned))
    for read in entry.reads:
        if read not in used:
            yield Finding("forged", read.path, "records a read that no edit leans on", _FIX)


def _edit_findings(entry: Entry, spec: Spec, planned: Plan) -> Iterator[Finding]:
    for edit, outcome in zip(entry.edits, planned.outcomes, strict=True):
        again = record_edit(spec.dialect, edit.text, outcome)
        for name in _list_differing(edit, again):
            what = (
                f"edit {edit.id} records {name} {_show_value(getattr(edit, name))},"
                f" recomputed {_show_value(getattr(again, name))}"
            )
            yield Finding("forged", edit.where, what, _FIX)


def _file_findings(entry: Entry, planned: Plan) -> Iterator[Finding]:
    recorded = {file.name: file for file in entry.files}
    again = {change.name: record_file(change) for change in planned.files}
    for name in sorted(recorded.keys() | again.keys()):
        if recorded.get(name) != again.get(name):
            where = f"{name}{_first_difference(recorded.get(name), again.get(name))}"
            yield Finding("decoy", where, "the spec does not say what the hunks do", _FIX)


def _first_difference(recorded: RecordedFile | None, again: RecordedFile | None) -> str:
    """The lines of the first recorded hunk that the spec does not make."""
    if recorded is None:
        return ""
    derived = again.hunks if again is not None else ()
    for hunk in recorded.hunks:
        if hunk not in derived:
            return f":{hunk.start_line}-{hunk.end_line}"
    return ""


def _list_differing(left: RecordedEdit, right: RecordedEdit) -> list[str]:
    names = RecordedEdit.__match_args__
    return [name for name in names if getattr(left, name) != getattr(right, name)]


def _show_value(value: object) -> str:
    return str(value)[:60]
