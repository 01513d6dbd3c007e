"""refs.py: `hkgit gate` where refs are about to move: what it says of each, and of all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from hkgit.applying.reporting import error_json, shown_text, visible
from hkgit.commands.common import echo_json, open_repository
from hkgit.commands.judging import load_policy, report_json, report_lines
from hkgit.commands.manners import QUIET, VERBOSE, loudness
from hkgit.errors import InvalidInput
from hkgit.gate import Report
from hkgit.git.repository import Repository
from hkgit.points.budget import DEFAULT
from hkgit.points.moving import judge_moved
from hkgit.points.pushing import judge_pushed
from hkgit.points.receiving import judge_received
from hkgit.points.updates import Answer, pushed, received, told_by_framework
from hkgit.reports.escaping import console
from hkgit.reports.text import summary


def judge_push(remote: str | None, policy: str | None, form: str) -> bool:
    """Whether everything that git tells a pre-push hook of passes; the answers are printed."""
    repository = open_repository(in_hook=True)
    updates = list(pushed(sys.stdin.buffer.read())) or list(told_by_framework(os.environ))
    remote = remote or os.environ.get("PRE_COMMIT_REMOTE_NAME", "origin")
    given = None if policy is None else load_policy(repository, policy, None)
    answers = list(judge_pushed(repository, updates, remote, given))
    print_answers(answers, form, all_or_none=True)
    return all(answer.passes for answer in answers)


def judge_transaction(state: str, policy: str | None, form: str) -> bool:
    """Whether every branch that git is about to move may; only while it can still be stopped."""
    if state != "prepared":
        return True
    repository = open_repository(in_hook=True)
    updates = list(received(sys.stdin.buffer.read()))
    given = None if policy is None else load_policy(repository, policy, None)
    answers = list(judge_moved(repository, updates, given))
    print_answers(answers, form, all_or_none=True)
    return all(answer.passes for answer in answers)


def judge_reception(budget: float | None, policy: str | None, form: str) -> bool:
    """Whether everything that git tells a pre-receive hook of passes; the answers are printed.

    What is not given, the server's operator may have put in the repository's configuration.
    """
    repository = open_repository(in_hook=True)
    updates = list(received(sys.stdin.buffer.read()))
    policy = policy or repository.config("hkgit.policy")
    given = None if policy is None else load_policy(repository, policy, None)
    seconds = budget if budget is not None else _configured_budget(repository)
    answers = list(judge_received(repository, updates, given, seconds))
    print_answers(answers, form, all_or_none=True)
    return all(answer.passes for answer in answers)


def _configured_budget(repository: Repository) -> float:
    said = repository.config("hkgit.budget")
    try:
        return DEFAULT if said is None else float(said)
    except ValueError as error:
        raise InvalidInput("hkgit.budget", f"is not a number of seconds: {said}") from error


def print_answers(answers: Sequence[Answer], form: str, *, all_or_none: bool) -> None:
    """The answers on standard output, as lines or as one JSON document; other formats have no refs.

    `all_or_none` says that git takes none of the refs if one of them is refused.
    """
    if form not in ("text", "json"):
        raise click.UsageError("What is asked of refs is answered as text or json.")
    if form == "json":
        echo_json(_document(answers))
        return
    lines = list(_lines(answers, all_or_none=all_or_none))
    if lines:
        click.echo("\n".join(lines))


def _document(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "passes": all(answer.passes for answer in answers),
        "refs": [_answer_json(answer) for answer in answers],
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    report, refusal = answer.report, answer.refusal
    return {
        "ref": shown_text(answer.update.ref),
        "old": answer.update.old,
        "new": answer.update.new,
        "passes": answer.passes,
        "policy": {"source": answer.policy.source, "mode": answer.policy.mode},
        "judged": answer.judged or None,
        "note": answer.note or answer.unjudged or None,
        "error": None if refusal is None else error_json(refusal),
        "report": None if report is None else report_json(report),
    }


def _lines(answers: Sequence[Answer], *, all_or_none: bool) -> Iterator[str]:
    is_quiet = loudness() == QUIET
    for answer in answers:
        # A ref that was not looked at is said always: nobody shall take silence for a judgement.
        if not is_quiet or not answer.passes or answer.unjudged:
            yield from _answer_lines(answer)
    refused = [answer for answer in answers if not answer.passes]
    if refused and all_or_none and len(answers) > 1:
        names = ", ".join(visible(answer.update.ref) for answer in refused)
        yield f"hkgit: {names} refused, so none of them moves"


def _answer_lines(answer: Answer) -> Iterator[str]:
    ref = visible(answer.update.ref)
    if answer.refusal is not None:
        mark = "FAIL" if not answer.passes else "warn"
        yield f"{mark} {ref}: {visible(answer.refusal.what)}"
        if answer.refusal.fix:
            yield f"       -> {visible(answer.refusal.fix)}"
    elif answer.unjudged:
        yield f"note {ref} is not judged: {visible(answer.unjudged)}"
    elif answer.report is None:
        yield f"ok   {ref}: {answer.note}"
    else:
        yield f"{'ok  ' if answer.passes else 'FAIL'} {ref}, {answer.judged}:"
        yield from (f"     {line}" for line in _report_lines(answer.report))


def _report_lines(report: Report) -> Iterator[str]:
    """What is rejected, and the sum; every commit only where that is asked for."""
    rejected = tuple(ruling for ruling in report.rulings if not ruling.passes)
    if loudness() < VERBOSE and rejected:
        *lines, _ = report_lines(replace(report, rulings=rejected))
        yield from lines
        yield console(summary(report))
    else:
        yield from report_lines(report)
