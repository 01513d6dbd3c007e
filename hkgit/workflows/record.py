"""record.py: turn what sessions have edited into the evidence of the commit that git is making.

Each step loads what it needs: a commit waits for all of them.
"""

from __future__ import annotations

from hkgit.git.repository import Repository
from hkgit.values import dataclass

TYPE_CHECKING = False  # the module `typing` is not loaded in hooks
if TYPE_CHECKING:
    from typing import Literal

    RecordStep = Literal["staged", "message", "committed", "withdraw"]


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What to do at a point of `git commit`.

    `staged` adds the entries of what is staged, `message` writes their trailers, `committed`
    forgets what HEAD's commit has recorded, `withdraw` takes the entries out again. `message_file`
    is what git's hook was given, empty where it was left out.
    """

    step: RecordStep
    message_file: str = ""


def record(repository: Repository, request: RecordRequest) -> tuple[str, ...]:
    """Do one step. Returns lines for a person about what it could not cover.

    Raises GitRefused where the index or the message cannot be read or written.
    """
    return _STEPS[request.step](repository, request)


def _stage(repository: Repository, request: RecordRequest) -> tuple[str, ...]:
    from hkgit.sessions.commit.staging import stage

    return stage(repository).uncovered


def _sign(repository: Repository, request: RecordRequest) -> tuple[str, ...]:
    from hkgit.git.messages import find_message_file
    from hkgit.sessions.commit.messages import sign

    sign(repository, find_message_file(repository, request.message_file))
    return ()


def _settle(repository: Repository, request: RecordRequest) -> tuple[str, ...]:
    from hkgit.sessions.commit.settling import settle_commit

    settle_commit(repository)
    return list_commits_past_hooks(repository)


def list_commits_past_hooks(repository: Repository) -> tuple[str, ...]:
    """List, a line each, commits made past the hooks that hold edits of sessions."""
    from hkgit.sessions.storage.paths import may_wait

    root = repository.work_tree
    if root is None or not may_wait(root):
        return ()
    from hkgit.sessions.bypassing import describe_commits_past_hooks, find_commits_past_hooks

    found = find_commits_past_hooks(repository, root)
    return tuple(describe_commits_past_hooks(repository, found))


def _withdraw(repository: Repository, request: RecordRequest) -> tuple[str, ...]:
    from hkgit.sessions.commit.settling import withdraw

    withdraw(repository)
    return ()


_STEPS = {"staged": _stage, "message": _sign, "committed": _settle, "withdraw": _withdraw}
