"""awaiting.py: find the edits that the next commit may hold, from the checkout and git's state."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from hkgit.edits import decode_text
from hkgit.git.repository import Repository
from hkgit.sessions.commit.pending import PendingEdit, list_waiting
from hkgit.sessions.storage.journal import SessionJournal

_REMADE = 24 * 3600
"""Seconds within which a commit that was made past the hooks may be made again with them."""

_REBASING = ("rebase-merge", "rebase-apply")

_NAMED = 200
"""The most paths to pass to git; with more, it is asked about all files."""


def find_awaiting(
    repository: Repository, root: Path, journals: Sequence[SessionJournal]
) -> list[PendingEdit]:
    """Find the edits that are in the checkout and not in HEAD."""
    effective = _find_effective(root, list_waiting(journals))
    changed = _find_changed(repository, {path for unit in effective for path in unit.paths})
    return [unit for unit in effective if unit.paths & changed]


def may_be_committed(
    repository: Repository, root: Path, journals: Sequence[SessionJournal]
) -> bool:
    """Whether the next commit must look for edits: some wait, or git may yet restore some.

    From a stash, or from the commits that it makes again in a rebase.
    """
    units = list_waiting(journals)
    if not units or any(journal.state.proposed for journal in journals):
        return bool(units)
    if "PRE_COMMIT" in os.environ:  # the framework has put aside what is not staged
        return True
    effective = _find_effective(root, units)
    changed = _find_changed(repository, {path for unit in effective for path in unit.paths})
    since = (time.time() - _REMADE) * 1000
    if any(unit.paths & changed or unit.call.time > since for unit in effective):
        return True
    if len(effective) == len(units):
        return False
    if any((repository.git_dir / each).exists() for each in _REBASING):
        return True
    stash = repository.git("rev-parse", "--quiet", "--verify", "refs/stash", check=False)
    return stash.code == 0


def _find_effective(root: Path, units: Sequence[PendingEdit]) -> list[PendingEdit]:
    """Find the edits that stand in the checkout."""
    # Where nothing waits, as after most commits, nobody waits for it.
    from hkgit.sessions.abandoning import find_effective
    from hkgit.sessions.readings.checkout import Checkout

    return find_effective(Checkout(root), units)


def _find_changed(repository: Repository, paths: Collection[str]) -> frozenset[str]:
    """Find those of some paths that differ from HEAD in the index or the checkout."""
    if not paths:
        return frozenset()
    named = ["--", *sorted(paths)] if len(paths) <= _NAMED else []
    status = repository.git(
        "--literal-pathspecs",
        "--no-optional-locks",
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        *named,
    )
    return frozenset(entry[3:] for entry in decode_text(status.stdout).split("\0") if entry)
