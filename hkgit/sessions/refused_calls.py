"""Record refused calls, and say which conflicts they met."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.refusal_log import (
    CONFLICTS,
    Refusal,
    RefusalLog,
    describe_conflicts,
    list_refused,
    note_unread,
)
from hkgit.sessions.call_plan import CallPlan
from hkgit.sessions.homes import find_git_dir


def note_refused(root: Path, plan: CallPlan, agent: str) -> tuple[str, ...]:
    """Record what was refused in the clone's own record; return what to say of its conflicts."""
    log = find_log(root)
    if log is None:
        return ()
    edits = [edit for step in plan.steps for edit in step.spec.edits]
    refused = list_refused(edits, plan.outcomes)
    with suppress(OSError):  # nobody's edit is refused for want of a record
        log.note(agent, "edit", int(time.time()), refused)
    is_met = any(each.status in CONFLICTS for each in refused)
    return _describe_conflicts(root, log, agent, refused) if is_met else ()


def note_unread_spec(root: Path, agent: str, call: str, error: InvalidInput) -> None:
    """Keep a spec that cannot be read, in the clone's own record."""
    log = find_log(root)
    if log is not None:
        note_unread(log, agent, call, error)


def find_log(root: Path) -> RefusalLog | None:
    """Find the record of a checkout's clone; None without a repository."""
    git_dir = find_git_dir(root)
    return None if git_dir is None else RefusalLog.of_git_dir(git_dir)


def _describe_conflicts(
    root: Path, log: RefusalLog, agent: str, refused: Sequence[Refusal]
) -> tuple[str, ...]:
    # Few refusals are conflicts, and these open the repository.
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    return tuple(describe_conflicts(repository, log, agent, refused, "HEAD"))
