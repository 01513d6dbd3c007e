"""Print the notes of a version: its section of CHANGELOG.md. `python .ci/notes.py 0.2.0`"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes_of(version: str, text: str) -> str:
    """The lines between the heading of a version and the next. Raises LookupError without one."""
    pattern = rf"^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"CHANGELOG.md has no section `## {version}`")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(notes_of(sys.argv[1].removeprefix("v"), CHANGELOG.read_text("utf-8")))
