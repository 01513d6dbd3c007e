"""Lines of a file in the checkout, as far as they were asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from hkgit.applying.files import DirectorySnapshot
from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.sessions.knowledge import (
    MAX_BYTES,
    MAX_LINES,
    PROBE,
    Reading,
    find_bounds,
    find_kind,
    find_next_line,
)
from hkgit.text.document import Document
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.attributes import Unedited


LARGEST = 64 * 2**20
"""Files of more bytes are not read or edited: an edit needs several times as much memory."""


@dataclass(frozen=True)
class Checkout:
    """A snapshot of a directory that refuses files too large to be read or edited."""

    root: Path

    def get(self, path: str) -> File | None:
        """Return the file at a path. Raises InvalidInput where it is too large."""
        size = measure_file(self.root, path)
        if size is not None and size > LARGEST:
            what = f"has {size:,} bytes; files over {LARGEST:,} are not read or edited"
            raise InvalidInput(path, what, "Use another tool.")
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
    from hkgit.git.attributes import Unedited
    from hkgit.sessions.homes import find_git_dir

    git_dir = find_git_dir(root)
    return None if git_dir is None else Unedited(root, git_dir)


def measure_file(root: Path, path: str) -> int | None:
    """Return how many bytes a path below the root has; None where nothing stands."""
    check_tree_path(path)
    try:
        return (root / path).lstat().st_size
    except OSError:
        return None


def read_checkout(
    root: Path,
    path: str,
    start: int | None,
    end: int | None,
    *,
    hashline: bool = False,
    limit: int | None = MAX_LINES,
) -> tuple[Reading, bytes]:
    """Read a file of a checkout; answers with its bytes too.

    Raises InvalidInput when there is no such file or line, or the file is too large.
    """
    unedited = find_unedited(root) if measure_file(root, path) is None else None
    if unedited is not None:
        unedited.expect_checked_out(path)
    return read_snapshot(Checkout(root), path, start, end, hashline=hashline, limit=limit)


def read_snapshot(
    files: Snapshot,
    path: str,
    start: int | None,
    end: int | None,
    *,
    hashline: bool = False,
    limit: int | None = MAX_LINES,
) -> tuple[Reading, bytes]:
    """Read a file of a snapshot. Raises InvalidInput when there is no such file or line."""
    file = _find_regular_file(files, path)
    kind, mime = find_kind(file.data[:PROBE])
    document = Document(file.data)
    first, last = find_bounds(path, start, end, document.line_count)
    is_text = kind == "text"
    shown = document.lines[first - 1 : last] if is_text else ()
    if end is None:
        shown = shown[: _count_fitting(shown, limit)]
    stop = first + len(shown) - 1 if is_text else last
    reading = Reading(
        path=path,
        start_line=first,
        end_line=stop,
        total_lines=document.line_count,
        range_hash=document.range_hash(first, stop),
        raw_lines=shown,
        size=len(file.data),
        kind=kind,
        mime=mime,
        next_line=find_next_line(first, stop, last),
        tags=_find_tags(document, first, stop) if hashline and is_text else None,
    )
    return reading, file.data


def _find_tags(document: Document, first: int, stop: int) -> tuple[str | None, ...]:
    # Few readings have tags.
    from hkgit.text.hashes import compute_tags

    return tuple(compute_tags(document.lines[:stop])[first - 1 :])


def _find_regular_file(files: Snapshot, path: str) -> File:
    file = files.get(path)
    if file is None:
        raise InvalidInput(path, "there is no such file", "Check the path and the revision.")
    if file.mode in (DIRECTORY, SYMLINK, SUBMODULE):
        from hkgit.applying.workspace import KINDS, advise_on

        where = f" to {file.data.decode('utf-8', 'replace')}" if file.mode == SYMLINK else ""
        raise InvalidInput(path, f"is {KINDS[file.mode]}{where}", advise_on(file.mode))
    return file


def _count_fitting(lines: tuple[bytes, ...], limit: int | None) -> int:
    """How many lines are shown at once."""
    if limit is None:
        return len(lines)
    size = 0
    for count, line in enumerate(lines[:limit]):
        size += len(line) + 1
        if size > MAX_BYTES:
            return count
    return min(len(lines), limit)
