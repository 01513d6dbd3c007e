"""tracking.py: find the open conflicts of a branch, and write down what was refused again."""

from __future__ import annotations

import time

from hkgit.errors import HkgitError
from hkgit.gate.conflicts.consulting import (
    ask,
    consult_path,
    is_set_up,
    read_allowed_tries,
    read_consults_of,
)
from hkgit.gate.conflicts.noting import RefusedSpec, note
from hkgit.gate.conflicts.records import ConflictRecord
from hkgit.gate.conflicts.resolution import ConflictsMet
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.gate.conflicts.tries import renew_conflict
from hkgit.git.repository import Repository


def find_open_conflicts(repository: Repository, branch: str | None) -> ConflictsMet | None:
    """Find the conflicts that edits on a branch may resolve; None where there are none.

    Without a branch it is the one that is checked out.
    """
    known = tuple(ConflictStore.of(repository.common_dir))
    tip = tip_of(repository, branch) if known else None
    if tip is None:
        return None
    try:
        states = {each.id: each.answer is not None for each in read_consults_of(repository, tip)}
    except HkgitError:  # a broken record answers nothing
        states = {}
    return ConflictsMet(repository, tip, known, states)


def note_tried(repository: Repository, tried: RefusedSpec) -> list[str]:
    """Record the conflicts of a refused spec; return a line on each."""
    try:
        return [_describe_conflict(repository, conflict) for conflict in note(repository, tried)]
    except (OSError, HkgitError) as error:
        return [f"warning: the conflict is not recorded: {error}"]


def _describe_conflict(repository: Repository, conflict: ConflictRecord) -> str:
    """A line on a conflict; writes its CONSULT once it was tried often enough."""
    cause = conflict.causes[-1] if conflict.causes else None
    words = f"conflict {conflict.id}, try {len(conflict.tries)}"
    if cause is not None:
        words += f": {conflict.path} was changed by {cause.commit[:12]} {cause.subject[:60]}"
    asked = _ask_consult(repository, conflict)
    return words if asked is None else f"{words}; {asked}"


def _ask_consult(repository: Repository, conflict: ConflictRecord) -> str | None:
    """What a person has decided or is asked; None where it was not tried often enough."""
    files = repository.snapshot(conflict.tip)
    allowed = read_allowed_tries(files)
    if len(conflict.tries) < allowed or repository.work_tree is None:
        return None
    committed = (
        each for each in read_consults_of(repository, conflict.tip) if each.id == conflict.id
    )
    consult = next(committed, None)
    answer = None if consult is None else consult.answer
    if consult is not None and answer is not None:
        since = conflict.tries[len(consult.conflict.tries) :]
        if len(since) < allowed:
            return f"{answer.by} decided: {answer.decision}"
        conflict = renew_conflict(repository, conflict, since)
    if not is_set_up(files, repository.work_tree):
        return None
    is_new = not (repository.work_tree / consult_path(conflict.id)).exists()
    if is_new:
        ask(repository, repository.work_tree, conflict, int(time.time()))
    verb = "was written" if is_new else "stands"
    return f"a CONSULT {verb}: a person answers it with hkgit consult answer {conflict.id}"


def tip_of(repository: Repository, branch: str | None) -> str | None:
    return repository.head().commit if branch is None else repository.branch_tip(branch)
