"""Serve agents, programs and editors on standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

import click

from hkgit.cli.options import argument, declare, option
from hkgit.cli.output import print_note

_ON_A_TERMINAL = (
    "hkgit mcp is a server that an agent starts: it waits for messages of the Model Context"
    " Protocol on standard input. To connect an agent: hkgit init --agent NAME; to try it by hand:"
    " hkgit serve. End it with Ctrl-C."
)


@declare
def mcp(
    *,
    root: Path = option(
        "The directory to work in, if the client names no roots.",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=".",
    ),
    session: str | None = option(
        "The session's name [default: the agent's conversation, or a new one].", metavar="NAME"
    ),
) -> None:
    """Serve an agent the tools read, edit, apply, undo and status.

    It uses the Model Context Protocol on standard input and output; the agent starts it.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        print_note(_ON_A_TERMINAL)
    from hkgit.agents.servers.connection import Connection
    from hkgit.agents.servers.json_rpc import Lines
    from hkgit.agents.servers.mcp_server import serve as serve_tools

    serve_tools(Connection(root, session), Lines(*_take_streams()))


@declare
def serve(
    *,
    stdio: bool = option("Use standard input and output (the only transport)."),
    root: Path = option(
        "Work in the checkout around this directory.",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=".",
    ),
    session: str | None = option("The session's name; a new one by default.", metavar="NAME"),
    agent: str = option("Who edits, as name/version.", metavar="NAME", default="unknown"),
) -> None:
    """Answer JSON-RPC 2.0 requests, one per line: read, edit, apply, undo, status, ping.

    They have the arguments and results of the tools of `hkgit mcp`.
    """
    from hkgit.agents.servers.connection import Connection
    from hkgit.agents.servers.json_rpc import Lines
    from hkgit.agents.servers.json_rpc import serve as serve_calls

    serve_calls(Connection(root, session, agent), Lines(*_take_streams()))


@declare
def acp(*, agent: tuple[str, ...] = argument(required=True, type=click.UNPROCESSED)) -> int:
    """Start AGENT, pass its Agent Client Protocol on, and record what it reads and edits.

    The editor starts it instead of the agent. Each message passes unchanged; files that the
    agent reads and writes through the editor become receipts and edits of a session.
    """
    from hkgit.agents.acp.relay import Relay

    def report(what: str) -> None:
        click.echo(f"hkgit: {what}", err=True)

    relay = Relay(Path.cwd(), Path(agent[0]).name, report)
    return relay.run(agent, *_take_streams())


acp.context_settings["ignore_unknown_options"] = True


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for messages.

    Whatever is started here must neither take one nor print between them.
    """
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return streams
