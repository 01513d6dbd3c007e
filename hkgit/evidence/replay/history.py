"""history.py: find when ledger records were added and removed in a history."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import lru_cache

from hkgit.evidence.ledger.names import LEDGER
from hkgit.git.repository import Repository

_LOG = ("log", "--no-renames", "--no-ext-diff", "--full-history", "--format=commit %H")


def find_last_commit(repository: Repository, tip: str, path: str, kind: str) -> str | None:
    """Find the last commit up to `tip` that added (`A`) or removed (`D`) a path of the ledger."""
    args = (*_LOG, "-1", f"--diff-filter={kind}", tip, "--", f":(top,literal){path}")
    return repository.git(*args).text.removeprefix("commit ").strip() or None


def was_there(repository: Repository, tip: str, commit: str, path: str) -> bool:
    """Whether the history of `commit`, which that of `tip` covers, removed a path of the ledger.

    A record that is not there, and that nobody removed, never was.
    """
    removed = find_removals(repository, tip).get(path, ())
    return any(repository.is_ancestor(each, commit) for each in removed)


@lru_cache(maxsize=4)
def find_removals(repository: Repository, tip: str) -> dict[str, tuple[str, ...]]:
    """Map the paths of all records that a history removed to the commits that did.

    Asked for once a run: git is quick at this, but a process for each commit would not be.
    """
    args = (*_LOG, "-z", "--diff-filter=D", "--name-only", "-m", tip, "--", f":(top){LEDGER}")
    listed = os.fsdecode(repository.git(*args).stdout)
    found: dict[str, tuple[str, ...]] = defaultdict(tuple)
    commit = ""
    for word in listed.replace("\n", "\0").split("\0"):
        if word.startswith("commit "):
            commit = word.removeprefix("commit ")
        elif word:
            found[word] += (commit,)
    return dict(found)
