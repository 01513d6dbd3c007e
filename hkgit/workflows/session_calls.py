"""The session to undo in, and the steps of `git commit`."""

from __future__ import annotations

from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import SessionJournal
from hkgit.sessions.homes import find_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from hkgit.sessions.edit_session import EditSession

    RecordStep = Literal["staged", "message", "committed", "withdraw"]


def open_session(root: Path, name: str | None) -> EditSession:
    """Open the session of that name; without one, that of the newest call that is not undone.

    Raises InvalidInput where no call can be undone.
    """
    # Commits plan no edits of their own.
    from hkgit.sessions.edit_session import EditSession
    from hkgit.sessions.waiting_edits import see_head

    if name is not None:
        return EditSession.open(root, name)
    journals = [SessionJournal(folder) for folder in find_folders(root)]
    see_head(root, journals)
    found = [(calls[-1].time, each.folder.name) for each in journals if (calls := each.standing)]
    if not found:
        fix = "hkgit edit keeps its calls in the git directory; so does --session elsewhere."
        raise InvalidInput("undo", "there is no call that can be undone", fix)
    return EditSession.open(root, max(found)[1])


def record(repository: Repository, step: RecordStep, message_file: str = "") -> tuple[str, ...]:
    """Do what is due at a point of `git commit`. Returns lines about what it could not cover.

    `staged` adds the entries of what is staged, `message` writes their trailers, `committed`
    forgets what HEAD's commit has recorded, `withdraw` takes the entries out again. `message_file`
    is what git's hook was given, empty where it was left out. Raises GitRefused where the index or
    the message cannot be read or written.
    """
    if step == "message":
        from hkgit.git.repository import find_message_file
        from hkgit.sessions.commit_message import sign

        sign(repository, find_message_file(repository, message_file))
        return ()
    from hkgit.sessions import stage

    if step == "staged":
        return stage.stage(repository).uncovered
    if step == "withdraw":
        stage.withdraw(repository)
    else:
        stage.settle_commit(repository)
        return list_commits_past_hooks(repository)
    return ()


def list_commits_past_hooks(repository: Repository) -> tuple[str, ...]:
    """List, a line each, commits made past the hooks that hold edits of sessions."""
    from hkgit.sessions.homes import may_wait

    root = repository.work_tree
    if root is None or not may_wait(root):
        return ()
    from hkgit.sessions.bypass import describe_commits_past_hooks, find_commits_past_hooks

    found = find_commits_past_hooks(repository, root)
    return tuple(describe_commits_past_hooks(repository, found))
