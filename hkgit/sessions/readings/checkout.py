"""checkout.py: the files of a live checkout, within bounds of size."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from hkgit.applying.files.directory import DirectorySnapshot
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import InvalidInput
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.unedited import Unedited

LARGEST = 64 * 2**20
"""Files of more bytes are not edited: an edit needs several times as much memory."""


@dataclass(frozen=True)
class Checkout:
    """A snapshot of a directory that refuses files too large to be edited."""

    root: Path

    def get(self, path: str) -> File | None:
        """Return the file at a path. Raises InvalidInput where it is too large."""
        size = measure_file(self.root, path)
        if size is not None and size > LARGEST:
            what = f"has {size:,} bytes; files over {LARGEST:,} are not edited"
            raise InvalidInput(path, what, "Change it with another tool.")
        return DirectorySnapshot(self.root).get(path)

    def paths(self) -> Iterable[str]:
        return DirectorySnapshot(self.root).paths()


@dataclass(frozen=True)
class EditableCheckout(Checkout):
    """A checkout whose files are to be edited.

    Refuses those of which git stores another text, and those that it left out of the checkout.
    """

    def get(self, path: str) -> File | None:
        file = super().get(path)
        if self._unedited is not None:
            if file is None:
                self._unedited.expect_checked_out(path)
            if file is None or file.mode in (REGULAR, EXECUTABLE):
                self._unedited.expect_plain(path)
        return file

    @cached_property
    def _unedited(self) -> Unedited | None:
        return find_unedited(self.root)


def find_unedited(root: Path) -> Unedited | None:
    """Make the test for files that are not edited in place; None without a repository."""
    # Who only reads a file waits for none of it.
    from hkgit.git.unedited import Unedited
    from hkgit.sessions.storage.paths import find_git_dir

    git_dir = find_git_dir(root)
    return None if git_dir is None else Unedited(root, git_dir)


def measure_file(root: Path, path: str) -> int | None:
    """Return how many bytes a path below the root has; None where nothing stands."""
    check_tree_path(path)
    try:
        return (root / path).lstat().st_size
    except OSError:
        return None
