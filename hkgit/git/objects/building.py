"""building.py: build the tree that results from changing files of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from hkgit.edits import DIRECTORY, EXECUTABLE, REGULAR, SYMLINK, File
from hkgit.errors import InvalidInput
from hkgit.git.objects.trees import ReadTree, Tree, TreeEntry, canonicalise
from hkgit.text.paths import quote_path
from hkgit.values import dataclass

Files = Mapping[str, File | TreeEntry | None]
"""What paths become: a file, what stands elsewhere already, or nothing."""


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds trees from the leaves up; reads and writes only the directories that change."""

    read_tree: ReadTree
    write_tree: Callable[[Tree], str]
    write_blob: Callable[[bytes], str]

    def build(self, tree_id: str | None, files: Files, under: str = "") -> str | None:
        """Store the changed directory; return its id, or None when nothing is left in it.

        First what goes, then what is below, then what comes: so a file may become a directory
        and the other way round. A directory that is written gets the modes that git's index would
        give it. Raises InvalidInput where the two want the same name.
        """
        entries = dict(self.read_tree(tree_id)) if tree_id is not None else {}
        here, below = _split(files)
        for name in (name for name, file in here.items() if file is None):
            _expect_file(under + name, entries.pop(name, None))
        for name, inner in below.items():
            old = _expect_directory(under + name, entries.pop(name, None))
            new = self.build(old, inner, f"{under}{name}/")
            if new is not None:
                entries[name] = TreeEntry(DIRECTORY, new)
        for name, file in here.items():
            if file is not None:
                _expect_file(under + name, entries.get(name))
                entries[name] = self._store(under + name, file)
        normal = {name: canonicalise(entry) or entry for name, entry in entries.items()}
        return self.write_tree(normal) if normal else None

    def _store(self, path: str, file: File | TreeEntry) -> TreeEntry:
        if isinstance(file, TreeEntry):
            return file
        if file.mode not in (REGULAR, EXECUTABLE, SYMLINK):
            raise InvalidInput(quote_path(path), f"cannot be written with mode {file.mode:o}")
        return TreeEntry(file.mode, self.write_blob(file.data))


def _split(files: Files) -> tuple[Files, dict[str, Files]]:
    """The files of a directory, and those of each directory in it."""
    here: dict[str, File | TreeEntry | None] = {}
    below: dict[str, dict[str, File | TreeEntry | None]] = defaultdict(dict)
    for path, file in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            below[name][rest] = file
        else:
            here[name] = file
    return here, {**below}


def _expect_file(path: str, entry: TreeEntry | None) -> None:
    if entry is not None and entry.mode == DIRECTORY:
        raise InvalidInput(quote_path(path), "is a directory", "Name a file.")


def _expect_directory(path: str, entry: TreeEntry | None) -> str | None:
    if entry is None:
        return None
    if entry.mode != DIRECTORY:
        raise InvalidInput(quote_path(path), "is not a directory", "Delete or rename it first.")
    return entry.id
