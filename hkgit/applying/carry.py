"""Edits carried from the files they were written for to those of a branch that has moved.

Both placements must agree: where an edit lands on the base, carried through the line diff, is
where it lands on the tip. Anything else is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from hkgit.applying.evidence import is_empty, whole
from hkgit.applying.hunk import map_lines
from hkgit.applying.outcome import EditOutcome, FileChange, Plan
from hkgit.applying.planner import Options, plan
from hkgit.edits import InsertAfter, Read, ReplaceRange, Snapshot, Spec
from hkgit.errors import Stale
from hkgit.text.diff import LineMap
from hkgit.text.document import Document, Lines
from hkgit.text.escape import quote_word
from hkgit.values import replace


def carry_plan(
    spec: Spec,
    base: Snapshot,
    tip: Snapshot,
    options: Options,
    reads: Sequence[Read],
    ahead: Sequence[Read] = (),
) -> tuple[Plan, tuple[Read, ...]]:
    """Plan on the tip's files a spec that refers to the base's; return also the carried reads.

    Those `ahead` refer to the tip already, and replace all others of their files there. Raises
    Stale where an edit lands anywhere else than its place on the base is carried to.
    """
    on_base = plan(spec, base, options, reads)
    if not on_base.ok:
        return on_base, tuple(reads)
    moved = _find_line_maps({each.path for each in on_base.outcomes}, base, tip)
    known = {read.path for read in ahead}
    behind = (read for read in reads if read.path not in known)
    carried_reads = (*_carry_reads(behind, moved), *ahead)
    expected = {each.number: _carry_lines(each, moved) for each in on_base.outcomes}
    ranges = {
        number: lines[0]
        for number, lines in expected.items()
        if isinstance(spec.edits[number - 1], ReplaceRange | InsertAfter)
    }
    on_tip = plan(spec, tip, replace(options, carried=ranges), carried_reads)
    for outcome in on_tip.outcomes:
        if outcome.error is None and outcome.base_lines != expected[outcome.number]:
            raise _stale(outcome.path, "the old text is now at another place")
    return on_tip, carried_reads


def _find_line_maps(paths: Iterable[str], base: Snapshot, tip: Snapshot) -> dict[str, LineMap]:
    """The line map of every file that the tip has changed. Raises Stale where one is gone."""
    maps = {}
    for path in paths:
        before, after = base.get(path), tip.get(path)
        if before is not None and after is None:
            raise _stale(path, "the file is gone")
        if before is None and after is not None:
            raise _stale(path, "the file was created")
        if before is not None and after is not None and before.data != after.data:
            maps[path] = LineMap.between(before.data, after.data)
    return maps


def _carry_lines(placed: EditOutcome, moved: Mapping[str, LineMap]) -> tuple[Lines, ...]:
    """The lines of the tip that an edit must touch."""
    path = placed.path
    if path not in moved:
        return placed.base_lines
    if placed.tier == "file":
        raise _stale(path, "the file was changed")
    carried = [moved[path].carry(lines) for lines in placed.base_lines]
    found = tuple(lines for lines in carried if lines is not None)
    if len(found) != len(carried):
        raise _stale(path, "the lines of this edit were changed")
    return found


def _carry_reads(reads: Iterable[Read], moved: Mapping[str, LineMap]) -> Iterator[Read]:
    """The reads in lines of the tip. A receipt of lines that changed is none any more."""
    for read in reads:
        if read.path not in moved or read.start_line is None or read.end_line is None:
            yield read
            continue
        lines = moved[read.path].carry((read.start_line, read.end_line))
        if lines is not None:
            yield replace(read, start_line=lines[0], end_line=lines[1])
        elif read.kind == "hash":
            raise _stale(read.path, "lines that were read were changed")


def follow_reads(reads: Iterable[Read], plan: Plan) -> tuple[Read, ...]:
    """Rewrite reads that hold before a plan as reads of the files that the plan leaves.

    What the plan left alone has moved, what it wrote is known. A hash without lines becomes the
    lines that it was found to refer to.
    """
    changes = {change.path: change for change in plan.files if change.path is not None}
    followed = (_follow_read(read, changes.get(read.path), plan) for read in reads)
    return tuple(chain.from_iterable(followed))


def renew_reads(reads: Iterable[Read], ahead: Sequence[Read]) -> tuple[Read, ...]:
    """Put the reads `ahead` in place of all others of their files."""
    known = {read.path for read in ahead}
    return (*(read for read in reads if read.path not in known), *ahead)


def _follow_read(read: Read, change: FileChange | None, plan: Plan) -> Iterator[Read]:
    if change is None:
        yield read
        return
    if change.new_path is None or change.before is None or change.after is None:
        return
    after = Document(change.after.data)
    known = _lines(read, Document(change.before.data), plan)
    for first, last in map_lines(change.hunks).learn(known):
        yield Read(
            path=change.new_path,
            start_line=first,
            end_line=last,
            range_hash=after.range_hash(first, last),
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


def _stale(path: str, what: str) -> Stale:
    fix = f"Read it again (`hkgit read {quote_word(path)}`) and write the edit against that."
    return Stale(path, f"{what} between the base and the tip of the branch", fix)
