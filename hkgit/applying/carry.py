"""Ranges and edits carried through changes of a file.

Both placements must agree: where an edit lands on the base, carried through the line diff, is
where it lands on the tip. Anything else is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from hkgit.applying.draft import Lines
from hkgit.applying.outcome import EditOutcome, Plan
from hkgit.applying.planner import Options, plan
from hkgit.edits import InsertAfter, Read, ReplaceRange, Snapshot, Spec
from hkgit.errors import Stale
from hkgit.text.diff import find_common
from hkgit.text.document import Document
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class LineMap:
    """Which line of the tip each line of the base has become; lines that changed have none."""

    lines: Mapping[int, int]

    @classmethod
    def between(cls, base: bytes, tip: bytes) -> LineMap:
        pairs = find_common(Document(base).lines, Document(tip).lines)
        return cls({i + 1: j + 1 for i, j in pairs})

    def carry(self, lines: Lines) -> Lines | None:
        """Map lines of the base to the tip; None when they changed or came apart."""
        first, last = lines
        if first > last:
            return self._point(last)
        moved = [self.lines.get(number) for number in range(first, last + 1)]
        start = moved[0]
        if start is None or moved != list(range(start, start + len(moved))):
            return None
        return start, start + len(moved) - 1

    def _point(self, above: int) -> Lines | None:
        """The point below a line; at the top of the file, the top."""
        moved = 0 if above == 0 else self.lines.get(above)
        return None if moved is None else (moved + 1, moved)


def carry_plan(
    spec: Spec,
    base: Snapshot,
    tip: Snapshot,
    options: Options,
    reads: Sequence[Read],
    ahead: Sequence[Read] = (),
) -> tuple[Plan, tuple[Read, ...]]:
    """Plan on the tip's files a spec that speaks of the base's; return also the carried reads.

    Those `ahead` speak of the tip already, and stand there for all others of their files.
    Raises Stale when an edit cannot be carried.
    """
    on_base = plan(spec, base, options, reads)
    if not on_base.ok:
        return on_base, tuple(reads)
    moved = _line_maps(on_base, base, tip)
    expected = {each.number: _carry_lines(each, moved) for each in on_base.outcomes}
    ranges = {
        number: lines[0]
        for number, lines in expected.items()
        if isinstance(spec.edits[number - 1], ReplaceRange | InsertAfter)
    }
    known = {read.path for read in ahead}
    behind = (read for read in reads if read.path not in known)
    carried_reads = (*_carry_reads(behind, moved), *ahead)
    on_tip = plan(spec, tip, replace(options, carried=ranges), carried_reads)
    for outcome in on_tip.outcomes:
        if outcome.error is None and outcome.base_lines != expected[outcome.number]:
            raise _stale(outcome.path, "the old text now stands at another place")
    return on_tip, carried_reads


def _line_maps(on_base: Plan, base: Snapshot, tip: Snapshot) -> dict[str, LineMap]:
    """A line map of every file that the plan touches and the tip has changed."""
    maps = {}
    for path in {outcome.path for outcome in on_base.outcomes}:
        before, after = base.get(path), tip.get(path)
        if before is not None and after is None:
            raise _stale(path, "the file is gone")
        if before is None and after is not None:
            raise _stale(path, "the file was made")
        if before is not None and after is not None and before.data != after.data:
            maps[path] = LineMap.between(before.data, after.data)
    return maps


def _carry_lines(outcome: EditOutcome, moved: Mapping[str, LineMap]) -> tuple[Lines, ...]:
    """The lines of the tip that an edit must touch."""
    if outcome.path not in moved:
        return outcome.base_lines
    if outcome.tier == "file":
        raise _stale(outcome.path, "the file was changed")
    carried = [moved[outcome.path].carry(lines) for lines in outcome.base_lines]
    found = tuple(lines for lines in carried if lines is not None)
    if len(found) != len(carried):
        raise _stale(outcome.path, "the lines of this edit were changed")
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


def _stale(path: str, what: str) -> Stale:
    fix = f"Read it again (`hkgit read {path}`) and write the edit against that."
    return Stale(path, f"{what} between the base and the tip of the branch", fix)


def reads_used(reads: Sequence[Read], plan: Plan) -> tuple[Read, ...]:
    """Find the reads used as evidence by some edit, with full hashes."""
    old_paths = {change.new_path: change.path for change in plan.files}
    used: dict[Read, None] = {}
    for read, outcome in product(reads, plan.outcomes):
        evidence = outcome.evidence
        is_here = read.path in (outcome.path, old_paths.get(outcome.path))
        is_there = read.start_line is None or evidence.lines == (read.start_line, read.end_line)
        full = evidence.expected_hash or ""
        if is_here and is_there and evidence.kind == read.kind and full.startswith(read.range_hash):
            used[replace(read, range_hash=full)] = None
    return tuple(used)
