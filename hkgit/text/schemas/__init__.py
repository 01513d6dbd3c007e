"""Schemas: the formats that other programs may rely on, as JSON Schemas."""

from __future__ import annotations

import json
from importlib.resources import files

from hkgit.text.strict_json import JsonObject

NAMES = (
    "adopt",
    "answer",
    "blame",
    "commit",
    "export",
    "fleet",
    "gate",
    "ledger",
    "log",
    "manifest",
    "outcome",
    "policy",
    "qa",
    "read",
    "refusal",
    "refusals",
    "report",
    "sessions",
    "show",
    "sql",
    "stats",
    "status",
    "tables",
    "undo",
)

_PARTS = {"answer": ("outcome",), "log": ("commit",), "show": ("commit",)}
"""Which schema refers to which others, as `#/$defs/NAME`."""


def load_schema(name: str) -> JsonObject:
    """Load a published schema, with those that it refers to."""
    return _own(name) | _definitions(_PARTS.get(name, ()))


def combine_schemas(*names: str) -> JsonObject:
    """Build the schema of an object that is one of several."""
    parts = [part for name in names for part in (name, *_PARTS.get(name, ()))]
    choices = [{"$ref": f"#/$defs/{name}"} for name in names]
    return {"type": "object", "anyOf": choices} | _definitions(parts)


def _own(name: str) -> JsonObject:
    whole: JsonObject = json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
    return whole


def _definitions(names: list[str] | tuple[str, ...]) -> JsonObject:
    """Schemas as parts of another one; there none has an `$id`, to which its `$ref`s would go."""
    parts = {name: _own(name) for name in names}
    for part in parts.values():
        part.pop("$id", None)
    return {"$defs": parts} if parts else {}
