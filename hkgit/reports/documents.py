"""documents.py: how JSON reports are written down."""

from __future__ import annotations

import json
from typing import Any

from hkgit.applying.reporting import shown_text


def dumped(value: Any) -> str:
    """JSON in ASCII: nothing in it can drive a terminal or turn the direction of writing."""
    return json.dumps(value, indent=2) + "\n"


def text(said: str) -> str:
    """Text as JSON can carry it."""
    return shown_text(said) or ""
