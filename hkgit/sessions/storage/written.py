"""written.py: what agents' tools have just left of files, kept for the moments after it."""

from __future__ import annotations

import json
from pathlib import Path

from hkgit.sessions.storage.paths import find_folders

Written = dict[str, tuple[str, int, float]]
"""Paths, each with the version and the mode that an edit has left, and when."""

_EARLY = 0.2
"""Seconds before it is written down what a tool has left, in which that was read."""


def written_in(folder: Path) -> Path:
    """The file of a session that says so."""
    return folder / "aside" / "written"


def load_written(folder: Path) -> Written:
    """Load what is kept in a session; nothing where that is spoilt."""
    try:
        found = json.loads(written_in(folder).read_text())
        return {path: (str(each[0]), int(each[1]), float(each[2])) for path, each in found.items()}
    except (OSError, ValueError, AttributeError, TypeError, LookupError):
        return {}


def save_written(folder: Path, written: Written) -> None:
    """Keep it instead of what was kept."""
    place = written_in(folder)
    if not written:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.write_text(json.dumps(written))
    new.replace(place)


def find_late_sessions(root: Path) -> list[str]:
    """Find the sessions of a checkout of which somebody has written a file since a tool did."""
    return [
        folder.name
        for folder in find_folders(root)
        for path, (_, _, since) in load_written(folder).items()
        if _read_change_time(root / path) > since - _EARLY
    ]


def _read_change_time(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0
