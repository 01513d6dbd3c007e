"""`hkgit acp -- AGENT`: a proxy between an editor and an agent."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("agent", nargs=-1, required=True, type=click.UNPROCESSED)
def command(agent: tuple[str, ...]) -> None:
    """Start AGENT, pass its Agent Client Protocol on, and record what it reads and edits.

    The editor starts it instead of the agent. Each message passes unchanged; files that the
    agent reads and writes through the editor become receipts and edits of a session.
    """
    from hkgit.agents.acp.relay import Relay

    def report(what: str) -> None:
        click.echo(f"hkgit: {what}", err=True)

    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever is started here must neither take a message nor print between them.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    relay = Relay(Path.cwd(), Path(agent[0]).name, report)
    sys.exit(relay.run(agent, incoming, outgoing))
