"""fields.py: read values from JSON without a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hkgit.dialects import relative_path
from hkgit.errors import InvalidInput
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

Record = JsonObject


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: where it stands, and what it says."""

    where: str
    record: Record


def parse_value(said: str | bytes) -> object:
    """Parse a JSON value, or None for what is none, or is nested deeper than anybody writes."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return None


def table(value: object) -> Record:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def tables(value: object) -> Iterator[Record]:
    """The JSON objects of a list."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield each


def text(value: object) -> str | None:
    """A string, or None."""
    return value if isinstance(value, str) else None


def join_texts(value: object) -> str:
    """The texts of the parts of an answer, a line each."""
    return "\n".join(part["text"] for part in tables(value) if isinstance(part.get("text"), str))


def inside(path: str, root: str | None) -> str | None:
    """A path below the root of a session, or None where it is elsewhere."""
    try:
        found = relative_path(path, root)
    except InvalidInput:
        return None
    return None if found.startswith(("/", "../")) else found
