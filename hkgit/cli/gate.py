"""Judge commits: under the policy in hooks, CI jobs and ranges; and by replay alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

import click

from hkgit.audit.commits import History
from hkgit.audit.reports import ReportTotals
from hkgit.cli.common import open_repository
from hkgit.cli.history import POLICY, RANGE, find_history, open_history
from hkgit.cli.options import REPORT, format_option
from hkgit.cli.output import CONSOLE, print_note, show_progress
from hkgit.cli.ruling_output import print_report, print_rulings
from hkgit.errors import Rejected
from hkgit.evidence.verdict import BLIND
from hkgit.gate.commit_range import drop_floors, judge_range, select_share
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible

OF_A_COMMIT = ("staged", "message_file")
"""Points at which git is making a commit."""

OF_REFS = ("pre_push", "pre_receive", "reference_transaction")
"""Points at which refs are about to move."""

_PROGRESS = "judging commit"

MOST_ASKED = 20
"""For so many rejected commits of a range transcripts are read."""


@click.command()
@click.option("--staged", is_flag=True, help="Judge the commit about to be made (pre-commit).")
@click.option(
    "--message-file",
    metavar="FILE",
    is_flag=False,
    flag_value="",  # a framework may drop the one name that it passes (see `git.messages`)
    help="The same, with its message (commit-msg).",
)
@click.option(
    "--record",
    is_flag=True,
    help="First record what sessions edited; undone if the commit is rejected.",
)
@click.option("--range", metavar="A..B", help="Judge every commit of a range.")
@click.option("--pre-push", is_flag=True, help="Judge what a push sends (pre-push).")
@click.option("--remote", metavar="NAME", help="The remote that --pre-push sends to.")
@click.option("--pre-receive", is_flag=True, help="Judge what is pushed to a server (pre-receive).")
@click.option(
    "--reference-transaction",
    metavar="STATE",
    help="Judge updates of branches (reference-transaction).",
)
@click.option(
    "--budget",
    type=float,
    metavar="SECONDS",
    help="Time limit of --pre-receive [default: git's hkgit.budget, or 4].",
)
@click.option("--ci", is_flag=True, help="Judge the commits of this CI job.")
@click.option("--explain", is_flag=True, help="Show which rules were tried and which one decided.")
@POLICY
@format_option(*REPORT)
def gate(
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
    explain: bool,
    policy: str | None,
) -> int:
    """Judge commits under the repository's policy, believing nothing that cannot be derived."""
    form = CONSOLE.form
    points = {
        "staged": "" if staged else None,
        "message_file": message_file,
        "range": range,
        "pre_push": "" if pre_push else None,
        "pre_receive": "" if pre_receive else None,
        "reference_transaction": reference_transaction,
        "ci": "" if ci else None,
    }
    asked = [(name, value) for name, value in points.items() if value is not None]
    if len(asked) != 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in points)
        raise click.UsageError(f"Give exactly one of {names}.")
    if explain and form not in ("text", "json"):
        raise click.UsageError("--explain needs --format text or json.")
    [(point, value)] = asked
    if record and point not in OF_A_COMMIT:
        raise click.UsageError("--record is for a commit being made: --staged or --message-file.")
    if point in OF_REFS:
        from hkgit.cli import refs

        if form not in ("text", "json"):
            raise click.UsageError("Checks of refs need --format text or json.")
        passes = refs.judge(point, value, policy, form, remote=remote, budget=budget)
    elif point in OF_A_COMMIT:
        from hkgit.cli.commit_gate import judge_and_print
        from hkgit.cli.record_steps import judge_recorded

        named = value if point == "message_file" else None
        judge = partial(judge_and_print, named, policy, form, explain=explain)
        passes = judge_recorded(named, judge) if record else judge()
    elif point == "ci":
        passes = _judge_event(policy, form, explain=explain)
    else:
        passes = _judge_range(open_repository(), value, policy, form, explain=explain)
    return 0 if passes else Rejected.exit_code


def _judge_range(
    repository: Repository, commits: str, policy: str | None, form: str, *, explain: bool
) -> bool:
    """Whether the commits of a range pass; each is told as soon as it is judged."""
    history, context = (
        find_history(repository, commits, policy, is_range=True),
        JudgeContext(explain=explain),
    )
    watch = show_progress(_PROGRESS)
    rulings = judge_range(repository, history.asked, history.policy, context, watch=watch)
    told = rulings if explain else _add_adoptions(repository, rulings)
    totals = ReportTotals(history.policy, explain=explain)
    return print_rulings(repository, told, totals, form, history.asked.new)


def _add_adoptions(repository: Repository, rulings: Iterator[Ruling]) -> Iterator[Ruling]:
    """Name in blind commits the command that takes their evidence from a transcript."""
    tries = MOST_ASKED if repository.work_tree is not None else 0
    for ruling in rulings:
        if ruling.passes or ruling.rule != BLIND or not tries:
            yield ruling
            continue
        from hkgit.cli.adopt import add_adoption  # few commits are rejected

        tries -= 1
        yield add_adoption(repository, ruling)


def _judge_event(policy: str | None, form: str, *, explain: bool) -> bool:
    """Whether what a CI job runs for passes."""
    from hkgit.gate.entrypoints.ci import judge_event, read_event
    from hkgit.gate.trusted_policy import load_policy

    repository, event = open_repository(), read_event(os.environ)
    words = f"{event.name} ({event.host}): from {event.old} to {event.new}, for {event.ref}"
    print_note(visible(words))
    given = None if policy is None else load_policy(repository, policy, None)
    report = judge_event(repository, event, given, show_progress(_PROGRESS), explain=explain)
    return print_report(repository, report, form, explain=explain)


@click.command()
@RANGE
@POLICY
@click.option("--jobs", type=click.IntRange(1), default=1, help="Number of processes.", metavar="N")
@click.option(
    "--shard",
    metavar="I/N",
    default="1/1",
    help="Only part I of N, to share the work between machines.",
)
@click.option("--incremental", is_flag=True, help="Skip commits that passed before.")
@format_option(*REPORT)
def verify(
    commits: str,
    policy: str | None,
    jobs: int,
    shard: str,
    incremental: bool,
) -> int:
    """Replay the commits of A..B from their evidence and show what can be derived.

    The policy says who is governed; its floors do not count here. With --incremental what passes is
    noted in the git directory, and left out the next time under the same policy, ladder and
    versions.
    """
    form, history = CONSOLE.form, open_history(commits, policy, is_range=True)
    repository, lax = history.repository, drop_floors(history.policy)
    listed = select_share(history.list(), *_parse_shard(shard))
    tip = listed[-1] if listed else None
    totals = ReportTotals(lax)
    if not incremental:
        rulings = _verify(history, listed, jobs)
        passes = print_rulings(repository, rulings, totals, form, tip)
        return 0 if passes else Rejected.exit_code
    # Rows of evidence are slow to load.
    from hkgit.audit.tables.database import keep_rulings, list_held, open_kept_rows

    with open_kept_rows(repository, lax) as kept:
        known = list_held(kept, "", lax, only_passing=True)
        fresh = [each for each in listed if each not in known]
        if len(fresh) < len(listed):
            print_note(f"{count_noun(len(listed) - len(fresh), 'commit')} passed before: skipped")
        rulings = keep_rulings(kept, _verify(history, fresh, jobs), lax)
        passes = print_rulings(repository, rulings, totals, form, tip)
    return 0 if passes else Rejected.exit_code


def _verify(history: History, commits: Sequence[str], jobs: int) -> Iterator[Ruling]:
    return judge_range(
        history.repository,
        history.asked,
        drop_floors(history.policy),
        commits=commits,
        has_trusted_side=False,
        jobs=jobs,
        watch=show_progress("judging commit"),
    )


def _parse_shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise click.UsageError(f"--shard {text} is not I/N, as 1/4 for the first of four.")
    return int(number), int(of)
