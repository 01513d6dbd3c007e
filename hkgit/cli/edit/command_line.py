"""command_line.py: repeat the given command with more arguments, as a line for a shell."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from hkgit.cli.output import list_given_words

_INPUT: list[bytes] = []
"""What this run has read from standard input."""

_LONGEST = 40_000
"""Bytes of standard input that a command repeats."""


def remember_input(data: bytes) -> None:
    """Note what was read from standard input: nobody can read it again."""
    _INPUT[:] = [data]


def render_again(*more: str) -> str | None:
    """Render the command that was given, with these arguments too, and its standard input.

    None where that cannot be said in a line for a shell.
    """
    given = list_given_words()
    data = _INPUT[0] if _INPUT else None
    if not given:
        return None
    command = shlex.join(_join_options(given, more))
    return command if data is None else _with_input(command, data)


def _join_options(given: Sequence[str], more: Sequence[str]) -> list[str]:
    """Options stand before `--`, behind which everything is a file."""
    end = given.index("--") if "--" in given else len(given)
    return [*given[:end], *more, *given[end:]]


def _with_input(command: str, data: bytes) -> str | None:
    """A command with a here-document; None for what a shell or a terminal would change."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    plain = text.replace("\n", "").replace("\t", "")
    if len(data) > _LONGEST or not (plain.isprintable() or not plain):
        return None
    mark = "END"
    while mark in text.split("\n"):
        mark += "_"
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{command} <<'{mark}'\n{text}{end}{mark}"


def render_expectations(root: Path | None, hashes: Iterable[tuple[str, str]]) -> list[str]:
    """Render the arguments that say what whole files are expected to be."""
    return [
        word
        for path, digest in dict(hashes).items()
        for word in ("--expect", f"{make_relative(root, path)}={digest}")
    ]


def make_relative(root: Path | None, path: str) -> str:
    """Convert a path from the root to one from the current directory."""
    return path if root is None else os.path.relpath(root / path)
