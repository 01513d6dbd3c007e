"""`hkgit qa`: answer the protocol's QA questions from evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hkgit.audit.questions import YES, Fact, Question, answer_questions, collect_range
from hkgit.cli.common import echo_json, json_option, open_history
from hkgit.cli.output import show_progress
from hkgit.cli.ruling_output import resolve_range
from hkgit.errors import Rejected
from hkgit.gate.commit_range import CommitRange, drop_floors, judge_range
from hkgit.gate.trusted_policy import load_policy
from hkgit.text.escape import count_noun, visible
from hkgit.values import asdict

_MOST = 10
"""Facts that are shown of one answer; --json has all."""

_COLOURS = {"yes": "green", "no": "red", "unknown": "yellow"}


@click.command()
@click.argument("commits", metavar="A..B")
@click.option("--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's.")
@json_option
@click.pass_context
def command(ctx: click.Context, commits: str, policy: str | None, as_json: bool) -> None:
    """Answer the QA questions of the edit protocol on A..B: yes, no or unknown, and why.

    Passes only if every answer is yes.
    """
    repository = open_history()
    old, new = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, old)
    watch = show_progress("replaying commit")
    asked_of = CommitRange(old, new)
    without = drop_floors(trusted)
    stream = judge_range(repository, asked_of, without, has_trusted_side=False, watch=watch)
    report = stream.collect()
    asked = collect_range(report.rulings, trusted)
    found = answer_questions(asked)
    passes = all(point.answer == YES for point in found)
    every, governed = len(report.rulings), len(asked.rulings)
    if as_json:
        rest = {"commits": every, "governed": governed}
        echo_json({"passes": passes, **rest, "points": [_point_json(each) for each in found]})
    else:
        click.echo(f"{count_noun(every, 'commit')}, the protocol applies to {governed}")
        for number, point in enumerate(found, 1):
            _print(number, point)
    if not passes:
        ctx.exit(Rejected.exit_code)


def _point_json(point: Question) -> dict[str, object]:
    return {
        "name": point.name,
        "question": point.question,
        "answer": point.answer,
        "basis": point.basis,
        "facts": [asdict(fact) for fact in point.facts],
    }


def _print(number: int, point: Question) -> None:
    answer = click.style(f"{point.answer:<7}", fg=_COLOURS[point.answer])
    click.echo(f"{number}. {answer} {point.question} ({point.basis})")
    for line in _lines(point.facts):
        click.echo(f"     {visible(line)}")


def _lines(facts: Sequence[Fact]) -> Iterator[str]:
    """What speaks against a yes first."""
    ordered = sorted(facts, key=lambda fact: fact.says == YES)
    for fact in ordered[:_MOST]:
        commit = f"{fact.commit[:12]}  " if fact.commit else ""
        yield f"{fact.says:<7} {commit}{fact.where}: {fact.what}"
    if len(ordered) > _MOST:
        yield f"and {len(ordered) - _MOST} more (--json)"
    if not ordered:
        yield "nothing in the range contradicts it"
