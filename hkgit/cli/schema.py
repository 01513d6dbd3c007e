"""`hkgit schema`: the formats that other programs may rely on."""

from __future__ import annotations

import json

import click

from hkgit.text.schemas import NAMES, load_schema


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print a published JSON Schema."""
    click.echo(json.dumps(load_schema(name), indent=2))
