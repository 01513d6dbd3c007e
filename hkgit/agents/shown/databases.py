"""databases.py: find what a call has shown to the model, in an agent's database of sessions.

goose keeps each message of a session as JSON; the answer of a tool stands behind the call's id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

_LATEST = 64
"""So many messages are looked through, from the last one of a session on."""

_MESSAGES = "SELECT content_json FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT ?"


def find_database_output(database: Path, session: str, call: str) -> str | None:
    """Find the answer of a call as the model got it; None if the database lacks it (yet)."""
    messages = (each for each in _messages(database, session) if isinstance(each, list))
    parts = (part for each in messages for part in each if isinstance(part, dict))
    for part in parts:
        with suppress(KeyError, TypeError):
            if part["id"] == call:
                return "\n".join(_texts(part["toolResult"]["value"]["content"]))
    return None


def _messages(database: Path, session: str) -> Iterator[object]:
    import sqlite3

    with suppress(sqlite3.Error, ValueError, RecursionError):
        place = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True, timeout=1)) as connection:
            for (text,) in connection.execute(_MESSAGES, (session, _LATEST)):
                yield json.loads(text)


def _texts(content: object) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
