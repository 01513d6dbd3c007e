"""gate.py: `hkgit gate`, judge commits in hooks, CI jobs and ranges."""

from __future__ import annotations

import os

import click

from hkgit.cli.common import open_repository
from hkgit.cli.output import print_note, show_progress
from hkgit.cli.review.judging import format_option, load_policy, print_report, resolve_range
from hkgit.errors import Rejected
from hkgit.gate import CommitRange, JudgeContext, Report, judge_range
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible

OF_A_COMMIT = ("staged", "message_file")
"""Points at which git is making a commit."""

OF_REFS = ("pre_push", "pre_receive", "reference_transaction")
"""Points at which refs are about to move."""


@click.command()
@click.option("--staged", is_flag=True, help="Judge the commit about to be made (pre-commit).")
@click.option(
    "--message-file",
    metavar="FILE",
    # A framework may drop the one name that it passes (see `making`).
    is_flag=False,
    flag_value="",
    help="The same, with its message (commit-msg).",
)
@click.option("--range", metavar="A..B", help="Judge every commit of a range.")
@click.option("--pre-push", is_flag=True, help="Judge what a push sends (pre-push).")
@click.option("--remote", metavar="NAME", help="Where --pre-push sends it.")
@click.option("--pre-receive", is_flag=True, help="Judge what a server is sent (pre-receive).")
@click.option(
    "--reference-transaction",
    metavar="STATE",
    help="Judge what branches are to become (reference-transaction).",
)
@click.option(
    "--budget",
    type=float,
    metavar="SECONDS",
    help="What --pre-receive may take; else git's hkgit.budget, else 4.",
)
@click.option("--ci", is_flag=True, help="Judge what the CI job at hand runs for.")
@click.option(
    "--simulate",
    metavar="A..B",
    help="Say what of a range would be rejected, by rule; rejects nothing.",
)
@click.option("--explain", is_flag=True, help="Say which rules were tried and which one decided.")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than the trusted side's.")
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    staged: bool,
    message_file: str | None,
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
) -> None:
    """Judge commits under the repository's policy, believing nothing that cannot be derived."""
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
        raise click.UsageError(f"Give exactly one of {names}.")
    if (explain or simulate is not None) and form not in ("text", "json"):
        raise click.UsageError("--explain and --simulate answer as text or json.")
    [(point, value)] = asked
    if point in OF_REFS:
        from hkgit.cli.review import refs

        passes = refs.judge(point, value, policy, form, remote=remote, budget=budget)
    elif point == "simulate":
        passes = _simulate(value, policy, form)
    else:
        passes = _judge(point, value, policy, form, explain=explain)
    if not passes:
        ctx.exit(Rejected.exit_code)


def _judge(point: str, value: str, policy: str | None, form: str, *, explain: bool) -> bool:
    """Whether what is judged at a point passes; the report is printed."""
    repository = open_repository(in_hook=point in OF_A_COMMIT)
    if point in OF_A_COMMIT:
        from hkgit.cli.review.staged import is_left_to_commit_msg, judge_commit

        if point == "staged" and is_left_to_commit_msg(repository):
            return True
        named = value if point == "message_file" else None
        report = judge_commit(repository, named, policy, explain=explain)
    elif point == "ci":
        report = _judge_event(repository, policy, explain=explain)
    else:
        report = _judge_range(repository, value, policy, explain=explain)
    if explain:
        from hkgit.cli.review.explaining import print_explanation

        print_explanation(report, form)
    else:
        print_report(repository, report, form)
    return report.passes


def _simulate(commits: str, policy: str | None, form: str) -> bool:
    from hkgit.cli.review.explaining import print_simulation

    print_simulation(_judge_range(open_repository(), commits, policy), form)
    return True


def _judge_range(
    repository: Repository, commits: str, policy: str | None, *, explain: bool = False
) -> Report:
    asked = CommitRange(*resolve_range(repository, commits))
    trusted = load_policy(repository, policy, asked.old)
    watch = show_progress("judging commit")
    return judge_range(repository, asked, trusted, JudgeContext(explain=explain), watch=watch)


def _judge_event(repository: Repository, policy: str | None, *, explain: bool) -> Report:
    from hkgit.gate.entrypoints.ci import event_of, judge_event

    event = event_of(os.environ)
    given = None if policy is None else load_policy(repository, policy, None)
    words = f"{event.name} ({event.host}): from {event.old} to {event.new}, for {event.ref}"
    print_note(f"hkgit: {visible(words)}")
    return judge_event(repository, event, given, show_progress("judging commit"), explain=explain)
