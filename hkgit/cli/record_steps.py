"""Turn journals into evidence, a step for each hook of `git commit`."""

from __future__ import annotations

from hkgit.cli.common import open_hook_repository
from hkgit.cli.output import print_error, print_note
from hkgit.cli.session_options import find_work_root
from hkgit.errors import HkgitError
from hkgit.sessions.blobs import find_late_sessions, find_open_sessions
from hkgit.sessions.homes import may_wait
from hkgit.workflows.session_calls import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.session_calls import RecordStep


def record_step(step: RecordStep, message_file: str = "") -> None:
    """Do one step of a commit; nothing where no edit waits."""
    if waits():
        _record(step, message_file)


def waits() -> bool:
    """Whether edits of a session may wait for their commit here."""
    return may_wait(find_work_root())


def try_recording(step: RecordStep, message_file: str = "") -> None:
    """Do one step; that it cannot be done stops no commit: whether it must, the gate knows."""
    try:
        _record(step, message_file)
    except (HkgitError, OSError) as error:
        print_error(str(error))


def _record(step: RecordStep, message_file: str) -> None:
    if step == "staged" and find_open_sessions(find_work_root()):
        # Few hooks of agents are stopped before they have told of an edit.
        from hkgit.agents.missed_edits import settle_all_missed_edits

        settle_all_missed_edits(find_work_root())
    if step == "staged" and find_late_sessions(find_work_root()):
        # Few formatters write after the agent's hooks.
        from hkgit.agents.late_writes import settle_all_written

        settle_all_written(find_work_root())
    repository = open_hook_repository()
    for line in record(repository, step, message_file):
        print_note(line)
    if step == "committed":
        from hkgit.cli.taken_back import warn_of_amend

        warn_of_amend(repository)
