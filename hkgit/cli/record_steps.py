"""Turn journals into evidence, a step for each hook of `git commit`; few steps need the judge."""

from __future__ import annotations

from hkgit.cli.common import find_work_root, open_hook_repository
from hkgit.cli.output import print_error, print_note
from hkgit.errors import HkgitError
from hkgit.git.facts import find_agent_shell, is_left_to_commit_msg
from hkgit.sessions.blobs import find_late_sessions, find_open_sessions
from hkgit.sessions.homes import may_wait
from hkgit.sessions.stage import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hkgit.sessions.stage import RecordStep


def record_step(step: RecordStep, message_file: str = "") -> None:
    """Do one step of a commit; nothing where no edit waits."""
    if waits():
        _record(step, message_file)


def waits() -> bool:
    """Whether edits of a session may wait for their commit here."""
    return may_wait(find_work_root())


def judge_recorded(message_file: str | None, judge: Callable[[], bool]) -> bool:
    """Record the commit being made, judge it, and take back what was recorded if it is rejected."""
    if message_file is None:
        _record_running_command()
    if not waits():
        return (message_file is None and is_left_to_commit_msg()) or judge()
    step: RecordStep = "staged" if message_file is None else "message"
    try_recording(step, message_file or "")
    if step == "staged" and is_left_to_commit_msg():
        return True
    passes = False
    try:
        passes = judge()
    finally:
        if not passes:
            try_recording("withdraw")
    return passes


def _record_running_command() -> None:
    """In an agent's shell, record what the command has changed by which git is started."""
    shell = find_agent_shell()
    if shell is not None:
        # Most commits are made elsewhere.
        from hkgit.agents.recorder import record_running_command

        record_running_command(find_work_root(), shell)


def try_recording(step: RecordStep, message_file: str = "") -> None:
    """Do one step; that it cannot be done stops no commit: whether it must, the gate knows."""
    try:
        _record(step, message_file)
    except (HkgitError, OSError) as error:
        print_error(str(error))


def _record(step: RecordStep, message_file: str) -> None:
    if step == "staged" and find_open_sessions(find_work_root()):
        # Few hooks of agents are stopped before they have told of an edit.
        from hkgit.agents.late_work import settle_all_missed_edits

        settle_all_missed_edits(find_work_root())
    if step == "staged" and find_late_sessions(find_work_root()):
        # Few formatters write after the agent's hooks.
        from hkgit.agents.late_work import settle_all_written

        settle_all_written(find_work_root())
    repository = open_hook_repository()
    for line in record(repository, step, message_file):
        print_note(line)
    if step == "committed":
        from hkgit.cli.removed_text import warn_of_amend

        warn_of_amend(repository)
