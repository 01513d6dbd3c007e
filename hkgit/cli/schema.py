"""What programs, models and shells rely on: schemas, how a dialect is written, versions."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from hkgit import __version__
from hkgit.agents.prompts import prompt as write_prompt
from hkgit.audit.tables.columns import VERSION, tables_schema
from hkgit.cli.options import argument, declare
from hkgit.dialects import DIALECTS
from hkgit.errors import HkgitError
from hkgit.gate.policy.key_table import policy_schema
from hkgit.text.formats import FORMATS, describe_format
from hkgit.text.strict_json import JsonObject

NAMES = sorted([*FORMATS, "tables"])


@declare
def schema(*, name: str = argument(type=click.Choice(NAMES))) -> None:
    """Print a published JSON Schema."""
    click.echo(json.dumps(find_schema(name), indent=2))


def find_schema(name: str) -> JsonObject:
    """Write a schema, from the types or the table that say what it describes."""
    version = 1
    if name == "policy":
        found = policy_schema()
    elif name == "tables":
        found, version = tables_schema(), VERSION
    else:
        found = describe_format(name)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:hkgit:{name}:v{version}",
        "title": f"hkgit {name}",
    }
    return head | found


@declare
def prompt(*, dialect: str = argument(type=click.Choice(list(DIALECTS)))) -> None:
    """Print the instruction that teaches a model a dialect and the protocol.

    hkgit's own tests run every example in it.
    """
    click.echo(write_prompt(dialect), nl=False)


SHELLS = ("bash", "zsh", "fish")


@declare
def completions(*, shell: str = argument(type=click.Choice(SHELLS))) -> None:
    """Print the completions of hkgit and hk for a shell to load at start.

    \b
    bash:  eval "$(hkgit completions bash)"
    zsh:   eval "$(hkgit completions zsh)"
    fish:  hkgit completions fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    for name in ("hkgit", "hk"):
        words = kind(click.Command(name), {}, name, f"_{name.upper()}_COMPLETE")
        # `source` of bash starts a bash to see its version, which the user knows.
        click.echo(words.source_template % words.source_vars())


def list_versions() -> dict[str, str]:
    """List every version that matters; for a git that is missing or too old, a note."""
    from importlib.metadata import version

    from hkgit.git.libgit2 import pygit2
    from hkgit.matching.place import LADDER_VERSION

    return {
        "hkgit": __version__,
        "ladder": str(LADDER_VERSION),
        "python": platform.python_version(),
        "pygit2": version("pygit2"),
        "libgit2": pygit2.LIBGIT2_VERSION,
        "git": _git(),
    }


def _git() -> str:
    from hkgit.git.program import Git

    try:
        output = Git(Path.cwd())("--version").text
    except HkgitError as error:
        return f"({error.what})"
    return output.removeprefix("git version ")
