"""A range in numbers, as answers to the protocol's questions, and as a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path

import click

from hkgit.audit.audit import (
    Audit,
    audit_json,
    render_badge,
    render_body,
    render_comment,
    render_head,
)
from hkgit.audit.commits import History
from hkgit.audit.questions import YES, Fact, Question, answer_questions, select_governed
from hkgit.audit.tables.database import (
    open_directory,
    open_kept_rows,
    restrict_rows,
    update_rows,
)
from hkgit.audit.tables.figures import (
    Summary,
    count_line,
    draw_sparkline,
    numbers_json,
    numbers_lines,
    sum_up,
)
from hkgit.audit.tables.rows import Row
from hkgit.cli.answer import Answer
from hkgit.cli.history import POLICY, RANGE, REVISION, open_history, watch_judging
from hkgit.cli.options import argument, declare, format_option, option
from hkgit.cli.output import style
from hkgit.cli.terminal_rows import Cell, render_rows
from hkgit.errors import InvalidInput, Rejected
from hkgit.evidence.refusal_log import RefusalLog, RefusedAttempt
from hkgit.gate.ruling import Report
from hkgit.text.escape import count_noun, visible
from hkgit.text.strict_json import Json, JsonObject
from hkgit.values import asdict

FORMATS = ("markdown", "comment", "badge")


@declare
def report(
    *,
    commits: str | None = argument("[A..B]"),
    policy: str | None = POLICY,
    form: str = format_option(
        FORMATS, "The full report, a comment for a pull request, or an SVG badge."
    ),
    tables: str | None = option("Report on the tables of many repositories.", metavar="DIR"),
    html: str | None = option(
        "Write the page as one file that loads nothing else.", metavar="FILE"
    ),
) -> Answer:
    """Report on A..B: what is derived, what is only claimed, what was allowed.

    As Markdown, or as a page for a browser with --html. Its exit code is no verdict: use
    `hkgit gate` for that. With --tables the page covers all repositories in the tables of
    `hkgit export`.
    """
    if tables is not None:
        if html is None or commits is not None or policy is not None or form != FORMATS[0]:
            raise click.UsageError("--tables needs --html, and nothing else.")
        from hkgit.audit.page.render import render_tables  # few reports are over tables

        with open_directory(Path(tables)) as database:
            return _write_page(None, html, render_tables(database))
    if commits is None:
        raise click.UsageError("Name a range: hkgit report A..B, or give --tables DIR.")
    if html is not None and form in FORMATS[1:]:
        raise click.UsageError("--html and --format exclude each other.")
    history = open_history(commits, policy, is_range=True)
    listed = history.list()
    if html is not None:
        from hkgit.audit.page.render import gather_facts, render_page  # most reports are no pages

        repository, audit = history.repository, _audit(commits, history, listed)
        title = (repository.work_tree or repository.git_dir).name
        facts = gather_facts(repository, title, audit)
        return _write_page(audit_json(audit), html, render_page(facts))
    return Answer(
        lambda: audit_json(_audit(commits, history, listed)),
        (text.encode() for text in _render_report(commits, history, listed, form)),
    )


def _audit(name: str, history: History, listed: Sequence[str]) -> Audit:
    report = Report(history.policy, tuple(history.judge(listed, watch_judging)))
    refused = RefusalLog.of(history.repository.common_dir).read()
    return Audit.of(name, history.asked, report, refused)


def _render_report(name: str, history: History, listed: Sequence[str], form: str) -> Iterator[str]:
    """Render a report as text; of Markdown first what is known by now."""
    match form:
        case "comment":
            yield render_comment(_audit(name, history, listed))
        case "badge":
            yield render_badge(_audit(name, history, listed))
        case _:
            yield render_head(name, history.asked, len(listed), history.policy)
            yield render_body(_audit(name, history, listed))


def _write_page(document: Json, html: str, text: str) -> Answer:
    path = Path(html)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise InvalidInput(str(path), what, "Name another place.") from error
    return Answer(document, [f"the page: {html}"], is_info=True)


@declare
def stats(*, commits: str = REVISION) -> Answer:
    """Count edits by agent, tier, evidence and confidence, in A..B or in all commits up to REV.

    The policy is that at A, or at HEAD without a range.
    """
    history = open_history(commits)
    listed = history.list()
    refused = RefusalLog.of(history.repository.common_dir).read()
    lines = _stats_lines(history, listed, refused)
    return Answer(lambda: _stats_json(history, listed, refused), lines)


def _count_all(
    history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]
) -> Summary:
    rule = partial(history.judge, watch=watch_judging)
    with open_kept_rows(history.repository, history.policy) as database:
        update_rows(database, "", listed, history.policy, rule)
        restrict_rows(database, listed)
        return sum_up(database, refused)


def _stats_json(
    history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]
) -> JsonObject:
    found = _count_all(history, listed, refused)
    about = {"policy_source": history.policy.source, "refused": len(refused)}
    by_agent = [{name: row[name] for name in _BY_AGENT} for row in found.agents]
    return {**numbers_json(found.figures), **about, "by_agent": by_agent}


def _stats_lines(
    history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]
) -> Iterator[str]:
    yield count_line(len(listed))  # the rest is of all of them
    found = _count_all(history, listed, refused)
    yield from map(visible, islice(numbers_lines(found.figures), 1, None))
    if refused:
        landed = sum(each.landed is not None for each in refused)
        yield f"refused     {len(refused)} in this clone, {landed} landed in the end"
    if found.agents:
        yield ""
        yield from render_rows((16, 8, 8, 6, 6, 5, 8), _agent_rows(found.agents))


_COUNTED = ("agent", "commits", "derived", "passes", "edits", "weak", "refused")
_BY_AGENT = (*_COUNTED, "first_week", "by_week")


def _agent_rows(agents: Sequence[Row]) -> Iterator[Sequence[Cell]]:
    """A row an agent, its commits by week at the end."""
    yield (*_COUNTED, ("by week", "cyan"))
    for row in agents:
        warned = {"weak": "red"} if row["weak"] else {}
        cells = [(str(row[name]), warned.get(name)) for name in _COUNTED]
        yield (*cells, (draw_sparkline(row["by_week"]), "cyan"))


_MOST = 10
"""Facts that are shown of one answer; --json has all."""

_COLOURS = {"yes": "green", "no": "red", "unknown": "yellow"}


@declare
def qa(*, commits: str = RANGE, policy: str | None = POLICY) -> Answer:
    """Answer the QA questions of the edit protocol on A..B: yes, no or unknown, and why.

    Passes only if every answer is yes.
    """
    history = open_history(commits, policy, is_range=True)
    rulings = tuple(history.replay(history.list(), watch_judging))
    asked = select_governed(Report(history.policy, rulings))
    found = answer_questions(asked)
    passes = all(point.answer == YES for point in found)
    every, governed = len(rulings), len(asked.rulings)
    document = {"passes": passes, "commits": every, "governed": governed}
    return Answer(
        document | {"points": [*map(_point_json, found)]},
        chain(
            [f"{count_noun(every, 'commit')}, the protocol applies to {governed}"],
            _question_lines(found),
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


def _question_lines(found: Sequence[Question]) -> Iterator[str]:
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
