"""checkout.py: the files of a live checkout, within bounds of size."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hkgit.applying.files.directory import DirectorySnapshot
from hkgit.edits import File
from hkgit.errors import InvalidInput
from hkgit.paths import check_tree_path
from hkgit.values import dataclass

LARGEST = 64 * 2**20
"""Files of more bytes are not edited: an edit needs several times as much memory."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A snapshot of a directory that refuses files too large to be edited."""

    root: Path

    def get(self, path: str) -> File | None:
        """The file at a path. Raises InvalidInput where it is too large."""
        size = size_of(self.root, path)
        if size is not None and size > LARGEST:
            what = f"has {size:,} bytes; files over {LARGEST:,} are not edited"
            raise InvalidInput(path, what, "Change it with another tool.")
        return DirectorySnapshot(self.root).get(path)

    def paths(self) -> Iterable[str]:
        return DirectorySnapshot(self.root).paths()


def size_of(root: Path, path: str) -> int | None:
    """How many bytes a path below the root has; None where nothing stands."""
    check_tree_path(path)
    try:
        return (root / path).lstat().st_size
    except OSError:
        return None
