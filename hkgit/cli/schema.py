"""`hkgit schema`: the formats that other programs may rely on."""

from __future__ import annotations

import json

import click

from hkgit.audit.tables.columns import VERSION, tables_schema
from hkgit.gate.policy.key_table import policy_schema
from hkgit.text.formats import FORMATS, describe_format
from hkgit.text.strict_json import JsonObject

NAMES = sorted([*FORMATS, "policy", "tables"])


@click.command()
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> None:
    """Print a published JSON Schema."""
    click.echo(json.dumps(find_schema(name), indent=2))


def find_schema(name: str) -> JsonObject:
    """Write a schema, from the types or the table that say what it describes."""
    version = 1
    if name == "policy":
        schema = policy_schema()
    elif name == "tables":
        schema, version = tables_schema(), VERSION
    else:
        schema = describe_format(name)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:hkgit:{name}:v{version}",
        "title": f"hkgit {name}",
    }
    return head | schema
