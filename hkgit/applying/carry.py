"""Edits carried from the files they were written for to those of a branch that has moved.

Both placements must agree: where an edit lands on the base, carried through the line diff, is
where it lands on the tip. Anything else is stale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.line_map import LineMap
from hkgit.applying.outcome import Plan
from hkgit.applying.planner import Options, plan
from hkgit.edits import InsertAfter, Read, ReplaceRange, Snapshot, Spec
from hkgit.errors import Stale
from hkgit.values import replace

PlacedEdit = tuple[str, str | None, Sequence[Lines]]
"""The path of an edit, its tier, and the lines of the base that it touches."""


def carry_plan(
    spec: Spec,
    base: Snapshot,
    tip: Snapshot,
    options: Options,
    reads: Sequence[Read],
    ahead: Sequence[Read] = (),
) -> tuple[Plan, tuple[Read, ...]]:
    """Plan on the tip's files a spec that refers to the base's; return also the carried reads.

    Those `ahead` refer to the tip already, and replace all others of their files there.
    Raises Stale when an edit cannot be carried.
    """
    on_base = plan(spec, base, options, reads)
    if not on_base.ok:
        return on_base, tuple(reads)
    placed = [(each.path, each.tier, each.base_lines) for each in on_base.outcomes]
    moved = find_line_maps((path for path, _, _ in placed), base, tip)
    known = {read.path for read in ahead}
    behind = (read for read in reads if read.path not in known)
    carried_reads = (*_carry_reads(behind, moved), *ahead)
    return plan_carried(spec, placed, moved, tip, options, carried_reads), carried_reads


def find_line_maps(paths: Iterable[str], base: Snapshot, tip: Snapshot) -> dict[str, LineMap]:
    """Find the line map of every file that the tip has changed. Raises Stale where one is gone."""
    maps = {}
    for path in {*paths}:
        before, after = base.get(path), tip.get(path)
        if before is not None and after is None:
            raise _stale(path, "the file is gone")
        if before is None and after is not None:
            raise _stale(path, "the file was created")
        if before is not None and after is not None and before.data != after.data:
            maps[path] = LineMap.between(before.data, after.data)
    return maps


def plan_carried(
    spec: Spec,
    placed: Sequence[PlacedEdit],
    moved: Mapping[str, LineMap],
    tip: Snapshot,
    options: Options,
    reads: Sequence[Read],
) -> Plan:
    """Plan on the tip's files a spec whose edits had places on the base's.

    Raises Stale where an edit lands anywhere else than its place is carried to.
    """
    expected = {at: _carry_lines(each, moved) for at, each in enumerate(placed, 1)}
    ranges = {
        number: lines[0]
        for number, lines in expected.items()
        if isinstance(spec.edits[number - 1], ReplaceRange | InsertAfter)
    }
    on_tip = plan(spec, tip, replace(options, carried=ranges), reads)
    for outcome in on_tip.outcomes:
        if outcome.error is None and outcome.base_lines != expected[outcome.number]:
            raise _stale(outcome.path, "the old text is now at another place")
    return on_tip


def _carry_lines(placed: PlacedEdit, moved: Mapping[str, LineMap]) -> tuple[Lines, ...]:
    """The lines of the tip that an edit must touch."""
    path, tier, touched = placed
    if path not in moved:
        return tuple(touched)
    if tier == "file":
        raise _stale(path, "the file was changed")
    carried = [moved[path].carry(lines) for lines in touched]
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


def _stale(path: str, what: str) -> Stale:
    fix = f"Read it again (`hkgit read {path}`) and write the edit against that."
    return Stale(path, f"{what} between the base and the tip of the branch", fix)
