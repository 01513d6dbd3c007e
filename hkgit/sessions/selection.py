"""Which recorded edits a commit takes.

Most often that is all of them. Where the staged files differ (only a part was staged, a person
went on editing, the edits belong to another branch), an edit is left out if the files without it
are nearer to what is staged.

What was read holds line by line: when somebody changes one line of a range, the lines above and
below it are still known.

The spec was applied to a checkout that may have held changes of others. Its edits must land on
the parent's files at the lines that a line diff maps them to, and are restated in those lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

from hkgit.applying.carry import carry_plan
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import LATE, is_blind, is_empty
from hkgit.applying.line_map import LineMap
from hkgit.applying.outcome import EditOutcome, Plan, expect_change, files_after
from hkgit.applying.planner import Options, PlannedSpec, plan
from hkgit.applying.quotes import StoresLf
from hkgit.applying.workspace import resolve_names
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
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import read_recorded_spec
from hkgit.evidence.entry import Entry, RecordedFile
from hkgit.matching.place import Settings
from hkgit.sessions.call_journal import PendingEdit, group_connected
from hkgit.sessions.knowledge import Kept
from hkgit.sessions.outstanding import find_effective
from hkgit.text.diff import LineChange, find_changes, find_common, follow
from hkgit.text.document import Document, split_raw
from hkgit.text.edit_json import write_edit
from hkgit.text.hashes import digest
from hkgit.values import dataclass, field, replace

Item = TypeVar("Item")
Contents = Sequence[File | None]
"""Some files in a fixed order; None for one that is not there."""

TRIED = 64
"""With more edits of one file, all are taken to be staged, instead of trying each."""

_COMPARED = 2**18
"""Up to so many bytes are compared byte by byte; longer files line by line."""


def choose_edits(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Contents],
    staged: Contents,
    effective: Sequence[Item] | None = None,
) -> list[Item]:
    """Choose the edits whose result is nearest to what is staged; `make` gives the files they make.

    `effective` are the edits that nobody is known to have taken back; where they alone give what is
    staged, they are chosen.
    """
    if effective is not None and len(effective) < len(items):
        kept, apart = _nearest(effective, make, staged)
        others, nearer = _nearest(items, make, staged) if apart else (kept, apart)
        return others if nearer < apart else kept
    return _nearest(items, make, staged)[0]


def _nearest(
    items: Sequence[Item], make: Callable[[Sequence[Item]], Contents], staged: Contents
) -> tuple[list[Item], int]:
    """Leave out edits, the last first, as long as the result comes nearer; return its distance."""
    kept = list(items)
    nearest = _apart(make(kept), staged)
    for item in reversed(items):
        if nearest == 0 or len(items) > TRIED:
            break
        fewer = [each for each in kept if each is not item]
        apart = _apart(make(fewer), staged, nearest)
        if apart < nearest:
            kept, nearest = fewer, apart
    return kept, nearest


def _apart(left: Contents, right: Contents, limit: int | None = None) -> int:
    return sum(measure_distance(*pair, limit) for pair in zip(left, right, strict=True))


def measure_distance(left: File | None, right: File | None, limit: int | None = None) -> int:
    """Measure how far two files are apart: bytes to remove or add, and one for another mode.

    A file that is not there is equally far from every file: no edit of lines removes one. What is
    more than `limit` is not told exactly.
    """
    if left is None or right is None:
        return 0 if left is right else _COMPARED
    return _bytes_apart(left.data, right.data, limit) + (left.mode != right.mode)


def _bytes_apart(left: bytes, right: bytes, limit: int | None) -> int:
    if left == right:
        return 0
    a, b = split_raw(left), split_raw(right)
    while a and b and a[-1] == b[-1]:
        a.pop()
        b.pop()
    heads = enumerate(zip(a, b, strict=False))
    head = next((at for at, (x, y) in heads if x != y), min(len(a), len(b)))
    a, b = a[head:], b[head:]
    size = sum(map(len, a)) + sum(map(len, b))
    if size <= _COMPARED:
        from rapidfuzz.distance import Indel

        return int(Indel.distance(b"".join(a), b"".join(b), score_cutoff=limit))
    return size - 2 * sum(len(a[at]) for at, _ in find_common(a, b))


def narrow_to_unchanged(plan: Plan, base: Snapshot, files: Snapshot) -> Iterator[Read]:
    """Turn the evidence of a plan on `base` into receipts of the lines that `files` has as well."""
    origins = {change.new_path: change.path for change in plan.files}
    for outcome in plan.outcomes:
        path = origins.get(outcome.path) or outcome.path
        before, now = base.get(path), files.get(path)
        if outcome.evidence.expected_hash is None or before is None or now is None:
            continue
        document = Document(before.data)
        moved = LineMap.between(before.data, now.data).lines
        kind = LATE if outcome.evidence.kind == LATE else "receipt"
        for spoken in _lines_of_hash(outcome):
            for lines in _runs(spoken, moved):
                yield Read(path, *lines, document.range_hash(*lines), kind)


def _lines_of_hash(outcome: EditOutcome) -> Sequence[Lines]:
    """Return the base lines that an edit's expected hash is the hash of."""
    return outcome.base_lines if outcome.evidence.lines is None else (outcome.evidence.lines,)


def _runs(lines: Lines, moved: Mapping[int, int]) -> Iterator[Lines]:
    """Split a range into runs of lines that are consecutive in the other file as well."""
    start: int | None = None
    for number in range(lines[0], lines[1] + 1):
        is_next = start is not None and moved.get(number) == moved[number - 1] + 1
        if start is not None and not is_next:
            yield start, number - 1
            start = None
        if start is None and number in moved:
            start = number
    if start is not None:
        yield start, lines[1]


def narrow_spec(spec: Spec, plan: Plan, base: Snapshot) -> Spec:
    """Replace the hash of a whole file by the hash of the lines that each edit touches."""
    pairs = zip(spec.edits, plan.outcomes, strict=True)
    edits = tuple(_narrow_edit(edit, outcome, base) for edit, outcome in pairs)
    return replace(spec, edits=edits)


def _narrow_edit(edit: AnyEdit, outcome: EditOutcome, base: Snapshot) -> AnyEdit:
    """Give an edit the hash of the one range it touches; without one it relies on receipts."""
    if not isinstance(edit, Edit | ReplaceRange | TagEdit) or outcome.evidence.lines is None:
        return edit
    file, touched = base.get(edit.path), outcome.base_lines
    if edit.expected_hash is None or file is None:
        return edit
    if len(touched) != 1 or is_empty(touched[0]):
        return replace(edit, expected_hash=None)
    return replace(edit, expected_hash=Document(file.data).range_hash(*touched[0]))


def restate(path: str, before: bytes, after: bytes) -> Spec:
    """Make a spec of line ranges that turns one text into another."""
    old, new = Document(before).lines, Document(after).lines
    return _make_spec(_edit_lines(path, each, new) for each in find_changes(old, new))


def restate_on(
    path: str, touched: Sequence[Lines], versions: tuple[bytes, bytes], onto: bytes
) -> Spec:
    """Make a spec that does to `onto` what an edit did to the first of two versions.

    `touched` are the lines of that version which are the edit's. What stands in their place in
    `onto` is replaced.
    """
    old, new, base = (Document(each).lines for each in (*versions, onto))
    differ = find_changes(old, base)
    return _make_spec(
        _edit_lines(path, _move(each, differ), new)
        for each in find_changes(old, new)
        if any(_meets(each, lines) for lines in touched)
    )


def _move(change: LineChange, differ: Sequence[LineChange]) -> LineChange:
    """Move a change to where its old lines stand in another version."""
    if change.old_start == change.old_end:
        _, last = follow(differ, (change.old_start, change.old_start))
        return LineChange(last, last, change.new_start, change.new_end)
    first, last = follow(differ, (change.old_start + 1, change.old_end))
    return LineChange(first - 1, max(last, first - 1), change.new_start, change.new_end)


def _meets(change: LineChange, lines: Lines) -> bool:
    if is_empty(lines) or change.old_start == change.old_end:
        return change.old_start <= lines[1] and lines[0] <= change.old_end + 1
    return change.old_start < lines[1] and lines[0] <= change.old_end


def _edit_lines(path: str, change: LineChange, new: Sequence[bytes]) -> ReplaceRange | InsertAfter:
    lines = tuple(map(decode_text, new[change.new_start : change.new_end]))
    if change.old_start == change.old_end:
        return InsertAfter(path, change.old_start, lines)
    return ReplaceRange(path, change.old_start + 1, change.old_end, lines)


def _make_spec(edits: Iterator[ReplaceRange | InsertAfter]) -> Spec:
    found = tuple(edits)
    written = json.dumps([*map(write_edit, found)])
    return Spec("protocol", found, sequential=False, digest=digest(written.encode()))


def select_edits(entry: Entry, numbers: Sequence[int]) -> Spec:
    """Read some edits, by number from 1, of the spec of an entry. Raises InvalidInput."""
    chosen = tuple(entry.edits[number - 1] for number in numbers)
    return replace(read_recorded_spec(replace(entry, edits=chosen)), digest=entry.spec_digest)


def place_spec(
    entry: Entry,
    numbers: Sequence[int],
    files: Snapshot,
    kept: Kept,
    stores_lf: StoresLf,
) -> PlannedSpec:
    """Place edits on `files`. Raises the refusal of the first that cannot be placed."""
    relocate = any(edit.relocated for edit in entry.edits)
    options = Options(Settings(entry.threshold), relocate, stores_lf=stores_lf)
    reads = entry.reads
    base = Overlay(files, dict(_before(entry.files, files, kept, stores_lf)))
    spec = resolve_names(select_edits(entry, numbers), base)
    if all(files.get(path) == file for path, file in base.files.items()):
        planned, held = plan(spec, files, options, reads), reads
    else:
        on_base = _expect_applied(plan(spec, base, options, reads))
        spec = narrow_spec(spec, on_base, base)
        moving = tuple(narrow_to_unchanged(on_base, base, files))
        planned, held = carry_plan(spec, base, files, options, moving)
    planned = _expect_applied(planned)
    again = _move_lines(spec, planned)
    if again != spec:
        planned = _expect_applied(plan(again, files, options, held))
    return PlannedSpec(again, planned, held)


def _expect_applied(planned: Plan) -> Plan:
    planned = expect_change(planned)
    if planned.first_error is not None:
        raise planned.first_error
    return planned


def _before(
    changes: Iterable[RecordedFile], files: Snapshot, kept: Kept, stores_lf: StoresLf
) -> Iterator[tuple[str, File | None]]:
    """The files that a spec was applied to; as git stores them, where that is what is committed."""
    for change in changes:
        if change.path is None or change.before is None:
            if change.new_path is not None:
                yield change.new_path, None
            continue
        data = kept(change.before.sha256)
        if data is None:
            raise InvalidInput(change.path, "the version that was edited is no longer stored")
        there = files.get(change.path)
        if there is not None and _to_stored(change.path, data, there.data, stores_lf) == there.data:
            yield change.path, there
        else:
            yield change.path, File(data, change.before.mode)


def _to_stored(path: str, data: bytes, before: bytes, stores_lf: StoresLf) -> bytes:
    """What git makes of a file of the checkout."""
    if data != before and stores_lf(path, data, before):
        return data.replace(b"\r\n", b"\n")
    return data


def _move_lines(spec: Spec, planned: Plan) -> Spec:
    """The spec with the line numbers at which its edits landed."""
    pairs = zip(spec.edits, planned.outcomes, strict=True)
    moved = tuple(_renumber(edit, outcome, spec) for edit, outcome in pairs)
    return replace(spec, edits=moved)


def _renumber(edit: AnyEdit, outcome: EditOutcome, spec: Spec) -> AnyEdit:
    first, last = (outcome.lines if spec.sequential else outcome.base_lines)[0]
    if isinstance(edit, InsertAfter):
        return replace(edit, after_line=last)
    if isinstance(edit, ReplaceRange):
        return replace(edit, start_line=first, end_line=last)
    return edit


@dataclass
class Built:
    """The files after all edits; each spec's edits as placed; and those that have no place."""

    files: Overlay
    steps: list[tuple[tuple[PendingEdit, ...], PlannedSpec]] = field(default_factory=list)
    refused: dict[PendingEdit, HkgitError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommitBuilder:
    """Applies edits to the files of a commit's parent, in the order in which they were made.

    `known` keeps what came of the edits of a spec, by those edits and the files on which they were
    placed, so that none is placed there again.
    """

    before: Snapshot
    stores_lf: StoresLf
    known: dict[tuple[object, ...], Built] = field(default_factory=dict)

    def build(self, units: Sequence[PendingEdit]) -> Built:
        """Place edits, spec by spec; one that has no place is left out."""
        built = Built(Overlay(self.before))
        for spec, group in groupby(units, key=lambda unit: unit.key):
            units_of_spec = tuple(group)
            numbers = tuple(unit.number for unit in units_of_spec)
            key = spec, numbers, frozenset(built.files.files.items())
            if key not in self.known:
                self.known[key] = self._place_spec(built.files, units_of_spec)
            found = self.known[key]
            built.files = found.files
            built.steps += found.steps
            built.refused |= found.refused
        return built

    def maker(self, paths: Sequence[str]) -> Callable[[Sequence[PendingEdit]], Contents]:
        """Return a function from edits to what they make of some files."""
        return lambda units: read_contents(self.build(units).files, paths)

    def _place_spec(self, files: Overlay, units: tuple[PendingEdit, ...]) -> Built:
        """Place the edits of a spec: all of them, else those that can be, beside the others."""
        try:
            return self._add(files, units)
        except HkgitError as error:
            if len(units) == 1:
                return self._restate(files, units[0], error)
        refused: dict[PendingEdit, HkgitError] = {}
        kept: tuple[PendingEdit, ...] = ()
        for unit in units:
            try:
                self.place(files, (*kept, unit))
            except HkgitError as error:
                refused[unit] = error
            else:
                kept = (*kept, unit)
        built = self._add(files, kept) if kept else Built(files)
        for unit, why in refused.items():
            found = self._restate(built.files, unit, why)
            built.files = found.files
            built.steps += found.steps
            built.refused |= found.refused
        return built

    def _restate(self, files: Overlay, unit: PendingEdit, error: HkgitError) -> Built:
        """Place a blind edit of lines that somebody has not committed on those that are.

        One that leans on a reading stays refused: nobody has read the lines that are committed.
        """
        path = unit.edit.path
        base = files.get(path)
        versions = _find_versions(unit, path)
        if base is None or versions is None or not is_blind(unit.edit.evidence):
            return Built(files, refused={unit: error})
        # Few edits are of such lines.
        touched = unit.edit.base_lines
        try:
            spec = restate_on(path, touched, versions, base.data)
            planned = expect_change(plan(spec, files))
        except HkgitError:
            return Built(files, refused={unit: error})
        if planned.first_error is not None or not planned.files:
            return Built(files, refused={unit: error})
        after = {**files.files, **files_after(planned)}
        return Built(Overlay(self.before, after), [((unit,), PlannedSpec(spec, planned, ()))])

    def _add(self, files: Overlay, units: tuple[PendingEdit, ...]) -> Built:
        found = self.place(files, units)
        after = {**files.files, **files_after(found.plan)}
        return Built(Overlay(self.before, after), [(units, found)])

    def place(self, files: Overlay, units: tuple[PendingEdit, ...]) -> PlannedSpec:
        """Place edits of one spec on some files. Raises the refusal of one that has no place."""
        first = units[0]
        numbers = [unit.number for unit in units]
        return place_spec(first.entry, numbers, files, first.journal.blobs.get, self.stores_lf)


def _find_versions(unit: PendingEdit, path: str) -> tuple[bytes, bytes] | None:
    """Find a file as it was before an edit's spec, and as that left it; None where it made one."""
    for change in unit.entry.files:
        if change.path == change.new_path == path:
            before, after = unit.version(change.before), unit.version(change.after)
            return None if before is None or after is None else (before, after)
    return None


def read_contents(files: Snapshot, paths: Sequence[str]) -> Contents:
    """Read some files of a snapshot, in order."""
    return [files.get(path) for path in paths]


def choose_units(
    builder: CommitBuilder, units: Sequence[PendingEdit], before: Snapshot, after: Snapshot
) -> tuple[set[PendingEdit], list[PendingEdit]]:
    """Choose the edits that are in a commit; return also those whose files are gone from it."""
    kept: set[PendingEdit] = set()
    lost: list[PendingEdit] = []
    for paths, group in group_connected(units):
        make, staged = builder.maker(paths), read_contents(after, paths)
        if not _are_gone(staged) or _are_gone(make(group)):
            effective = find_effective(after, group, before)
            kept.update(choose_edits(group, make, staged, effective))
        else:
            lost += group
    return kept, lost


def _are_gone(files: Contents) -> bool:
    """Whether none of some files is there; the edits of a deleted file go with it."""
    return all(file is None for file in files)
