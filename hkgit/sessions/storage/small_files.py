"""small_files.py: keep a small JSON value in a file that a crash leaves old or new, never cut."""

from __future__ import annotations

import json
from pathlib import Path


def keep_json(place: Path, value: object) -> None:
    """Replace a file by a value in one step; an empty value removes the file. Raises OSError."""
    if not value:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.write_text(json.dumps(value))
    new.replace(place)
