"""kept.py: what is kept of a checkout while a shell command runs, one small file for each command.

Hooks of other sessions read it too: they tell from it what may have changed a file meanwhile.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from hkgit.edits import REGULAR
from hkgit.sessions.storage.small_files import keep_json
from hkgit.values import dataclass

ABSENT, BEYOND = "", "beyond"
"""The stamps of a file that is not there, and of one that is not looked at."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was: what tells it from any later one, and its content, if that is kept.

    `since` is when it was so, in milliseconds since 1970; 0 for when the command began. `lost`
    names the session that found it changed until then, and could not tell by whom.
    """

    stamp: str
    mode: int = REGULAR
    version: str | None = None
    since: int = 0
    lost: str = ""


@dataclass(frozen=True, slots=True)
class ShellSnapshot:
    """A checkout before a command: its commit, and the files that differ from the commit's.

    `begun` is when it began, in milliseconds since 1970: when its file was written.
    """

    head: str | None
    files: Mapping[str, KeptFile]
    command: str = ""
    begun: int = 0


def find_running(session: Path) -> list[Path]:
    """Find the snapshots of commands that have not reported their end, the latest last."""
    found = session.glob("aside/shell-*.json")
    return sorted(found, key=lambda place: place.stat().st_mtime_ns)


def stamp(place: Path) -> str:
    """Tell a file from any later one at its place."""
    try:
        status = place.lstat()
    except OSError:
        return ABSENT
    return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_mode}"


def tell_time() -> int:
    """Return the time now, in milliseconds since 1970."""
    return time.time_ns() // 10**6


def save_snapshot(place: Path, snapshot: ShellSnapshot) -> None:
    """Keep a snapshot. Raises OSError."""
    files = {
        path: [each.stamp, each.mode, each.version, each.since, each.lost]
        for path, each in snapshot.files.items()
    }
    keep_json(place, {"head": snapshot.head, "command": snapshot.command, "files": files})


def load_snapshot(place: Path) -> ShellSnapshot | None:
    """Read a snapshot; None where there is none, or it is damaged."""
    try:
        fields = json.loads(place.read_text())
        files = {path: KeptFile(*each) for path, each in fields["files"].items()}
        begun = place.stat().st_mtime_ns // 10**6
        return ShellSnapshot(fields["head"], files, str(fields.get("command", "")), begun)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def renew_snapshots(session: Path, files: Mapping[str, KeptFile]) -> None:
    """Let a session's commands that still run begin with these files."""
    for place in find_running(session):
        if (snapshot := load_snapshot(place)) is not None:
            times = place.stat()
            kept = {**snapshot.files, **files}
            save_snapshot(place, ShellSnapshot(snapshot.head, kept, snapshot.command))
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
