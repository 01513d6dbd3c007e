"""Turn journals into evidence, a step for each hook of `git commit`; few steps need the judge."""

from __future__ import annotations

from hkgit.cli.common import find_work_root, open_hook_repository
from hkgit.cli.output import print_error, print_note
from hkgit.errors import HkgitError
from hkgit.git.facts import find_agent_shell, is_left_to_commit_msg
from hkgit.sessions.homes import find_unsettled, may_wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from hkgit.cli.answer import Answer
    from hkgit.git.repository import Repository

    RecordStep = Literal["staged", "message_file", "committed", "withdraw"]


def record_step(step: RecordStep, message_file: str = "") -> None:
    """Do one step of a commit; nothing where no edit waits."""
    if waits():
        _record(step, message_file)


def waits() -> bool:
    """Whether edits of a session may wait for their commit here."""
    return may_wait(find_work_root())


def judge_recorded(message_file: str | None, judge: Callable[[], Answer]) -> int:
    """Record the commit being made, judge it, and take back what was recorded if it is rejected."""
    shell = find_agent_shell() if message_file is None else None
    if shell is not None:  # what the command has changed by which git is started
        from hkgit.agents.recorder import record_running_command  # most commits are made elsewhere

        record_running_command(find_work_root(), shell)
    waits_here = waits()
    if waits_here:
        try_recording("staged" if message_file is None else "message_file", message_file or "")
    if message_file is None and is_left_to_commit_msg():
        return 0
    code = None
    try:
        code = judge().print()
    finally:
        if code != 0 and waits_here:
            try_recording("withdraw")
    return code


def try_recording(step: RecordStep, message_file: str = "") -> None:
    """Do one step; that it cannot be done stops no commit: whether it must, the gate knows."""
    try:
        _record(step, message_file)
    except (HkgitError, OSError) as error:
        print_error(str(error))


def _record(step: RecordStep, message_file: str) -> None:
    """Do what is due at a point of `git commit`, and say what it could not cover.

    `staged` adds the entries of what is staged, `message` writes their trailers, `committed`
    forgets what HEAD's commit has recorded, `withdraw` takes the entries out again. `message_file`
    is what git's hook was given, empty where it was left out. Raises GitRefused where the index or
    the message cannot be read or written.
    """
    if step == "staged" and find_unsettled(find_work_root()):
        # Few hooks of agents are stopped before they have told of an edit, and few files formatted.
        from hkgit.agents.late_work import settle_all

        settle_all(find_work_root())
    repository = open_hook_repository()
    if step == "message_file":
        from hkgit.git.repository import find_message_file
        from hkgit.sessions.commit_message import sign

        sign(repository, find_message_file(repository, message_file))
        return
    from hkgit.sessions import stage

    if step == "staged":
        for line in stage.stage(repository).uncovered:
            print_note(line)
    elif step == "withdraw":
        stage.withdraw(repository)
    else:
        from hkgit.cli.removed_text import warn_of_amend

        stage.settle_commit(repository)
        for line in list_commits_past_hooks(repository):
            print_note(line)
        warn_of_amend(repository)


def list_commits_past_hooks(repository: Repository) -> Iterator[str]:
    """List, a line each, commits made past the hooks that hold edits of sessions."""
    root = repository.work_tree
    if root is not None and may_wait(root):
        from hkgit.sessions.bypass import describe_commits_past_hooks

        yield from describe_commits_past_hooks(repository)
