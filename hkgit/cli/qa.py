"""`hkgit qa`: answer the protocol's QA questions from evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import click

from hkgit.audit.questions import YES, Fact, Question, answer_questions, select_governed
from hkgit.cli.answer import Answer, json_option
from hkgit.cli.history import POLICY, RANGE, open_history
from hkgit.cli.output import show_progress, style
from hkgit.errors import Rejected
from hkgit.gate.commit_range import drop_floors, judge_range
from hkgit.gate.ruling import Report
from hkgit.text.escape import count_noun, visible
from hkgit.values import asdict

_MOST = 10
"""Facts that are shown of one answer; --json has all."""

_COLOURS = {"yes": "green", "no": "red", "unknown": "yellow"}


@click.command()
@RANGE
@POLICY
@json_option
def command(commits: str, policy: str | None) -> Answer:
    """Answer the QA questions of the edit protocol on A..B: yes, no or unknown, and why.

    Passes only if every answer is yes.
    """
    history = open_history(commits, policy, is_range=True)
    watch, without = show_progress("judging commit"), drop_floors(history.policy)
    rulings = tuple(
        judge_range(history.repository, history.asked, without, has_trusted_side=False, watch=watch)
    )
    asked = select_governed(Report(history.policy, rulings))
    found = answer_questions(asked)
    passes = all(point.answer == YES for point in found)
    every, governed = len(rulings), len(asked.rulings)
    document = {"passes": passes, "commits": every, "governed": governed}
    return Answer(
        document | {"points": [*map(_point_json, found)]},
        chain(
            [f"{count_noun(every, 'commit')}, the protocol applies to {governed}"], _lines(found)
        ),
        0 if passes else Rejected.exit_code,
    )


def _point_json(point: Question) -> dict[str, object]:
    return {
        "name": point.name,
        "question": point.question,
        "answer": point.answer,
        "basis": point.basis,
        "facts": [asdict(fact) for fact in point.facts],
    }


def _lines(found: Sequence[Question]) -> Iterator[str]:
    for number, point in enumerate(found, 1):
        answer = style(f"{point.answer:<7}", _COLOURS[point.answer])
        yield f"{number}. {answer} {point.question} ({point.basis})"
        yield from (f"     {visible(line)}" for line in _fact_lines(point.facts))


def _fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """What speaks against a yes first."""
    ordered = sorted(facts, key=lambda fact: fact.says == YES)
    for fact in ordered[:_MOST]:
        commit = f"{fact.commit[:12]}  " if fact.commit else ""
        yield f"{fact.says:<7} {commit}{fact.where}: {fact.what}"
    if len(ordered) > _MOST:
        yield f"and {len(ordered) - _MOST} more (--json)"
    if not ordered:
        yield "nothing in the range contradicts it"
