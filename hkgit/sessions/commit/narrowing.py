"""narrowing.py: reduce evidence of a file or range to the lines that others have not changed.

What was read holds line by line: when somebody changes one line of a range, the lines above and
below it are still known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hkgit import dialects
from hkgit.applying.carry.carrying import LineMap
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import LATE, is_empty
from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.edits import AnyEdit, Edit, Read, ReplaceRange, Snapshot, Spec, TagEdit
from hkgit.text.document import Document
from hkgit.values import replace


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
    return render_with_edits(spec, edits)


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


def render_with_edits(spec: Spec, edits: Sequence[AnyEdit]) -> Spec:
    """Render a spec again, in its dialect, with other edits in place of its own."""
    if tuple(edits) == spec.edits:
        return spec
    render = dialects.DIALECTS[spec.dialect].render
    blocks = tuple(
        block if new == old else render([new])
        for new, old, block in zip(edits, spec.edits, spec.blocks, strict=True)
    )
    return replace(spec, edits=tuple(edits), blocks=blocks)
