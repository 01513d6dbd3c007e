"""adopting.py: find the transcripts that `hkgit adopt` reads, and ask them for the gate."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from hkgit.agents.transcripts.locating import AGENTS, find_logs, logs_at
from hkgit.agents.transcripts.logged.reading import Logs
from hkgit.errors import HkgitError, InvalidInput
from hkgit.git.repository import Repository
from hkgit.git.worktrees import find_checkout, list_checkouts

QUICK = 64 * 2**20
"""So many bytes of transcripts are read while somebody waits for a commit."""


def open_logs(repository: Repository, source: str | None) -> Logs:
    """Open the transcripts that were named, or those that speak of one of the checkouts.

    Raises InvalidInput where there are none.
    """
    checkout = partial(find_checkout, repository)
    if source is not None and source not in AGENTS:
        return Logs(logs_at(Path(source)), checkout)
    found = find_logs(list_checkouts(repository), os.environ, source)
    if not found:
        fix = "Name where they are: hkgit adopt --from DIRECTORY"
        raise InvalidInput("transcripts", "no agent has logged work in this checkout", fix)
    return Logs(found, checkout)


def is_explained(repository: Repository, tree: str) -> bool:
    """Whether transcripts explain all of a tree that is about to be committed.

    False also where there are none, or more of them than can be read meanwhile.
    """
    try:
        found = find_logs(list_checkouts(repository), os.environ)
        if not found or sum(path.stat().st_size for path in found) > QUICK:
            return False
        # Few commits are rejected, and few of them have transcripts.
        from hkgit.workflows.adopting.adopting import AdoptRequest, adopt

        logs = Logs(found, partial(find_checkout, repository))
        [done] = adopt(repository, AdoptRequest(logs, tree=tree, keeps=False))
        return done.is_whole and bool(done.entries)
    except (HkgitError, OSError):
        return False
