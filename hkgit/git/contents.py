"""contents.py: commits, trees and blobs of a repository as values, by id or revision.

Reading raises Unverifiable where something is not here or not as git writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from pathlib import Path

from hkgit.edits import encode_text
from hkgit.errors import InvalidInput
from hkgit.git.backends.backend import BLOB, COMMIT, Backend, common_dir_of
from hkgit.git.objects.building import Builder, Files
from hkgit.git.objects.ids import EMPTY_TREE, EMPTY_TREES, FULL_ID
from hkgit.git.objects.objects import Commit, TreeSnapshot, parse_commit
from hkgit.git.objects.store import ObjectBatch, Store
from hkgit.git.objects.tags import peel, read_tags
from hkgit.git.objects.trees import Tree, TreeChange, compare_trees
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass, field, late_pattern

_WHOLE_REF = late_pattern(r"refs/[^~^:]+?(?=@\{|[~^:]|\Z)")
"""The name of a ref from its beginning, without what may follow it in a revision."""

FIRST_COMMIT = "Make a first commit: git commit --allow-empty -m Begin"
"""What to do in a repository that has no commit yet."""


@dataclass(frozen=True)
class Contents:
    """The objects of one repository, whoever reads them."""

    _backend: Backend = field(repr=False)

    @cached_property
    def git_dir(self) -> Path:
        """The directory of this checkout's HEAD and index."""
        return self._backend.git_dir

    @cached_property
    def common_dir(self) -> Path:
        """The directory of objects and branches, which linked worktrees share."""
        return common_dir_of(self.git_dir)

    @property
    def backend(self) -> str:
        """Who answers for objects and refs: `libgit2` or `program`."""
        return self._backend.name

    @property
    def empty_tree(self) -> str:
        """The tree without a file, which git knows without storing it."""
        return EMPTY_TREES[self._backend.object_format]

    @property
    def is_shallow(self) -> bool:
        return bool(self._boundaries)

    # Revisions and commits

    def resolve(self, rev: str) -> str:
        """Find the commit that a revision names; tags are peeled. Raises InvalidInput.

        A whole name of a ref means that ref alone. git would look below refs/tags/ and
        refs/heads/ too, where anybody who pushes may put a ref `refs/...` of such a name.
        """
        named = _WHOLE_REF.match(rev)
        is_here = named is None or self._backend.ref(named[0]) is not None
        found = self._backend.resolve(rev) if is_here else None
        if found is None:
            if rev.startswith("HEAD") and self._is_unborn():
                fix = FIRST_COMMIT if self._backend.work_tree else "Push a first commit to it."
                raise InvalidInput(rev, "there is no commit here yet", fix)
            fix = "Name a branch, a tag or a commit; git log --all shows them."
            if self.is_shallow:
                fix = "This clone is shallow: fetch its whole history (fetch-depth: 0)."
            raise InvalidInput(rev or "revision", "names no commit here", fix)
        return found

    def _is_unborn(self) -> bool:
        target = self._backend.head_target()
        return target.startswith("refs/") and self._backend.ref(target) is None

    def commit_named_by(self, object_id: str) -> str | None:
        """Find the commit that an object is or that its tags name; None for a tree or a blob.

        Raises Unverifiable for a tag that cannot be read, or that leads to what is not here.
        """
        return peel(self._backend, object_id)

    def tags_of(self, object_id: str) -> tuple[tuple[str, bytes], ...]:
        """Read the tagger and message of a tag, and of each that it names. Raises Unverifiable."""
        return tuple(read_tags(self._backend, object_id))

    def commit(self, commit_id: str) -> Commit:
        """Read a commit by its id; raise Unverifiable when it is not here."""
        return self._commits(commit_id)

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether history leads from `descendant` back to `ancestor`, or they are the same."""
        return ancestor == descendant or self.merge_base(ancestor, descendant) == ancestor

    def merge_base(self, first: str, second: str) -> str | None:
        """Find a best common ancestor of two commits; None when their histories never meet."""
        return self._backend.merge_base(first, second)

    # Trees and blobs

    def snapshot(self, rev_or_tree: str) -> TreeSnapshot:
        """Open the files of a commit or tree."""
        return TreeSnapshot(self._tree_id(rev_or_tree), self.tree, self.blob)

    def changes(self, old_tree: str | None, new_tree: str) -> tuple[TreeChange, ...]:
        """List every path that differs between two trees, links and submodules too; no renames."""
        return self._changes(old_tree, new_tree)

    def tree(self, tree_id: str) -> Tree:
        """Read the entries of one tree by name; raise Unverifiable when it is not here."""
        return self._store.tree(tree_id)

    def blob(self, blob_id: str) -> bytes:
        """Read the bytes of a blob; raise Unverifiable when it is not here."""
        return self._store.read(blob_id, BLOB)

    def blob_size(self, blob_id: str) -> int:
        """Return how many bytes a blob has, without reading them."""
        return self._store.size(blob_id)

    def write_blob(self, data: bytes) -> str:
        """Store a blob; raises GitRefused when the object store cannot be written."""
        return self._store.write_blob(data)

    def write_blobs(self, blobs: Iterable[bytes]) -> list[str]:
        """Store blobs together; their ids in the same order. Raises GitRefused."""
        return self._store.write_blobs(blobs)

    def write_tree(self, base_tree: str | None, files: Files) -> str:
        """Store the tree that `base_tree` becomes with these files; None removes one.

        Only touched directories are read and written; empty ones vanish. Raises InvalidInput for
        a path that no tree may hold, and where a file and a directory want the same name.
        """
        for path in files:
            check_tree_path(path)
        batch = ObjectBatch(self._backend)
        builder = Builder(self.tree, batch.add_tree, batch.add_blob)
        tree = builder.build(base_tree, files) or batch.add_tree({})
        batch.write()
        return tree

    # How it is done

    @cached_property
    def _store(self) -> Store:
        return Store(self._backend)

    @cached_property
    def _changes(self) -> Callable[[str | None, str], tuple[TreeChange, ...]]:
        """The latest comparisons: replay and the gate's rules ask for the same one."""

        def changes(old_tree: str | None, new_tree: str) -> tuple[TreeChange, ...]:
            found = compare_trees(old_tree, new_tree, self._store.differ.find_differing)
            return tuple(sorted(found, key=lambda change: encode_text(change.path)))

        return lru_cache(4)(changes)

    @cached_property
    def _commits(self) -> Callable[[str], Commit]:
        """Commits by id, the latest kept: each is asked for again by those that follow it."""

        def read(commit_id: str) -> Commit:
            raw = self._store.read(commit_id, COMMIT)
            return parse_commit(commit_id, raw, is_boundary=commit_id in self._boundaries)

        return lru_cache(1024)(read)

    def _tree_id(self, rev_or_tree: str) -> str:
        if rev_or_tree == EMPTY_TREE:
            return self.empty_tree
        if FULL_ID.fullmatch(rev_or_tree) and self._store.is_tree(rev_or_tree):
            return rev_or_tree
        return self.commit(self.resolve(rev_or_tree)).tree

    @cached_property
    def _boundaries(self) -> frozenset[str]:
        """The commits whose parents a shallow clone left out."""
        listed = self.common_dir / "shallow"
        return frozenset(listed.read_text().split()) if listed.exists() else frozenset()
