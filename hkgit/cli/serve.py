"""`hkgit serve --stdio`: for programs that edit often and in any language."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.option("--stdio", is_flag=True, help="Use standard input and output (the only transport).")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Work in the checkout around this directory.",
)
@click.option("--session", metavar="NAME", help="The session's name; a new one by default.")
@click.option("--agent", metavar="NAME", default="unknown", help="Who edits, as name/version.")
def command(stdio: bool, root: Path, session: str | None, agent: str) -> None:
    """Answer JSON-RPC 2.0 requests, one per line: read, edit, apply, undo, status, ping.

    They have the arguments and results of the tools of `hkgit mcp`.
    """
    from hkgit.agents.servers.connection import Connection
    from hkgit.agents.servers.json_rpc import Lines

    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever is started here must neither take a request nor print between the answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    Lines(Connection(root, session, agent), incoming, outgoing).serve()
