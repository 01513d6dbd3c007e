"""What a directory of hkgit's own state holds, while other processes tidy it away."""

from __future__ import annotations

import os
from pathlib import Path


def find_files(directory: Path, pattern: str) -> list[Path]:
    """Find the files that match a glob in a directory, sorted; none if it is gone.

    `Path.glob` looks whether a directory is there and then opens it: where another process has
    removed it in between, it raises.
    """
    before, star, after = pattern.partition("*")
    try:
        if not star or any(each in "*?[/" for each in before + after):
            return sorted(directory.glob(pattern))
        # As all that a command asks for at every call: no pattern has to be compiled.
        with os.scandir(directory) as found:
            names = [each.name for each in found]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
    least = len(before) + len(after)
    fitting = (name for name in names if name.startswith(before) and name.endswith(after))
    return sorted(directory / name for name in fitting if len(name) >= least)
