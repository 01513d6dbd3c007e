"""record.py: `hkgit record`, called by hooks of `git commit` to turn journals into evidence."""

from __future__ import annotations

from hkgit.cli.agent.sessions import find_work_root
from hkgit.cli.common import open_hook_repository
from hkgit.cli.forms.form import CommandForm, Misuse, Option
from hkgit.cli.output import print_error, print_note
from hkgit.errors import HkgitError
from hkgit.sessions.storage.paths import may_wait
from hkgit.sessions.storage.written import find_late_sessions, find_open_sessions
from hkgit.workflows.record import RecordRequest, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.record import RecordStep

FORM = CommandForm(
    """Turn what sessions have edited into the evidence of the commit being made.

    One of --staged (pre-commit), --message-file (prepare-commit-msg, commit-msg), --committed
    (post-commit) and --withdraw. Where no edit waits it does nothing.
    """,
    options=(
        Option(
            "staged", ("--staged",), "Add the entries of what is staged to the index.", is_flag=True
        ),
        Option(
            "message_file",
            ("--message-file",),
            "Write the trailers of the entries in the index into a message.",
            "FILE",
            bare="",
        ),
        Option(
            "committed", ("--committed",), "Forget what HEAD's commit has recorded.", is_flag=True
        ),
        Option(
            "withdraw", ("--withdraw",), "Take the entries out: no commit is made.", is_flag=True
        ),
    ),
)


def run(*, staged: bool, message_file: str | None, committed: bool, withdraw: bool) -> None:
    """Do the one thing that is asked."""
    asked: dict[RecordStep, bool] = {
        "staged": staged,
        "message": message_file is not None,
        "committed": committed,
        "withdraw": withdraw,
    }
    steps = [step for step, is_asked in asked.items() if is_asked]
    if len(steps) != 1:
        raise Misuse("Give one of --staged, --message-file FILE, --committed and --withdraw.")
    if waits():
        _record(RecordRequest(steps[0], message_file or ""))


def waits() -> bool:
    """Whether edits of a session may wait for their commit here."""
    return may_wait(find_work_root())


def try_recording(request: RecordRequest) -> None:
    """Do one step; that it cannot be done stops no commit: whether it must, the gate knows."""
    try:
        _record(request)
    except (HkgitError, OSError) as error:
        print_error(str(error))


def _record(request: RecordRequest) -> None:
    if request.step == "staged" and find_open_sessions(find_work_root()):
        # Few hooks of agents are stopped before they have told of an edit.
        from hkgit.agents.missed_edits import settle_all_missed_edits

        settle_all_missed_edits(find_work_root())
    if request.step == "staged" and find_late_sessions(find_work_root()):
        # Few formatters write after the agent's hooks.
        from hkgit.agents.late_writes import settle_all_written

        settle_all_written(find_work_root())
    repository = open_hook_repository()
    for line in record(repository, request):
        print_note(line)
    if request.step == "committed":
        from hkgit.cli.review.taken_back import warn_of_amend

        warn_of_amend(repository)
