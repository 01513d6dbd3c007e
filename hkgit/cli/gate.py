"""Judge commits: under the policy in hooks, CI jobs and ranges; and by replay alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import click

from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.history import POLICY, RANGE, find_history, open_history, watch_judging
from hkgit.cli.options import REPORT, choose_one, declare, message_file_option, option
from hkgit.cli.output import print_note, print_warning
from hkgit.cli.ruling_output import answer_report
from hkgit.evidence.verdict import BLIND
from hkgit.gate.commit_range import drop_floors, judge_range, select_share
from hkgit.gate.judged_commit import JudgeContext
from hkgit.gate.ruling import Report, Ruling
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, visible
from hkgit.values import replace

MOST_ASKED = 20
"""For so many rejected commits of a range transcripts are read."""


@declare
def gate(
    *,
    staged: bool = option("Judge the commit about to be made (pre-commit)."),
    message_file: str | None = message_file_option("The same, with its message (commit-msg)."),
    record: bool = option("First record what sessions edited; undone if the commit is rejected."),
    range: str | None = option("Judge every commit of a range.", metavar="A..B"),
    pre_push: bool = option("Judge what a push sends (pre-push)."),
    remote: str | None = option("The remote that --pre-push sends to.", metavar="NAME"),
    pre_receive: bool = option("Judge what is pushed to a server (pre-receive)."),
    reference_transaction: str | None = option(
        "Judge updates of branches (reference-transaction).", metavar="STATE"
    ),
    budget: float | None = option(
        "Time limit of --pre-receive [default: git's hkgit.budget, or 4].",
        type=float,
        metavar="SECONDS",
    ),
    ci: bool = option("Judge the commits of this CI job."),
    explain: bool = option("Show which rules were tried and which one decided."),
    policy: str | None = POLICY,
    form: str = REPORT,
) -> Answer | int:
    """Judge commits under the repository's policy, believing nothing that cannot be derived."""
    point, value = choose_one(
        staged=staged,
        message_file=message_file,
        range=range,
        pre_push=pre_push,
        pre_receive=pre_receive,
        reference_transaction=reference_transaction,
        ci=ci,
    )
    if explain and form not in ("text", "json"):
        raise click.UsageError("--explain needs --format text or json.")
    is_of_commit = point in ("staged", "message_file")
    if record and not is_of_commit:
        raise click.UsageError("--record is for a commit being made: --staged or --message-file.")
    if point in ("pre_push", "pre_receive", "reference_transaction"):
        from hkgit.cli import refs

        if form not in ("text", "json"):
            raise click.UsageError("Checks of refs need --format text or json.")
        return refs.judge(point, value, policy, remote=remote, budget=budget)
    if is_of_commit:
        from hkgit.cli.commit_gate import answer_commit
        from hkgit.cli.record_steps import judge_recorded

        named = value if point == "message_file" else None
        judge = partial(answer_commit, named, policy, explain=explain)
        return judge_recorded(named, judge) if record else judge()
    if point == "ci":
        return _judge_event(policy, explain=explain)
    return _judge_range(open_repository(), value, policy, explain=explain)


def _judge_range(
    repository: Repository, commits: str, policy: str | None, *, explain: bool
) -> Answer:
    """Judge the commits of a range; each is told as soon as it is judged."""
    history = find_history(repository, commits, policy, is_range=True)
    context = JudgeContext(explain=explain)
    rulings = judge_range(repository, history.asked, history.policy, context, watch=watch_judging)
    told = rulings if explain else _add_adoptions(repository, rulings)
    report = Report(history.policy, explain=explain)
    return answer_report(repository, report, told, history.asked.new)


def _add_adoptions(repository: Repository, rulings: Iterator[Ruling]) -> Iterator[Ruling]:
    """Name in commits the command that takes their evidence from sessions or a transcript."""
    tries = MOST_ASKED if repository.work_tree is not None else 0
    for ruling in rulings:
        if ruling.passes or (ruling.rule != BLIND and ruling.redo is not None) or not tries:
            yield ruling
            continue
        from hkgit.cli.adopt import add_adoption  # few commits are rejected

        tries -= 1
        yield add_adoption(repository, ruling)


def _judge_event(policy: str | None, *, explain: bool) -> Answer:
    """Judge what a CI job runs for."""
    from hkgit.gate.entrypoints.ci import judge_event, read_event
    from hkgit.gate.trusted_policy import load_policy

    repository, event = open_repository(), read_event(os.environ)
    words = f"{event.name} ({event.host}): from {event.old} to {event.new}, for {event.ref}"
    print_note(visible(words))
    given = None if policy is None else load_policy(repository, policy, None)
    report = judge_event(
        repository, event, given, watch_judging, say=print_warning, explain=explain
    )
    return answer_report(repository, replace(report, explain=explain))


@declare
def verify(
    *,
    commits: str = RANGE,
    policy: str | None = POLICY,
    jobs: int = option("Number of processes.", type=click.IntRange(1), default=1, metavar="N"),
    shard: str = option(
        "Only part I of N, to share the work between machines.", metavar="I/N", default="1/1"
    ),
    incremental: bool = option("Skip commits that passed before."),
    form: str = REPORT,
) -> Answer:
    """Replay the commits of A..B from their evidence and show what can be derived.

    The policy says who is governed; its floors do not count here. With --incremental what passes is
    noted in the git directory, and left out the next time under the same policy, ladder and
    versions.
    """
    history = open_history(commits, policy, is_range=True)
    repository, lax = history.repository, drop_floors(history.policy)
    listed = select_share(history.list(), *_parse_shard(shard))
    tip = listed[-1] if listed else None
    if not incremental:
        rulings = history.replay(listed, watch_judging, jobs)
        return answer_report(repository, Report(lax), rulings, tip)
    # Rows of evidence are slow to load.
    from hkgit.audit.tables.database import keep_rulings, list_held, open_kept_rows

    kept = click.get_current_context().with_resource(open_kept_rows(repository, lax))
    known = list_held(kept, "", lax, only_passing=True)
    fresh = [each for each in listed if each not in known]
    if len(fresh) < len(listed):
        print_note(f"{count_noun(len(listed) - len(fresh), 'commit')} passed before: skipped")
    rulings = keep_rulings(kept, history.replay(fresh, watch_judging, jobs), lax)
    return answer_report(repository, Report(lax), rulings, tip)


def _parse_shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise click.UsageError(f"--shard {text} is not I/N, as 1/4 for the first of four.")
    return int(number), int(of)
