"""tries.py: tell whether a refused edit is another try of one that was refused before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hkgit.applying.draft import Lines
from hkgit.gate.conflicts.history import (
    document_at,
)
from hkgit.gate.conflicts.records import ConflictRecord, ConflictTry
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.git.repository import Repository
from hkgit.text.diff import find_changes, follow
from hkgit.values import replace

MOST_TRIES = 50
"""The most tries in a record; the newest are kept."""


def join_tries(
    repository: Repository, met: ConflictRecord, known: Sequence[ConflictRecord]
) -> ConflictRecord:
    """Join a conflict to a known one of the same edit or at the same place."""
    mine = [each for each in known if (each.agent, each.path) == (met.agent, met.path)]
    again = (each for each in mine if each.edit == met.edit)
    near = (each for each in mine if _is_next_try(repository, each, met))
    earlier = next(again, None) or next(near, None)
    if earlier is None:
        return met
    causes = tuple(dict.fromkeys((*earlier.causes, *met.causes)))
    tries = (*earlier.tries, *met.tries)[-MOST_TRIES:]
    return replace(met, id=earlier.id, causes=causes, tries=tries)


def renew_conflict(
    repository: Repository, conflict: ConflictRecord, tries: Sequence[ConflictTry]
) -> ConflictRecord:
    """Replace a conflict that went on after a person's decision by a new one with the tries since.

    Raises OSError where the git directory cannot be written.
    """
    store = ConflictStore.of(repository.common_dir)
    name = hashlib.sha256(f"{conflict.id} {tries[0].time}".encode()).hexdigest()[:16]
    fresh = replace(conflict, id=name, tries=tuple(tries))
    store.keep(fresh)
    store.drop(conflict)
    return fresh


def _is_next_try(repository: Repository, known: ConflictRecord, met: ConflictRecord) -> bool:
    """Whether another edit is one of the same lines, as far as they are known.

    What two edits expected of one version tells more than where that may stand now.
    """
    before, now = known.expected, met.expected
    if before.range_hash is not None and before.range_hash == now.range_hash:
        return before.lines == now.lines or None in (before.lines, now.lines)
    if before.lines is not None and before.lines == now.lines:
        return True
    if known.lines is None or met.lines is None:
        return False
    if before.lines is not None and now.lines is not None and known.causes == met.causes:
        return _overlap(before.lines, now.lines)
    return is_same_place(repository, known, met.agent, met.path, met.lines, met.tip)


def _overlap(left: Lines, right: Lines) -> bool:
    """Whether ranges have a line in common; an empty one is in both lines around it."""
    (a, b), (c, d) = ((min(each), max(each)) for each in (left, right))
    return a <= d and c <= b


def is_same_place(
    repository: Repository,
    known: ConflictRecord,
    agent: str,
    path: str,
    lines: Lines | None,
    tip: str,
) -> bool:
    """Whether lines of a file at a commit are those that a known conflict is about."""
    if (known.agent, known.path) != (agent, path):
        return False
    if known.lines is None or lines is None:
        return True
    first, last = known.lines
    if known.tip != tip:
        old, new = (document_at(repository, commit, path) for commit in (known.tip, tip))
        if old is not None and new is not None:
            first, last = follow(find_changes(old.lines, new.lines), known.lines)
    return _overlap((first, last), lines)
