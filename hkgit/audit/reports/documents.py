"""documents.py: write JSON reports."""

from __future__ import annotations

import json

from hkgit.text.escaping import to_json_text
from hkgit.text.json_nodes import Json


def dump_json(value: Json) -> str:
    """JSON in ASCII, in which nothing drives a terminal or, by `##[`, a runner that logs it."""
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def text(said: str) -> str:
    """Text as JSON can carry it."""
    return to_json_text(said) or ""
