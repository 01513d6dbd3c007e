"""`hkgit stats`: a stretch of history in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import click

from hkgit.audit.tables.database import open_rows
from hkgit.audit.tables.figures import (
    AgentFigures,
    agent_json,
    count_all,
    count_line,
    list_agents,
    numbers_json,
    numbers_lines,
)
from hkgit.cli.answer import echo_json, json_option
from hkgit.cli.common import open_history
from hkgit.cli.output import echo, show_progress
from hkgit.cli.ruling_output import find_range
from hkgit.cli.terminal_rows import Cell, color_option, echo_paged, render_rows
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.commit_range import judge_range, list_commits_of
from hkgit.gate.ruling import Ruling
from hkgit.text.escape import visible


@click.command()
@click.argument("revision", default="HEAD", metavar="[REV | A..B]")
@color_option
@json_option
def command(revision: str, as_json: bool) -> None:
    """Count edits by agent, tier, evidence and confidence, in A..B or in all commits up to REV.

    The policy is that at A, or at HEAD without a range.
    """
    repository = open_history()
    asked, policy = find_range(repository, revision)
    commits = list_commits_of(repository, asked, policy)
    if not as_json:  # the rest is of all of them
        echo(count_line(len(commits)))
    watch = show_progress("replaying commit")

    def rule(fresh: Sequence[str]) -> Iterator[Ruling]:
        return judge_range(repository, asked, policy, commits=fresh, watch=watch).rulings

    refused = RefusalLog.of(repository.common_dir).read()
    with open_rows(repository, policy, commits, rule) as database:
        numbers, by_agent = count_all(database), list_agents(database, refused)[""]
    if as_json:
        about = {"policy_source": policy.source, "refused": len(refused)}
        echo_json({**numbers_json(numbers), **about, "by_agent": [*map(agent_json, by_agent)]})
        return
    click.echo("\n".join(map(visible, islice(numbers_lines(numbers), 1, None))))
    if refused:
        landed = sum(each.landed is not None for each in refused)
        click.echo(f"refused     {len(refused)} in this clone, {landed} landed in the end")
    if by_agent:
        table = render_rows((16, 8, 8, 6, 6, 5, 8), _rows(by_agent))
        echo_paged(["", *table])


def _rows(agents: Sequence[AgentFigures]) -> Iterator[Sequence[Cell]]:
    """A row an agent, its commits by week at the end."""
    yield "agent", "commits", "derived", "pass", "edits", "weak", "refused", ("by week", "cyan")
    for row in agents:
        numbers = [str(n) for n in (row.commits, row.derived, row.passing, row.edits)]
        weak = str(row.weak), "red" if row.weak else None
        yield row.name, *numbers, weak, str(row.refused), (row.sparkline, "cyan")
