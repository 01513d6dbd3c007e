"""gate.py: `hkgit gate`, judge commits in hooks, CI jobs and ranges."""

from __future__ import annotations

import os

from hkgit.cli.common import open_hook_repository, open_repository
from hkgit.cli.forms.form import JSON, CommandForm, Misuse, Option
from hkgit.cli.output import print_note, show_progress
from hkgit.cli.review.formats import FORMAT
from hkgit.cli.review.judging import (
    choose_watch,
    print_report,
    print_stream,
    resolve_range,
)
from hkgit.errors import Rejected
from hkgit.gate import CommitRange, Report
from hkgit.git.facts import TRANSACTION, is_left_to_commit_msg
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hkgit.workflows.gate.refs import RefPoint
    from hkgit.workflows.record import RecordStep

OF_A_COMMIT = ("staged", "message_file")
"""Points at which git is making a commit."""

OF_REFS: tuple[RefPoint, ...] = ("pre_push", "pre_receive", "reference_transaction")
"""Points at which refs are about to move."""

_PROGRESS = "judging commit"

FORM = CommandForm(
    "Judge commits under the repository's policy, believing nothing that cannot be derived.",
    options=(
        Option(
            "staged", ("--staged",), "Judge the commit about to be made (pre-commit).", is_flag=True
        ),
        Option(
            "message_file",
            ("--message-file",),
            "The same, with its message (commit-msg).",
            "FILE",
            bare="",  # a framework may drop the one name that it passes (see `git.messages`)
        ),
        Option(
            "record",
            ("--record",),
            "First record what sessions edited of it; taken out again if it is rejected.",
            is_flag=True,
        ),
        Option("range", ("--range",), "Judge every commit of a range.", "A..B"),
        Option("pre_push", ("--pre-push",), "Judge what a push sends (pre-push).", is_flag=True),
        Option("remote", ("--remote",), "Where --pre-push sends it.", "NAME"),
        Option(
            "pre_receive",
            ("--pre-receive",),
            "Judge what a server is sent (pre-receive).",
            is_flag=True,
        ),
        Option(
            "reference_transaction",
            ("--reference-transaction",),
            "Judge what branches are to become (reference-transaction).",
            "STATE",
        ),
        Option(
            "budget",
            ("--budget",),
            "What --pre-receive may take; else git's hkgit.budget, else 4.",
            "SECONDS",
            is_decimal=True,
        ),
        Option("ci", ("--ci",), "Judge what the CI job at hand runs for.", is_flag=True),
        Option(
            "simulate",
            ("--simulate",),
            "Say what of a range would be rejected, by rule; rejects nothing.",
            "A..B",
        ),
        Option(
            "explain",
            ("--explain",),
            "Say which rules were tried and which one decided.",
            is_flag=True,
        ),
        Option("policy", ("--policy",), "Another policy than the trusted side's.", "FILE|REV:PATH"),
        FORMAT,
        JSON,
    ),
)


def run(
    *,
    staged: bool,
    message_file: str | None,
    record: bool,
    range: str | None,
    pre_push: bool,
    remote: str | None,
    pre_receive: bool,
    reference_transaction: str | None,
    budget: float | None,
    ci: bool,
    simulate: str | None,
    explain: bool,
    policy: str | None,
    form: str,
    as_json: bool,
) -> int:
    """Judge at the one point that is given; the exit code."""
    form = "json" if as_json else form
    points = {
        "staged": "" if staged else None,
        "message_file": message_file,
        "range": range,
        "pre_push": "" if pre_push else None,
        "pre_receive": "" if pre_receive else None,
        "reference_transaction": reference_transaction,
        "ci": "" if ci else None,
        "simulate": simulate,
    }
    asked = [(name, value) for name, value in points.items() if value is not None]
    if len(asked) != 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in points)
        raise Misuse(f"Give exactly one of {names}.")
    if (explain or simulate is not None) and form not in ("text", "json"):
        raise Misuse("--explain and --simulate answer as text or json.")
    [(point, value)] = asked
    if record and point not in OF_A_COMMIT:
        raise Misuse("--record is for a commit being made: --staged or --message-file.")
    hook = next((each for each in OF_REFS if each == point), None)
    if hook is not None:
        from hkgit.cli.review import refs

        passes = refs.judge(hook, value, policy, form, remote=remote, budget=budget)
    elif point == "simulate":
        passes = _simulate(value, policy, form)
    else:
        passes = _judge_recorded(
            record,
            value if point == "message_file" else None,
            lambda: _judge(point, value, policy, form, explain=explain),
        )
    return 0 if passes else Rejected.exit_code


def _judge_recorded(record: bool, message_file: str | None, judge: Callable[[], bool]) -> bool:
    """What `judge` says of a commit, recorded before; what was recorded of a rejected one goes."""
    if not record:
        return judge()
    from hkgit.cli.agent.record import try_recording, waits
    from hkgit.workflows.record import RecordRequest

    if message_file is None:
        _record_running_command()
    if not waits():
        return (message_file is None and is_left_to_commit_msg()) or judge()
    step: RecordStep = "staged" if message_file is None else "message"
    try_recording(RecordRequest(step, message_file or ""))
    if step == "staged" and is_left_to_commit_msg():
        return True
    passes = False
    try:
        passes = judge()
    finally:
        if not passes:
            try_recording(RecordRequest("withdraw"))
    return passes


def _record_running_command() -> None:
    """In an agent's shell, record what the command has changed by which git is started."""
    from hkgit.git.facts import find_agent_shell

    shell = find_agent_shell()
    if shell is not None:
        # Most commits are made elsewhere.
        from hkgit.agents.shell.commits import record_running_command
        from hkgit.cli.agent.sessions import find_work_root

        record_running_command(find_work_root(), shell)


def _judge(point: str, value: str, policy: str | None, form: str, *, explain: bool) -> bool:
    """Whether what is judged at a point passes; the report is printed."""
    is_made = point in OF_A_COMMIT
    repository = open_hook_repository() if is_made else open_repository()
    if point in OF_A_COMMIT:
        from hkgit.cli.review.staged import judge_commit

        if point == "staged" and os.environ.get(TRANSACTION) and is_left_to_commit_msg():
            return True
        named = value if point == "message_file" else None
        report = judge_commit(repository, named, policy, explain=explain)
    elif point == "ci":
        report = _judge_event(repository, policy, explain=explain)
    else:
        return _judge_range(repository, value, policy, form, explain=explain)
    if not explain:
        print_report(repository, report, form)
        return report.passes
    from hkgit.cli.review.explaining import print_explanation

    return print_explanation(report.policy, report.rulings, form)


def _simulate(commits: str, policy: str | None, form: str) -> bool:
    from hkgit.cli.review.explaining import print_simulation
    from hkgit.workflows.gate.commits import SimulationRequest, simulate

    repository = open_repository()
    request = SimulationRequest(CommitRange(*resolve_range(repository, commits)), policy)
    print_simulation(simulate(repository, request, show_progress(_PROGRESS)), form)
    return True


def _judge_range(
    repository: Repository, commits: str, policy: str | None, form: str, *, explain: bool
) -> bool:
    """Whether the commits of a range pass; each is told as soon as it is judged."""
    from hkgit.workflows.gate.commits import RangeRequest, judge_commits

    request = RangeRequest(CommitRange(*resolve_range(repository, commits)), policy, explain)
    stream = judge_commits(repository, request, choose_watch(_PROGRESS, form))
    if not explain:
        return print_stream(repository, stream, form)
    from hkgit.cli.review.explaining import print_explanation

    return print_explanation(stream.policy, stream.rulings, form)


def _judge_event(repository: Repository, policy: str | None, *, explain: bool) -> Report:
    from hkgit.gate.entrypoints.ci import read_event
    from hkgit.workflows.gate.commits import EventRequest, judge_ci

    event = read_event(os.environ)
    words = f"{event.name} ({event.host}): from {event.old} to {event.new}, for {event.ref}"
    print_note(visible(words))
    return judge_ci(repository, EventRequest(event, policy, explain), show_progress(_PROGRESS))
