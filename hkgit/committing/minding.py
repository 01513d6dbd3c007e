"""minding.py: conflicts in mind: before a spec is applied, when it is refused, when it lands."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hkgit.conflicts.consulting import ask, consults_at, consults_in, tries_before
from hkgit.conflicts.meeting import Met
from hkgit.conflicts.noting import STATUSES, Tried, note
from hkgit.conflicts.records import Conflict
from hkgit.conflicts.shelf import Shelf
from hkgit.errors import HkgitError
from hkgit.git.repository import Repository

if TYPE_CHECKING:
    from hkgit.committing.commits import Committed
    from hkgit.committing.preparing import Step
    from hkgit.committing.targets import Choices


def open_conflicts(repository: Repository, branch: str | None) -> Met | None:
    """The conflicts that edits on a branch may resolve; None where there are none.

    Without a branch it is the one that is checked out.
    """
    known = tuple(Shelf.of(repository.common_dir))
    tip = _tip(repository, branch) if known else None
    if tip is None:
        return None
    try:
        states = {each.id: each.answer is not None for each in consults_in(repository, tip)}
    except HkgitError:  # a broken record answers nothing
        states = {}
    return Met(repository, tip, known, states)


def note_refused(repository: Repository, steps: Sequence[Step], choices: Choices) -> list[str]:
    """Write down the conflicts of a spec that was refused; what a person shall hear of it."""
    refused = steps[-1] if steps else None
    if refused is None or all(each.status not in STATUSES for each in refused.made.outcomes):
        return []
    tip = _tip(repository, choices.branch)
    if tip is None:
        return []
    spec = refused.spec
    agent = choices.agent or spec.agent or "unknown"
    base = refused.base if refused.base != tip else None
    tried = Tried(spec, refused.made.outcomes, choices.reads, agent, base, tip)
    return note_tried(repository, tried)


def note_tried(repository: Repository, tried: Tried) -> list[str]:
    """The same of a spec that was refused anywhere."""
    try:
        return [_told(repository, conflict) for conflict in note(repository, tried)]
    except (OSError, HkgitError) as error:
        return [f"warning: the conflict is not recorded: {error}"]


def settle(choices: Choices, done: Sequence[Committed]) -> None:
    """Forget the conflicts that commits which have landed resolve."""
    if choices.met is not None:
        for each in done:
            choices.met.settle(each.record.entry.agent, each.step.made.outcomes)


def _told(repository: Repository, conflict: Conflict) -> str:
    """What is said of a conflict, and the CONSULT if it was tried often enough."""
    tried = len(conflict.tries)
    cause = conflict.causes[-1] if conflict.causes else None
    words = f"conflict {conflict.id}, try {tried}"
    if cause is not None:
        words += f": {conflict.path} was changed by {cause.commit[:12]} {cause.subject[:60]}"
    allowed = tries_before(repository.snapshot(conflict.tip))
    if tried < allowed or repository.work_tree is None:
        return words
    return f"{words}; {_asked(repository, repository.work_tree, conflict)}"


def _asked(repository: Repository, work_tree: Path, conflict: Conflict) -> str:
    """What is said of the CONSULT of a conflict, which is written if it does not stand yet."""
    standing = next((each for each in consults_at(work_tree) if each.id == conflict.id), None)
    if standing is not None and standing.answer is not None:
        return f"{standing.answer.by} decided: {standing.answer.decision}"
    if standing is None:
        ask(repository, work_tree, conflict, int(time.time()))
    made = "was written" if standing is None else "stands"
    return f"a CONSULT {made}: a person answers it with hkgit consult answer {conflict.id}"


def _tip(repository: Repository, branch: str | None) -> str | None:
    return repository.head().commit if branch is None else repository.branch_tip(branch)
