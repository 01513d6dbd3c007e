"""conflicts.py: keeps what a refused call met that others did, for the next try and for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from hkgit.errors import HkgitError
from hkgit.gate.conflicts.noting import RefusedSpec
from hkgit.gate.conflicts.tracking import note_tried
from hkgit.git.repository import Repository
from hkgit.sessions.drafting import SeriesPlan


def keep_conflicts(
    root: Path, made: SeriesPlan, agent: str, earlier: Callable[[str], Iterable[bytes]]
) -> tuple[str, ...]:
    """Write down the conflicts of a refused draft in a checkout; what is to be said of them.

    `earlier` gives the versions of a file that the session has met.
    """
    try:
        repository = Repository.discover(root)
        tip = repository.head().commit
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    if tip is None:
        return ()
    last = made.drafted[-1]
    tried = RefusedSpec(
        last.spec, last.made.outcomes, last.reads, agent, None, tip, made.files, earlier
    )
    return tuple(note_tried(repository, tried))
