"""Read values from JSON without a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hkgit.text.strict_json import JsonObject


def parse_value(written: str | bytes) -> object:
    """Parse a JSON value, or None for what is none, or is nested deeper than anybody writes."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def table(value: object) -> JsonObject:
    """Return a JSON object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def tables(value: object) -> Iterator[JsonObject]:
    """Yield the JSON objects of a list."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield each


def text(value: object) -> str | None:
    """Return a string, or None for anything else."""
    return value if isinstance(value, str) else None


def parse_time(value: object) -> int:
    """Parse a time in ISO 8601 or milliseconds into milliseconds since 1970; 0 for none."""
    from datetime import datetime  # hooks, which read no times, load this module

    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return int(value)  # JSON may hold an infinite one
        said = datetime.fromisoformat((text(value) or "").replace("Z", "+00:00"))
        return int(said.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0


def join_texts(value: object) -> str:
    """Join the texts of the parts of an answer, a line each."""
    return "\n".join(part["text"] for part in tables(value) if isinstance(part.get("text"), str))
