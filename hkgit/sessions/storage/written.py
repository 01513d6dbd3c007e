"""written.py: what agents' tools have just left of files, and which edits are still open."""

from __future__ import annotations

import json
from pathlib import Path

from hkgit.git.listing import find_files
from hkgit.sessions.storage.paths import find_folders, list_candidates
from hkgit.sessions.storage.small_files import keep_json

Written = dict[str, tuple[str, int, float]]
"""Paths, each with the version and the mode that an edit has left, and when."""

_EARLY = 0.2
"""Seconds before it is written down what a tool has left, in which that was read."""


def load_written(folder: Path) -> Written:
    """Load what is kept in a session; empty where there is none, or it is damaged."""
    try:
        found = json.loads(_place(folder).read_text())
        return {path: (str(each[0]), int(each[1]), float(each[2])) for path, each in found.items()}
    except (OSError, ValueError, AttributeError, TypeError, LookupError):
        return {}


def save_written(folder: Path, written: Written) -> None:
    """Replace what is kept in a session. Raises OSError."""
    keep_json(_place(folder), written)


def _place(folder: Path) -> Path:
    return folder / "aside" / "written"


def find_late_sessions(root: Path) -> list[str]:
    """Find the sessions of a checkout of which somebody has written a file since a tool did."""
    return [
        folder.name
        for folder in find_folders(root)
        for path, (_, _, since) in load_written(folder).items()
        if _read_change_time(root / path) > since - _EARLY
    ]


def find_open_notes(folder: Path) -> list[Path]:
    """Find the notes of a session of edits of which no hook has told that they are made."""
    return find_files(folder / "aside", "open-*.json")


def find_open_sessions(root: Path) -> list[Path]:
    """Find the sessions of a checkout that have such notes; they may have nothing else yet."""
    folders = (each for home in list_candidates(root) for each in find_files(home, "*"))
    return [folder for folder in folders if find_open_notes(folder)]


def _read_change_time(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0
