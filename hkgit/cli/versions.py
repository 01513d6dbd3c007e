"""What `hkgit --version` tells: all that an answer of hkgit may depend on."""

from __future__ import annotations

import platform
from pathlib import Path

import click

from hkgit import __version__
from hkgit.errors import HkgitError


def print_versions() -> None:
    """Print one line a version."""
    for name, number in list_versions().items():
        click.echo(f"{name} {number}")


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
    from hkgit.git import program

    try:
        output = program.run(["--version"], cwd=Path.cwd()).text
    except HkgitError as error:
        return f"({error.what})"
    return output.removeprefix("git version ")
