"""What a directory of hkgit's own state holds, while other processes tidy it away."""

from __future__ import annotations

from pathlib import Path


def find_files(directory: Path, pattern: str) -> list[Path]:
    """Find the files that match a glob in a directory, sorted; none if it is gone.

    `Path.glob` looks whether a directory is there and then opens it: where another process has
    removed it in between, it raises.
    """
    try:
        return sorted(directory.glob(pattern))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []
