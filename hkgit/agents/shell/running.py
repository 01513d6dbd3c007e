"""running.py: find the commands of a session that still run, and may change files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.agents.shell.kept import ShellSnapshot, find_running, load_snapshot

_RUNNING = 600.0
"""Seconds after which a command that has not reported its end is taken to have ended."""


def has_command(folder: Path, paths: Sequence[str]) -> bool:
    """Whether a command of a session runs that may change files, and names one of these."""
    commands = (snapshot.command for snapshot in list_running_commands(folder))
    names = [path.rpartition("/")[2] for path in paths]
    return any(name in command for command in commands for name in names)


def list_running_commands(folder: Path) -> Iterator[ShellSnapshot]:
    """Yield how a session's commands that still run, and may change files, have found them."""
    if not (places := find_running(folder)):
        return
    # Most sessions run no command.
    from hkgit.agents.shell.harmless import is_harmless

    since = (time.time() - _RUNNING) * 1000
    for place in places:
        snapshot = load_snapshot(place)
        if snapshot and snapshot.begun > since and not is_harmless(snapshot.command):
            yield snapshot
