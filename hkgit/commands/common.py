"""common.py: what several commands need: the repository, paths, output."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from hkgit.errors import InvalidInput
from hkgit.git.repository import Repository


def open_repository(*, in_hook: bool = False) -> Repository:
    """The repository around the current directory."""
    return Repository.discover(Path.cwd(), in_hook=in_hook)


def root_relative(repository: Repository, path: str) -> str:
    """A path of the command line, relative to where the user stands, as one from the root.

    Raises InvalidInput for a path outside the work tree.
    """
    if repository.work_tree is None:
        return Path(path).as_posix()
    root = repository.work_tree.resolve()
    place = Path(os.path.normpath(Path.cwd().resolve() / path))
    if not place.is_relative_to(root):
        raise InvalidInput(path, "lies outside the work tree", f"Name a file below {root}.")
    return place.relative_to(root).as_posix()


def echo_json(value: Any) -> None:
    """Print the one document of standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
