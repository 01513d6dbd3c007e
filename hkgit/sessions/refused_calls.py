"""Note refused calls in the clone's own record."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.refusal_log import (
    CONFLICTS,
    RefusalLog,
    describe_conflicts,
    list_refused,
    note_unread,
)
from hkgit.git.facts import find_shared
from hkgit.sessions.homes import find_git_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.call_plan import CallPlan


def note_refused(root: Path, plan: CallPlan, agent: str) -> tuple[str, ...]:
    """Record what was refused in the clone's own record; return what to say of its conflicts."""
    log = find_log(root)
    if log is None:
        return ()
    edits = [edit for step in plan.steps for edit in step.spec.edits]
    refused = list_refused(edits, plan.outcomes)
    with suppress(OSError):  # no edit is refused because a record failed
        log.note(agent, "edit", int(time.time()), refused)
    if not any(each.status in CONFLICTS for each in refused):
        return ()
    # Few refusals are conflicts, and these open the repository.
    from hkgit.git.repository import Repository

    try:
        repository = Repository.discover(root)
    except HkgitError:  # no repository: there is nobody to be in conflict with
        return ()
    return tuple(describe_conflicts(repository, log, agent, refused, "HEAD"))


def note_unread_spec(root: Path, agent: str, call: str, error: InvalidInput) -> None:
    """Keep a spec that cannot be read, in the clone's own record."""
    log = find_log(root)
    if log is not None:
        note_unread(log, agent, call, error)


def find_log(root: Path) -> RefusalLog | None:
    """Find the record of a checkout's clone; None without a repository."""
    git_dir = find_git_dir(root)
    return None if git_dir is None else RefusalLog.of(Path(find_shared(git_dir)))
