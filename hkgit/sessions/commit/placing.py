"""placing.py: plan a journalled spec again on the files of a commit's parent.

The spec was applied to a checkout that may have held changes of others. Its edits must land on
the parent's files at the lines that a line diff maps them to, and are restated in those lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit import dialects
from hkgit.applying.carry.carrying import carry_plan
from hkgit.applying.names import resolve_names
from hkgit.applying.operations.line_ends import StoresLf
from hkgit.applying.outcome import EditOutcome, Plan, expect_change
from hkgit.applying.planner import Options, plan
from hkgit.applying.series import PlannedSpec
from hkgit.edits import AnyEdit, File, InsertAfter, Overlay, Read, ReplaceRange, Snapshot, Spec
from hkgit.errors import InvalidInput
from hkgit.matching.places import Settings
from hkgit.sessions.commit.narrowing import narrow_spec, narrow_to_unchanged, render_with_edits
from hkgit.sessions.readings.knowledge import Kept
from hkgit.sessions.storage.records import JournaledSpec, VersionChange
from hkgit.values import replace


def select_edits(journaled: JournaledSpec, numbers: Sequence[int]) -> Spec:
    """Parse some edits, by number from 1, of a journalled spec. Raises InvalidInput."""
    blocks = tuple(journaled.blocks[number - 1] for number in numbers)
    parsed = [dialects.parse(block, journaled.dialect) for block in blocks]
    edits = tuple(edit for each in parsed for edit in each.edits)
    if len(edits) != len(blocks):
        raise InvalidInput("the journal", "holds a block that is not one edit")
    sequential = dialects.DIALECTS[journaled.dialect].SEQUENTIAL
    miscounted = frozenset(
        at for at, number in enumerate(numbers, 1) if number in journaled.miscounted
    )
    return Spec(
        dialect=journaled.dialect,
        edits=edits,
        blocks=blocks,
        sequential=sequential,
        digest=journaled.digest,
        miscounted=miscounted,
    )


def place_spec(
    journaled: JournaledSpec,
    numbers: Sequence[int],
    reads: Sequence[Read],
    files: Snapshot,
    kept: Kept,
    stores_lf: StoresLf,
) -> PlannedSpec:
    """Place edits on `files`. Raises the refusal of the first that cannot be placed."""
    options = Options(Settings(journaled.threshold), journaled.relocate, stores_lf=stores_lf)
    base = Overlay(files, dict(_before(journaled.changes, files, kept, stores_lf)))
    spec = resolve_names(select_edits(journaled, numbers), base)
    if all(files.get(path) == file for path, file in base.files.items()):
        planned, held = plan(spec, files, options, reads), tuple(reads)
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
    changes: Iterable[VersionChange], files: Snapshot, kept: Kept, stores_lf: StoresLf
) -> Iterator[tuple[str, File | None]]:
    """The files that a spec was applied to; as git stores them, where that is what is committed."""
    for change in changes:
        if change.path is None or change.before is None:
            if change.new_path is not None:
                yield change.new_path, None
            continue
        data = kept(change.before.sha256)
        if data is None:
            raise InvalidInput(change.path, "the version that was edited is not kept any more")
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
    return render_with_edits(spec, [_renumber(edit, outcome, spec) for edit, outcome in pairs])


def _renumber(edit: AnyEdit, outcome: EditOutcome, spec: Spec) -> AnyEdit:
    first, last = (outcome.lines if spec.sequential else outcome.base_lines)[0]
    if isinstance(edit, InsertAfter):
        return replace(edit, after_line=last)
    if isinstance(edit, ReplaceRange):
        return replace(edit, start_line=first, end_line=last)
    return edit
