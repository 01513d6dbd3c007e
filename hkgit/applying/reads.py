"""reads.py: find the reads that a plan uses as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hkgit.applying.outcome import Plan
from hkgit.edits import Read
from hkgit.values import replace


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
