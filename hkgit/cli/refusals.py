"""`hkgit refusals`: what was refused in this clone and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from hkgit.audit.commits import fits_agent
from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.pager import echo_paged
from hkgit.cli.terminal_rows import color_option, limit_option, measure_terminal, render_row
from hkgit.evidence.refusal_log import RefusalLog, RefusedAttempt
from hkgit.text.escape import visible


@click.command()
@click.option("--agent", metavar="GLOB", help="Only those of an agent, with or without version.")
@click.option("--open", "only_open", is_flag=True, help="Only those that have not landed yet.")
@limit_option(50, "refusals")
@color_option
@json_option
def command(agent: str | None, only_open: bool, max_count: int, as_json: bool) -> None:
    """List what apply, edit and the servers refused in this clone, the newest first.

    It is a local record: what counts is in the entry that landed in the end.
    """
    log = RefusalLog.of(open_repository().common_dir)
    wanted = [
        each
        for each in reversed(log.read())
        if (agent is None or fits_agent([each.agent], agent))
        and (each.landed is None or not only_open)
    ][:max_count]
    if as_json:
        echo_json({"refusals": [asdict(each) | {"time": each.when} for each in wanted]})
    elif wanted:
        echo_paged(_lines(wanted))
    else:
        click.echo("nothing was refused here")


def _lines(wanted: Sequence[RefusedAttempt]) -> Iterator[str]:
    width = measure_terminal()
    titles = ("time", "agent", "call", "try", "why", "became", "where")
    widths = (16, 12, 5, 3, 9, 9)
    yield render_row(titles, widths, [None] * 7, width)
    for each in wanted:
        became = "open" if each.landed is None else each.landed[:9]
        where = visible(f"{each.path}: {each.reason}" if each.path else each.reason)
        when = each.when[:16].replace("T", " ")
        words = (when, visible(each.agent), each.call, str(each.tries), each.status, became, where)
        colours = (*[None] * 5, "yellow" if each.landed is None else "green", None)
        yield render_row(words, widths, colours, width)
