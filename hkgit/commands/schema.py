"""schema.py: `hkgit schema`, the formats that other programs may rely on."""

from __future__ import annotations

from importlib.resources import files

import click

NAMES = ("ledger", "outcome")


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print a published JSON Schema."""
    click.echo(files("hkgit").joinpath("schemas", f"{name}.json").read_text("utf-8"), nl=False)
