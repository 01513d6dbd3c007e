"""temporary.py: directories for a while, without what `tempfile` and `shutil` cost to load.

Together they take four tenths of a start of the interpreter, and every `apply` needs one
directory. Where something is out of the ordinary, they are asked after all.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_NAMED_BY = ("TMPDIR", "TEMP", "TMP")
_USUAL = "/tmp"


def temporary_root() -> Path:
    """Find where temporary files go: the directory that `tempfile.gettempdir` finds."""
    named = [os.environ[name] for name in _NAMED_BY if os.environ.get(name)]
    for folder in map(Path, (*named, _USUAL)):
        if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return folder.resolve()
    import tempfile

    return Path(tempfile.gettempdir()).resolve()


def make_directory(prefix: str) -> Path:
    """Make a directory of one's own with a name that nobody can guess. Raises OSError."""
    path = temporary_root() / f"{prefix}{os.urandom(6).hex()}"
    path.mkdir(mode=0o700)
    return path


def remove_directory(path: Path) -> None:
    """Delete a directory, also where a command left what cannot be written."""
    _unlink_below(path)
    if os.path.lexists(path):
        _remove_stubborn(path)


def _unlink_below(path: Path) -> None:
    for folder, below, files in os.walk(path, topdown=False):
        for place in (Path(folder, name) for name in (*files, *below)):
            is_folder = place.is_dir() and not place.is_symlink()
            with suppress(OSError):
                place.rmdir() if is_folder else place.unlink()
    with suppress(OSError):
        path.rmdir()


def _remove_stubborn(path: Path) -> None:
    import shutil

    for directory, below, files in os.walk(path):
        for name in below + files:
            with suppress(OSError):
                Path(directory, name).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)
