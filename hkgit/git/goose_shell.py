"""Whether goose runs a command, or a person in a terminal.

goose names its session to what it runs, and in terminals of people too (`goose term`). So its
database says of which kind the session is; or its hook has left a file before the command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def find_goose_database(
    environment: Mapping[str, str] = os.environ, home: Path | None = None
) -> Path:
    """Find the database that holds what goose's models have said and seen."""
    if root := environment.get("GOOSE_PATH_ROOT"):
        return Path(root, "data/sessions/sessions.db")
    if os.name == "nt":
        return Path(environment.get("APPDATA", ""), "Block/goose/data/sessions/sessions.db")
    data = environment.get("XDG_DATA_HOME") or (home or Path.home()) / ".local/share"
    return Path(data, "goose/sessions/sessions.db")


def is_run_by_goose(session: str, git_dir: str) -> bool:
    """Tell whether what runs in a session of goose is run by goose."""
    return _has_begun(session, git_dir) or _find(session, "session_type") not in (None, "terminal")


def find_goose_start(session: str) -> str | None:
    """Find when a session began: goose counts them each day again, and in each new home."""
    return _find(session, "created_at")


def _has_begun(session: str, git_dir: str) -> bool:
    """Tell whether a command has begun that has not ended (see `agents.begun_calls`)."""
    name = f"goose-{session.replace('/', '-')}-"
    # Behind the name may be when the session began.
    kept = Path(git_dir, "hkgit/sessions").glob("goose-*/aside/shell-*.json")
    return any(f"{each.parents[1].name}-".startswith(name) for each in kept)


def _find(session: str, column: str) -> str | None:
    """Find what a column says of a session; None where the database does not say it."""
    import sqlite3
    from contextlib import closing

    try:
        place = find_goose_database().absolute()
        if not place.is_file():
            return None
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True, timeout=1)) as found:
            question = f"SELECT {column} FROM sessions WHERE id = ?"
            row = found.execute(question, (session,)).fetchone()
    except (sqlite3.Error, OSError, ValueError, RuntimeError):
        return None
    return None if row is None else str(row[0])
