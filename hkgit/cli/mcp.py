"""`hkgit mcp`: a Model Context Protocol server on standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from hkgit.cli.output import print_note
from hkgit.errors import InvalidInput

_ON_A_TERMINAL = (
    "hkgit mcp is a server that an agent starts: it waits for messages of the Model Context"
    " Protocol on standard input. To connect an agent: hkgit init --agent NAME; to try it by hand:"
    " hkgit serve. End it with Ctrl-C."
)


@click.command()
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The directory to work in, if the client names no roots.",
)
@click.option(
    "--session",
    metavar="NAME",
    help="The session's name [default: the agent's conversation, or a new one].",
)
def command(root: Path, session: str | None) -> None:
    """Serve an agent the tools read, edit, apply, undo and status.

    It uses the Model Context Protocol on standard input and output; the agent starts it.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        print_note(_ON_A_TERMINAL)
    try:
        from hkgit.agents.servers.mcp_server import serve
    except ImportError as error:
        what = f"the Python package for it is missing ({error.name})"
        raise InvalidInput("hkgit mcp", what, "Install it: pip install 'hkgit[mcp]'") from error
    from hkgit.agents.servers.connection import Connection
    from hkgit.agents.servers.roots import session_of_process

    serve(Connection(root, session, conversation=session_of_process(os.environ)))
