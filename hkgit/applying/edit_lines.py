"""Carry reads through one's own edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import is_empty, whole
from hkgit.applying.hunk import Hunk
from hkgit.applying.outcome import FileChange, Plan
from hkgit.edits import Read
from hkgit.text.document import Document


def follow_reads(reads: Iterable[Read], plan: Plan) -> tuple[Read, ...]:
    """Rewrite reads that hold before a plan as reads of the files that the plan leaves.

    What the plan left alone has moved, what it wrote is known. A hash without lines becomes the
    lines that it was found to refer to.
    """
    changes = {change.path: change for change in plan.files if change.path is not None}
    return tuple(
        each
        for read in reads
        for each in (
            _follow_file_reads(read, changes[read.path], plan) if read.path in changes else (read,)
        )
    )


def renew_reads(reads: Iterable[Read], ahead: Sequence[Read]) -> tuple[Read, ...]:
    """Put the reads `ahead` in place of all others of their files."""
    known = {read.path for read in ahead}
    return (*(read for read in reads if read.path not in known), *ahead)


def _follow_file_reads(read: Read, change: FileChange, plan: Plan) -> Iterator[Read]:
    if change.new_path is None or change.before is None or change.after is None:
        return
    after = Document(change.after.data)
    known = _lines(read, Document(change.before.data), plan)
    for first, last in edit_lines(known, change.hunks):
        range_hash = after.range_hash(first, last)
        yield Read(
            path=change.new_path,
            start_line=first,
            end_line=last,
            range_hash=range_hash,
            kind=read.kind,
        )


def _lines(read: Read, before: Document, plan: Plan) -> list[Lines]:
    """The lines that a read refers to: its own, all, or those that edits were tied to by it."""
    if read.start_line is not None and read.end_line is not None:
        return [(read.start_line, read.end_line)]
    if before.whole_hash.startswith(read.range_hash):
        return [whole(before)]
    return [
        lines
        for outcome in plan.outcomes
        if outcome.evidence.kind == read.kind and outcome.path == read.path
        for lines in outcome.base_lines
        if not is_empty(lines) and before.range_hash(*lines).startswith(read.range_hash)
    ]


def edit_lines(known: Sequence[Lines], hunks: Iterable[Hunk]) -> list[Lines]:
    """Carry known lines over an edit of one's own: the rest moves, what it wrote is known."""
    ranges: list[Lines] = []
    shift, done = 0, 1
    for hunk in hunks:
        ranges += _move_lines(known, done, hunk.start_line - 1, shift)
        count = len(hunk.new_lines)
        if count:
            ranges.append((hunk.start_line + shift, hunk.start_line + shift + count - 1))
        shift += count - (hunk.end_line - hunk.start_line + 1)
        done = hunk.end_line + 1
    last = max((end for _, end in known), default=0)
    ranges += _move_lines(known, done, last, shift)
    return join_lines(ranges)


def _move_lines(known: Iterable[Lines], first: int, last: int, shift: int) -> Iterator[Lines]:
    """The known lines between two lines, moved."""
    for start, end in known:
        low, high = max(start, first), min(end, last)
        if low <= high:
            yield low + shift, high + shift


def join_lines(lines: Iterable[Lines]) -> list[Lines]:
    """Sort ranges, and join those that touch or overlap. An empty range stays only if it is
    alone."""
    ranges: list[Lines] = []
    for first, last in sorted(lines):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(ranges[-1][1], last)
        else:
            ranges.append((first, last))
    return ranges
