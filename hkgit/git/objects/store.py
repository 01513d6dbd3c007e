"""store.py: objects of one repository by id and type."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from hkgit.errors import Unverifiable
from hkgit.git.backends.backend import BLOB, COMMIT, TREE, Backend
from hkgit.git.objects.ids import compute_id, is_empty_tree
from hkgit.git.objects.treediff import TreeDiffer
from hkgit.git.objects.trees import ReadTree, Tree, format_tree, parse_tree
from hkgit.values import dataclass, field

LARGEST = {BLOB: 100 * 2**20, TREE: 64 * 2**20, COMMIT: 4 * 2**20}
"""Bytes of an object that is read: packs make gigabytes of next to nothing."""


@dataclass(slots=True)
class ObjectBatch:
    """Objects that are stored together: a process each would be felt."""

    backend: Backend
    objects: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def add_blob(self, data: bytes) -> str:
        return self._add(BLOB, data)

    def add_tree(self, entries: Tree) -> str:
        return self._add(TREE, format_tree(entries))

    def _add(self, kind: str, data: bytes) -> str:
        object_id = compute_id(kind, data, self.backend.object_format)
        self.objects[object_id] = kind, data
        return object_id

    def write(self) -> None:
        """Store what was added. Raises GitRefused."""
        self.backend.write_all(self.objects)


@dataclass(frozen=True)
class Store:
    """The objects of a repository. Reading raises Unverifiable, writing GitRefused."""

    backend: Backend

    def size(self, object_id: str) -> int:
        """Return how many bytes an object has, without reading them."""
        return self.backend.header(object_id)[1]

    def read(self, object_id: str, kind: str) -> bytes:
        """Read the bytes of an object that must be of one type, and not too large."""
        size = self.size(object_id)
        if size > LARGEST[kind]:
            what = f"has {size:,} bytes; a {kind} of more than {LARGEST[kind]:,} is not read"
            raise Unverifiable(f"object {object_id}", what, "Keep what is so large elsewhere.")
        found, data = self.backend.read(object_id)
        if found != kind:
            raise Unverifiable(f"object {object_id}", "is not of the type that is asked for")
        return data

    def tree(self, tree_id: str) -> Tree:
        """Read the entries of a tree by name."""
        return self._parsed(tree_id) if not is_empty_tree(tree_id) else {}

    def is_tree(self, object_id: str) -> bool:
        return is_empty_tree(object_id) or self.backend.header(object_id)[0] == TREE

    def write_blob(self, data: bytes) -> str:
        return self.backend.write(BLOB, data)

    def write_blobs(self, blobs: Iterable[bytes]) -> list[str]:
        """Store blobs; their ids in the same order."""
        batch = ObjectBatch(self.backend)
        ids = [batch.add_blob(data) for data in blobs]
        batch.write()
        return ids

    @cached_property
    def differ(self) -> TreeDiffer:
        """What tells two trees apart; it keeps those that it has read."""
        return TreeDiffer(lambda tree_id: self.read(tree_id, TREE))

    @cached_property
    def _parsed(self) -> ReadTree:
        """Trees by id, the latest kept: the commits of a history share most of them."""
        return lru_cache(512)(lambda tree_id: parse_tree(tree_id, self.read(tree_id, TREE)))
