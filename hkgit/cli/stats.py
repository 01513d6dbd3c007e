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
from hkgit.cli.common import echo_json, json_option, open_history
from hkgit.cli.output import echo, show_progress
from hkgit.cli.pager import echo_paged
from hkgit.cli.ruling_output import resolve_range
from hkgit.cli.terminal_rows import color_option, measure_terminal, render_row
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.commit_range import CommitRange, judge_range, list_commits_of
from hkgit.gate.ruling import Ruling
from hkgit.gate.trusted_policy import load_policy
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
    old, new = None, revision
    if ".." in revision:
        old, new = resolve_range(repository, revision)
    new = repository.resolve(new)
    policy = load_policy(repository, None, old or repository.head().commit)
    asked = CommitRange(old, new)
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
        echo_paged(["", *_table(by_agent)])


def _table(rows: Sequence[AgentFigures]) -> Iterator[str]:
    """A line an agent, its commits by week at the end."""
    width = measure_terminal()
    titles = ("agent", "commits", "derived", "pass", "edits", "weak", "refused", "by week")
    widths = (16, 8, 8, 6, 6, 5, 8)
    yield render_row(titles, widths, (*[None] * 7, "cyan"), width)
    for row in rows:
        numbers = (row.commits, row.derived, row.passing, row.edits, row.weak, row.refused)
        words = (row.name, *map(str, numbers), row.sparkline)
        colours = (*[None] * 5, "red" if row.weak else None, None, "cyan")
        yield render_row(words, widths, colours, width)
