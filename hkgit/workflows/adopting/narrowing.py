"""narrowing.py: which recovered edits a commit can hold, told from versions and times.

A session goes on after a commit, and most often what it left at some moment is just what the
commit has. Then the edits up to that moment are meant, from the one that found the parent's file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hkgit.edits import File, Snapshot
from hkgit.evidence.ledger.canonical import digest
from hkgit.sessions.commit.pending import PendingEdit

SLACK = 120_000
"""Milliseconds that a commit's clock may be behind that of its edits."""


def narrow(
    units: Sequence[PendingEdit],
    sides: tuple[Snapshot, Snapshot],
    paths: Iterable[str],
    author_time: int,
) -> list[PendingEdit]:
    """Select the edits that may be in a commit made at `author_time` (s); all in order of time."""
    kept: set[PendingEdit] = set()
    before, after = sides
    for path in paths:
        here = [unit for unit in units if path in unit.paths]
        kept.update(_narrow_path(here, path, before.get(path), after.get(path), author_time))
    return [unit for unit in units if unit in kept]


def _narrow_path(
    units: Sequence[PendingEdit],
    path: str,
    before: File | None,
    after: File | None,
    author_time: int,
) -> Sequence[PendingEdit]:
    wanted = None if after is None else digest(after.data)
    left = [at for at, unit in enumerate(units) if _states(unit, path)[1] == wanted]
    in_time = [at for at, unit in enumerate(units) if unit.call.time <= author_time * 1000 + SLACK]
    last = max(left or in_time, default=-1)
    found = None if before is None else digest(before.data)
    begun = [at for at in range(last + 1) if _states(units[at], path)[0] == found]
    return units[max(begun, default=0) : last + 1]


def _states(unit: PendingEdit, path: str) -> tuple[str | None, str | None]:
    """What a spec found at a path, and what it left there."""
    for change in unit.journaled.changes:
        if path in (change.path, change.new_path):
            before = change.before if change.path == path else None
            after = change.after if change.new_path == path else None
            return (
                None if before is None else before.sha256,
                None if after is None else after.sha256,
            )
    return "", ""
