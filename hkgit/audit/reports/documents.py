"""Documents of other tools: GitLab, reviewdog, SARIF."""

from __future__ import annotations

import json

from hkgit.text.escape import to_json_text
from hkgit.text.strict_json import Json


def dump_json(value: Json) -> str:
    """Write JSON in ASCII; nothing in it drives a terminal or, by `##[`, a runner that logs it."""
    return json.dumps(value, indent=2).replace("##", "#\\u0023") + "\n"


def to_text(value: str) -> str:
    """Make text fit for JSON."""
    return to_json_text(value) or ""
