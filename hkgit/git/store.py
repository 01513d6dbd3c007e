"""store.py: libgit2's door: opening a repository, reading and writing its objects.

libgit2 shows objects as they are stored, without replacements, and checks each against its id.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from hkgit.errors import GitRefused, Unverifiable
from hkgit.git.trees import ReadTree, Tree, format_tree, parse_tree

if TYPE_CHECKING:
    import pygit2

COMMIT, TREE, BLOB = 1, 2, 3
"""libgit2's numbers for the types of objects."""

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""git knows it without storing it."""


def opened(start: Path, *, in_hook: bool) -> pygit2.Repository:
    """libgit2's repository around a directory; in a hook the one that GIT_DIR names.

    Raises GitRefused where there is none, or none that libgit2 can read.
    """
    import pygit2

    flags = pygit2.enums.RepositoryOpenFlag(0)
    if in_hook:
        flags = pygit2.enums.RepositoryOpenFlag.FROM_ENV
        start = start / os.environ.get("GIT_DIR", "")
    try:
        return pygit2.Repository(str(start), flags)
    except (pygit2.GitError, OSError, KeyError, ValueError) as error:
        raise _unopened(start, str(error)) from error


def _unopened(start: Path, words: str) -> GitRefused:
    if "not found" in words.lower():
        return GitRefused(str(start), "is not in a git repository", "Make one: git init")
    what = f"libgit2 cannot open this repository: {words}"
    if "not owned" in words:
        return GitRefused(str(start), what, "If you trust it, list it in git's safe.directory.")
    return GitRefused(str(start), what, "hkgit needs SHA-1 objects and refs kept in files.")


@contextmanager
def reading(where: str) -> Iterator[None]:
    """libgit2's exceptions become Unverifiable."""
    import pygit2

    try:
        yield
    except KeyError as error:
        fix = "Fetch it, then try again."
        raise Unverifiable(where, "is not in this repository", fix) from error
    except (pygit2.GitError, OSError, ValueError) as error:
        raise Unverifiable(where, str(error), "Look at the repository with git fsck.") from error


@contextmanager
def writing(where: str = "object store") -> Iterator[None]:
    """libgit2's exceptions become GitRefused."""
    import pygit2

    try:
        yield
    except (pygit2.GitError, OSError, ValueError) as error:
        fix = "See that the repository can be written and the disk has room; nothing was landed."
        raise GitRefused(where, str(error), fix) from error


@dataclass(frozen=True)
class Store:
    """The objects of a repository by id. Reading raises Unverifiable, writing GitRefused."""

    repository: pygit2.Repository
    directory: Path

    def header(self, object_id: str) -> tuple[int, int]:
        """The type of an object and its size in bytes."""
        with reading(f"object {object_id}"):
            return self.repository.odb.read_header(object_id)

    def read(self, object_id: str, kind: int) -> bytes:
        """The bytes of an object that must be of one type."""
        with reading(f"object {object_id}"):
            found, data = self.repository.odb.read(object_id)
        if found != kind:
            raise Unverifiable(f"object {object_id}", "is not of the type that is asked for")
        return data

    def tree(self, tree_id: str) -> Tree:
        """The entries of a tree by name."""
        return self._parsed(tree_id) if tree_id != EMPTY_TREE else {}

    def is_tree(self, object_id: str) -> bool:
        return object_id == EMPTY_TREE or self.header(object_id)[0] == TREE

    def write_blob(self, data: bytes) -> str:
        return self._write(BLOB, data)

    def write_tree(self, entries: Tree) -> str:
        return self._write(TREE, format_tree(entries))

    def _write(self, kind: int, data: bytes) -> str:
        with writing():
            object_id = str(self.repository.write(kind, data))
            self._share(self.directory / object_id[:2] / object_id[2:])
        return object_id

    def _share(self, loose: Path) -> None:
        """libgit2 does not know core.sharedRepository: let in whom the directory above lets in."""
        mode = self.directory.stat().st_mode
        if loose.exists() and loose.parent.stat().st_mode != mode:
            with suppress(PermissionError):  # somebody else's directory is their matter
                loose.parent.chmod(stat.S_IMODE(mode))
                loose.chmod(0o444 & mode)

    @cached_property
    def _parsed(self) -> ReadTree:
        """Trees by id, the latest kept: the commits of a history share most of them."""
        return lru_cache(4096)(lambda tree_id: parse_tree(tree_id, self.read(tree_id, TREE)))
