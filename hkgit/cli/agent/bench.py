"""bench.py: `hkgit bench`, a user's own logged edits run against hkgit."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.agents.transcripts.reading import Log, logs_in, read_log
from hkgit.agents.transcripts.replaying import Replay, replay_log, slim
from hkgit.agents.transcripts.reporting import report_json, report_lines
from hkgit.cli.common import echo_json, json_option
from hkgit.cli.output import show_progress
from hkgit.values import replace


@click.command()
@click.option(
    "--transcripts",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="A directory of logs (*.jsonl), or one log.",
)
@json_option
def command(transcripts: Path, as_json: bool) -> None:
    """Run logged edits against hkgit: what lands, what is refused, what comes out otherwise.

    Logs of Claude Code and Codex are known, and a plain form (see docs/contract.md). Nothing is
    written, and nothing leaves this machine.
    """
    logs: list[Log] = []
    replays: list[Replay] = []
    for path in show_progress("replaying log")(logs_in(transcripts)):
        log = read_log(path)
        replays += map(slim, replay_log(log.events))
        # What files said is as large as all logs together, and no longer needed.
        logs.append(replace(log, events=()))
    if as_json:
        echo_json(report_json(logs, replays))
    else:
        click.echo("\n".join(report_lines(logs, replays)))
