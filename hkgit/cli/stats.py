"""`hkgit stats`: a stretch of history in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import click

from hkgit.audit.commits import History
from hkgit.audit.tables.database import open_kept_rows, restrict_rows, update_rows
from hkgit.audit.tables.figures import (
    AgentFigures,
    Summary,
    agent_json,
    count_line,
    numbers_json,
    numbers_lines,
    sum_up,
)
from hkgit.cli.answer import Answer, json_option
from hkgit.cli.history import REVISION, open_history
from hkgit.cli.output import show_progress
from hkgit.cli.terminal_rows import Cell, color_option, render_rows
from hkgit.evidence.refusal_log import RefusalLog, RefusedAttempt
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import visible
from hkgit.text.strict_json import JsonObject


@click.command()
@REVISION
@color_option
@json_option
def command(commits: str) -> Answer:
    """Count edits by agent, tier, evidence and confidence, in A..B or in all commits up to REV.

    The policy is that at A, or at HEAD without a range.
    """
    history = open_history(commits)
    listed = history.list()
    refused = RefusalLog.of(history.repository.common_dir).read()
    lines = _lines(history, listed, refused)
    return Answer(lambda: _document(history, listed, refused), lines)


def _count(history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]) -> Summary:
    def rule(fresh: Sequence[str]) -> Iterator[Ruling]:
        return history.judge(fresh, show_progress("judging commit"))

    with open_kept_rows(history.repository, history.policy) as database:
        update_rows(database, "", listed, history.policy, rule)
        restrict_rows(database, listed)
        return sum_up(database, refused)


def _document(
    history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]
) -> JsonObject:
    found = _count(history, listed, refused)
    about = {"policy_source": history.policy.source, "refused": len(refused)}
    by_agent = [*map(agent_json, found.agents)]
    return {**numbers_json(found.figures), **about, "by_agent": by_agent}


def _lines(
    history: History, listed: Sequence[str], refused: Sequence[RefusedAttempt]
) -> Iterator[str]:
    yield count_line(len(listed))  # the rest is of all of them
    found = _count(history, listed, refused)
    yield from map(visible, islice(numbers_lines(found.figures), 1, None))
    if refused:
        landed = sum(each.landed is not None for each in refused)
        yield f"refused     {len(refused)} in this clone, {landed} landed in the end"
    if found.agents:
        yield ""
        yield from render_rows((16, 8, 8, 6, 6, 5, 8), _rows(found.agents))


def _rows(agents: Sequence[AgentFigures]) -> Iterator[Sequence[Cell]]:
    """A row an agent, its commits by week at the end."""
    yield "agent", "commits", "derived", "pass", "edits", "weak", "refused", ("by week", "cyan")
    for row in agents:
        numbers = [str(n) for n in (row.commits, row.derived, row.passing, row.edits)]
        weak = str(row.weak), "red" if row.weak else None
        yield row.name, *numbers, weak, str(row.refused), (row.sparkline, "cyan")
