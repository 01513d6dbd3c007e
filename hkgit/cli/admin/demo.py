"""demo.py: `hkgit demo`, everything at once, in a throw-away repository."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from hkgit.cli.admin.demonstration import play


@click.command()
@click.option("--keep", is_flag=True, help="Leave the repository and print where it is.")
def command(keep: bool) -> None:
    """Show hkgit at work in a throw-away repository made of its own sources."""
    if keep:
        root = Path(tempfile.mkdtemp(prefix="hkgit-demo-"))
        play(root, click.echo)
        click.echo(f"\nKept: {root}")
        return
    with tempfile.TemporaryDirectory(prefix="hkgit-demo-", ignore_cleanup_errors=True) as folder:
        play(Path(folder), click.echo)
