"""conflicts.py: record the conflicts that a refused call met, for the next try and for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from hkgit.errors import HkgitError
from hkgit.gate.conflicts.noting import RefusedSpec
from hkgit.gate.conflicts.tracking import note_tried
from hkgit.git.repository import Repository
from hkgit.sessions.drafting import CallPlan


def keep_conflicts(
    root: Path, made: CallPlan, agent: str, earlier: Callable[[str], Iterable[bytes]]
) -> tuple[str, ...]:
    """Record the conflicts of a refused call in a checkout; return what to say of them.

    `earlier` gives the versions of a file that the session has met.
    """
    try:
        repository = Repository.discover(root)
        tip = repository.head().commit
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    if tip is None:
        return ()
    last = made.steps[-1]
    tried = RefusedSpec(
        last.spec,
        last.plan.outcomes,
        reads=last.reads,
        agent=agent,
        base=None,
        tip=tip,
        files=made.series.files,
        earlier=earlier,
    )
    return tuple(note_tried(repository, tried))
