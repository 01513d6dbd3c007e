"""`hkgit prompt`: what to tell a model that is to edit with hkgit."""

from __future__ import annotations

import click

from hkgit.agents.prompts import prompt
from hkgit.dialects import DIALECTS


@click.command()
@click.argument("dialect", type=click.Choice(list(DIALECTS)))
def command(dialect: str) -> None:
    """Print the instruction that teaches a model a dialect and the protocol.

    hkgit's own tests run every example in it.
    """
    click.echo(prompt(dialect), nl=False)
