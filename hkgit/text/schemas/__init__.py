"""Schemas: the formats that other programs may rely on, as JSON Schemas."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

NAMES = (
    "answer",
    "consult",
    "ledger",
    "manifest",
    "outcome",
    "policy",
    "read",
    "refusal",
    "sessions",
    "status",
    "undo",
)

_PARTS = {"answer": ("outcome",)}
"""Which schema refers to which others, as `#/$defs/NAME`."""

Json = dict[str, Any]


def schema(name: str) -> Json:
    """A published schema, with those that it refers to."""
    return _own(name) | _definitions(_PARTS.get(name, ()))


def either(*names: str) -> Json:
    """The schema of an object that is one of several."""
    parts = [part for name in names for part in (name, *_PARTS.get(name, ()))]
    choices = [{"$ref": f"#/$defs/{name}"} for name in names]
    return {"type": "object", "anyOf": choices} | _definitions(parts)


def _own(name: str) -> Json:
    whole: Json = json.loads(files(__name__).joinpath(f"{name}.json").read_text("utf-8"))
    return whole


def _definitions(names: list[str] | tuple[str, ...]) -> Json:
    return {"$defs": {name: _own(name) for name in names}} if names else {}
