"""`hkgit gate` in hooks where refs are about to move."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from hkgit.applying.outcome import error_json
from hkgit.audit.reports.documents import report_json
from hkgit.audit.reports.text import report_lines
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.output import CONSOLE, QUIET, VERBOSE, print_error, read_input
from hkgit.cli.record_steps import list_commits_past_hooks
from hkgit.errors import InvalidInput, Rejected
from hkgit.gate.clock import DEFAULT
from hkgit.gate.entrypoints.arrival import (
    UpdateResult,
    parse_pushed,
    parse_received,
    read_framework_update,
)
from hkgit.gate.entrypoints.hooks import judge_moved, judge_pushed, judge_received
from hkgit.gate.trusted_policy import read_named_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import escape_console, to_json_text
from hkgit.text.strict_json import JsonObject

LONGEST_BUDGET = 86_400
"""Seconds that a push may be given."""

NAMED = 20
"""So many refs are named that are refused for one reason."""


def judge(
    point: str,
    state: str,
    policy: str | None = None,
    *,
    remote: str | None = None,
    budget: float | None = None,
) -> Answer:
    """Answer whether every ref that git tells a hook of may move.

    `policy` names another one than the trusted side's, as FILE or REV:PATH. `remote` is where a
    push goes, else what the pre-commit framework says, else `origin`. `budget` is how many seconds
    pre-receive may take; there the repository's settings `hkgit.gate.policy` and `hkgit.budget`
    replace what is not given. Raises InvalidInput for a policy, a budget or lines from git that
    cannot be read.
    """
    if point == "reference_transaction" and state != "prepared":
        return Answer(None)  # too early, or too late
    if sys.stdin is None:
        raise InvalidInput("standard input", "is closed", "git tells a hook there what moves.")
    repository, stdin = open_repository(in_hook=True), read_input()
    if point == "pre_receive":
        policy = policy or repository.config("hkgit.gate.policy")
    given = None if policy is None else read_named_policy(repository, policy)
    if point == "pre_push":
        for line in list_commits_past_hooks(repository):
            print_error(line)
        pushed = [*parse_pushed(stdin)] or [*read_framework_update(os.environ)]
        remote = remote or os.environ.get("PRE_COMMIT_REMOTE_NAME", "origin")
        answers = tuple(judge_pushed(repository, pushed, remote, given))
        _warn_of_kept_text(repository, answers)
    elif point == "pre_receive":
        seconds = _parse_seconds(repository.config("hkgit.budget") if budget is None else budget)
        answers = tuple(judge_received(repository, [*parse_received(stdin)], given, seconds))
    else:
        answers = tuple(judge_moved(repository, [*parse_received(stdin)], given))
    passes = all(each.passes for each in answers)
    return Answer(
        lambda: {"passes": passes, "refs": [_answer_json(each) for each in answers]},
        map(escape_console, _lines(answers)),
        0 if passes else Rejected.exit_code,
    )


def _parse_seconds(given: str | float | None) -> float:
    try:
        seconds = DEFAULT if given is None else float(given)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= LONGEST_BUDGET:
        what = f"is not a number of seconds from 0 to {LONGEST_BUDGET}: {given}"
        raise InvalidInput("budget", what)
    return seconds


def _warn_of_kept_text(repository: Repository, answers: Sequence[UpdateResult]) -> None:
    judged = [ruling.judged for answer in answers for ruling in answer.report.rulings]
    commits = [each.candidate.id for each in judged if each.entries and each.candidate.id]
    if commits:
        from hkgit.cli.removed_text import warn_of_push

        warn_of_push(repository, commits)


def _answer_json(answer: UpdateResult) -> JsonObject:
    report, refusal = answer.report, answer.refusal
    return {
        "ref": to_json_text(answer.update.ref),
        "old": answer.update.old,
        "new": answer.update.new,
        "passes": answer.passes,
        "policy": {"source": report.policy.source, "mode": report.policy.mode},
        "judged": answer.judged or None,
        "note": answer.note or answer.unjudged or None,
        "error": None if refusal is None else error_json(refusal),
        "report": report_json(report) if answer.judged else None,
    }


def _lines(answers: Sequence[UpdateResult]) -> Iterator[str]:
    is_quiet = CONSOLE.loudness == QUIET
    for answer in _thin_out(answers):
        # A ref that was not looked at is said always: nobody shall take silence for a judgement.
        is_clean = answer.passes and answer.report.is_clean
        if not is_quiet or not is_clean or answer.unjudged:
            yield from _answer_lines(answer)
    refused = [answer for answer in answers if not answer.passes]
    if refused and len(answers) > 1:
        names = ", ".join(answer.update.ref for answer in refused[:NAMED])
        more = f" and {len(refused) - NAMED} more" if len(refused) > NAMED else ""
        yield f"hkgit: {names}{more} refused, so no ref is updated"


def _thin_out(answers: Sequence[UpdateResult]) -> Iterator[UpdateResult]:
    """The answers, less those refused in words that were said often enough."""
    counts: Counter[str] = Counter()
    for answer in answers:
        words = "" if answer.refusal is None else f"{answer.refusal.what}\n{answer.refusal.fix}"
        counts[words] += 1
        if not words or counts[words] <= NAMED:
            yield answer


def _answer_lines(answer: UpdateResult) -> Iterator[str]:
    ref = answer.update.ref
    if answer.refusal is not None:
        mark = "FAIL" if not answer.passes else "warn"
        yield f"{mark} {ref}: {answer.refusal.what}"
        if answer.refusal.fix:
            yield f"       -> {answer.refusal.fix}"
    elif answer.unjudged:
        yield f"note {ref} is not judged: {answer.unjudged}"
    elif not answer.judged:
        yield f"ok   {ref}: {answer.note}"
    else:
        yield f"{'ok  ' if answer.passes else 'FAIL'} {ref}, {answer.judged}:"
        # Beside the sum what is rejected; every commit only where that is asked for.
        rejected = [ruling for ruling in answer.report.rulings if not ruling.passes]
        shown = rejected if CONSOLE.loudness < VERBOSE and rejected else None
        yield from (f"     {line}" for line in report_lines(answer.report, shown))
