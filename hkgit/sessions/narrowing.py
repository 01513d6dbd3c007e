"""narrowing.py: evidence of a whole file or range, as evidence of those lines that others left.

What was read holds line by line: of a range in which somebody has changed one line, the lines
above and below it are known as well as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hkgit import dialects
from hkgit.applying.carrying import LineMap
from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_empty
from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.document import Document
from hkgit.edits import AnyEdit, Edit, Read, ReplaceRange, Snapshot, Spec, TagEdit


def movable(reads: Iterable[Read], base: Snapshot, files: Snapshot) -> Iterator[Read]:
    """Reads of `base` as receipts of those of their lines that stand in `files` too."""
    for read in reads:
        before, now = base.get(read.path), files.get(read.path)
        if before is None or now is None:
            continue
        document = Document(before.data)
        moved = LineMap.between(before.data, now.data).lines
        for lines in _runs(_lines_of(read, document), moved):
            hashed = document.range_hash(*lines)
            yield Read(read.path, *lines, hashed, "receipt")


def _lines_of(read: Read, document: Document) -> Lines:
    """The lines that a read speaks of; none where it is the hash of some range."""
    if read.start_line is not None and read.end_line is not None:
        return read.start_line, read.end_line
    is_whole = document.whole_hash.startswith(read.range_hash)
    return (1, document.line_count) if is_whole else (1, 0)


def _runs(lines: Lines, moved: dict[int, int]) -> Iterator[Lines]:
    """The stretches of some lines that stand together in the other file as well."""
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


def narrowed(spec: Spec, made: Plan, base: Snapshot) -> Spec:
    """The spec with the hash of a whole file put as that of the lines which each edit touches."""
    pairs = zip(spec.edits, made.outcomes, strict=True)
    edits = tuple(_narrowed(edit, outcome, base) for edit, outcome in pairs)
    return respoken_as(spec, edits)


def _narrowed(edit: AnyEdit, outcome: EditOutcome, base: Snapshot) -> AnyEdit:
    if not isinstance(edit, Edit | ReplaceRange | TagEdit) or edit.expected_hash is None:
        return edit
    file, touched = base.get(edit.path), outcome.base_lines
    if file is None or outcome.evidence.lines is None or len(touched) != 1 or is_empty(touched[0]):
        return edit
    return replace(edit, expected_hash=Document(file.data).range_hash(*touched[0]))


def respoken_as(spec: Spec, edits: Sequence[AnyEdit]) -> Spec:
    """The spec with other edits in place of its own, said in its dialect."""
    if tuple(edits) == spec.edits:
        return spec
    render = dialects.DIALECTS[spec.dialect].render
    blocks = tuple(
        block if new == old else render([new])
        for new, old, block in zip(edits, spec.edits, spec.blocks, strict=True)
    )
    return replace(spec, edits=tuple(edits), blocks=blocks)
