"""mcp.py: `hkgit mcp`, a Model Context Protocol server on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.errors import InvalidInput


@click.command()
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Work here, where the client names no roots.",
)
@click.option("--session", metavar="NAME", help="The session's name; a new one by default.")
def command(root: Path, session: str | None) -> None:
    """Serve an agent the tools read, edit, apply, undo and status.

    It speaks the Model Context Protocol on standard input and output; the agent starts it.
    """
    try:
        from hkgit.mcp.server import serve
    except ImportError as error:
        what = f"the Python package for it is missing ({error.name})"
        raise InvalidInput("hkgit mcp", what, "Install it: pip install 'hkgit[mcp]'") from error
    from hkgit.mcp.calls import Session

    serve(Session(root, session))
