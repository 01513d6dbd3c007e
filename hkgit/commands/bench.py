"""bench.py: `hkgit bench`, a user's own logged edits run against hkgit."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.commands.common import echo_json, json_option
from hkgit.commands.manners import watched
from hkgit.transcripts.reading import logs_in, read_log
from hkgit.transcripts.replaying import replayed
from hkgit.transcripts.reporting import report_json, report_lines


@click.command()
@click.option(
    "--transcripts", metavar="DIR", required=True, type=click.Path(path_type=Path),
    help="A directory of logs (*.jsonl), or one log.",
)  # fmt: skip
@json_option
def command(transcripts: Path, as_json: bool) -> None:
    """Run logged edits against hkgit: what lands, what is refused, what comes out otherwise.

    Logs of Claude Code and Codex are known, and a plain form (see docs/contract.md). Nothing is
    written, and nothing leaves this machine.
    """
    paths = logs_in(transcripts)
    logs = [read_log(path) for path in watched("reading log")(paths)]
    replays = [
        replay for log in watched("replaying log")(logs) for replay in replayed(log.events)
    ]
    if as_json:
        echo_json(report_json(logs, replays))
    else:
        click.echo("\n".join(report_lines(logs, replays)))
