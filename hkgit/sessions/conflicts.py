"""conflicts.py: keeps what a refused call met that others did, for the next try and for people."""

from __future__ import annotations

from pathlib import Path

from hkgit.committing.minding import note_tried
from hkgit.conflicts.noting import Tried
from hkgit.errors import HkgitError
from hkgit.git.repository import Repository
from hkgit.sessions.drafting import Draft


def keep_conflicts(root: Path, made: Draft, agent: str) -> tuple[str, ...]:
    """Write down the conflicts of a refused draft in a checkout; what is to be said of them."""
    try:
        repository = Repository.discover(root)
        tip = repository.head().commit
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    if tip is None:
        return ()
    last = made.drafted[-1]
    tried = Tried(last.spec, last.made.outcomes, last.reads, agent, None, tip, made.files)
    return tuple(note_tried(repository, tried))
