"""small_files.py: keep a small JSON value in a file that a crash leaves old or new, never cut.

Nobody else can read it: a value may quote files that only their owner reads.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def keep_json(place: Path, value: object) -> None:
    """Replace a file by a value in one step; an empty value removes the file. Raises OSError."""
    if not value:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(value, file)
    new.replace(place)
