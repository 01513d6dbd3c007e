"""repository.py: objects, refs and history of one repository, behind plain values.

Objects and refs come from a backend (see `backend`); what only git knows (the index that it is
committing, configuration with its includes, ranges) goes through the program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from hkgit.edits import File, encoded
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git import program
from hkgit.git.backend import BLOB, COMMIT, Backend, common_dir_of, opened
from hkgit.git.building import Builder
from hkgit.git.ids import EMPTY_TREE, EMPTY_TREES, FULL_ID
from hkgit.git.merging import Resolved, automatic_merge, expect_merge_bases, resolved_merge
from hkgit.git.objects import Commit, Head, TreeSnapshot, parse_commit
from hkgit.git.program import Completed, Git, git_on
from hkgit.git.signatures import verified_principal, verified_tagger
from hkgit.git.store import Store
from hkgit.git.trees import Tree, TreeChange, compare
from hkgit.paths import check_tree_path


@dataclass(frozen=True)
class Repository:
    """One repository, opened where the user stands, or where git says when it runs a hook."""

    start: Path
    in_hook: bool
    _backend: Backend = field(repr=False)

    @classmethod
    def discover(cls, start: Path, *, in_hook: bool = False) -> Repository:
        """The repository around `start`; `in_hook` believes the GIT_* variables.

        Raises GitRefused where there is none, or none that can be read faithfully.
        """
        start = start.absolute()
        repository = cls(start, in_hook, opened(start, in_hook=in_hook))
        if (repository.common_dir / "info" / "grafts").exists():
            fix = "Turn it into a replacement: git replace --convert-graft-file"
            raise GitRefused(str(start), "info/grafts rewrites the history that git shows", fix)
        return repository

    @cached_property
    def git_dir(self) -> Path:
        """The directory of this checkout's HEAD and index."""
        return self._backend.git_dir

    @cached_property
    def common_dir(self) -> Path:
        """The directory of objects and branches, which linked worktrees share."""
        return common_dir_of(self.git_dir)

    @cached_property
    def work_tree(self) -> Path | None:
        """The checkout, or None when the repository is bare."""
        return self._backend.work_tree

    @property
    def is_bare(self) -> bool:
        return self.work_tree is None

    @property
    def is_shallow(self) -> bool:
        return bool(self._boundaries)

    @property
    def backend(self) -> str:
        """Who answers for objects and refs: `libgit2` or `program`."""
        return self._backend.name

    @property
    def empty_tree(self) -> str:
        """The tree without a file, which git knows without storing it."""
        return EMPTY_TREES[self._backend.object_format]

    def git(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str | None] | None = None,
        check: bool = True,
        own_session: bool = False,
    ) -> Completed:
        """Run the git program on this repository (see `program.run`)."""
        return self._git(*args, stdin=stdin, env=env, check=check, own_session=own_session)

    # Revisions and commits

    def resolve(self, rev: str) -> str:
        """The commit that a revision names; tags are peeled. Raises InvalidInput."""
        found = self._backend.resolve(rev)
        if found is None:
            fix = "Name a branch, a tag or a commit; git log --all shows them."
            if self.is_shallow:
                fix = "This clone is shallow: fetch its whole history (fetch-depth: 0)."
            raise InvalidInput(rev or "revision", "names no commit here", fix)
        return found

    def commit(self, commit_id: str) -> Commit:
        """A commit by its id; raises Unverifiable when it is not here."""
        return self._commits(commit_id)

    def commits_between(self, old: str | None, new: str, *beside: str) -> tuple[str, ...]:
        """The commits reachable from `new`, but not from `old` or one beside it, parents first."""
        excluded = [f"^{each}\n" for each in (old, *beside) if each is not None]
        asked = "".join((f"{new}\n", *excluded)).encode()
        listed = self.git("rev-list", "--topo-order", "--reverse", "--stdin", stdin=asked)
        return tuple(listed.text.split())

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether history leads from `descendant` back to `ancestor`, or they are the same."""
        return ancestor == descendant or self.merge_base(ancestor, descendant) == ancestor

    def merge_base(self, first: str, second: str) -> str | None:
        """A best common ancestor of two commits; None when their histories never meet."""
        return self._backend.merge_base(first, second)

    # Trees and blobs

    def snapshot(self, rev_or_tree: str) -> TreeSnapshot:
        """The files of a commit or tree."""
        return TreeSnapshot(self._tree_id(rev_or_tree), self.tree, self.blob)

    def changes(self, old_tree: str | None, new_tree: str) -> tuple[TreeChange, ...]:
        """Every path that differs between two trees, links and submodules too; no renames."""
        found = compare(old_tree, new_tree, self._store.differ.differing)
        return tuple(sorted(found, key=lambda change: encoded(change.path)))

    def tree(self, tree_id: str) -> Tree:
        """The entries of one tree by name; raises Unverifiable when it is not here."""
        return self._store.tree(tree_id)

    def blob(self, blob_id: str) -> bytes:
        """The bytes of a blob; raises Unverifiable when it is not here."""
        return self._store.read(blob_id, BLOB)

    def blob_size(self, blob_id: str) -> int:
        """How many bytes a blob has, without reading them."""
        return self._store.size(blob_id)

    def write_blob(self, data: bytes) -> str:
        """Store a blob; raises GitRefused when the object store cannot be written."""
        return self._store.write_blob(data)

    def write_tree(self, base_tree: str | None, files: Mapping[str, File | None]) -> str:
        """Store the tree that `base_tree` becomes with these files; None removes one.

        Only touched directories are read and written; empty ones vanish. Raises InvalidInput for
        a path that no tree may hold, and where a file and a directory want the same name.
        """
        for path in files:
            check_tree_path(path)
        builder = Builder(self.tree, self._store.write_tree, self.write_blob)
        return builder.build(base_tree, files) or self._store.write_tree({})

    # The commit being made, and others' work

    def index_tree(self) -> str:
        """Store and name the tree of the index, in a hook the one that git is committing."""
        return self.git("write-tree").text

    def commit_in_progress_parents(self) -> list[tuple[str, ...]]:
        """The parents that the commit being made may get: a hook is not told of --amend."""
        head = self.head().commit
        if head is None:
            return [()]
        merged = self._merge_heads()
        return [(head, *merged)] if merged else [(head,), self.commit(head).parents]

    def automatic_merge(self, parents: Sequence[str]) -> str | None:
        """The tree that merging these commits gives by itself (see `merging`)."""
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        return automatic_merge(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def resolved_merge(self, parents: tuple[str, str], tree: str) -> Resolved:
        """How a tree completes the merge of two commits (see `merging`)."""
        return resolved_merge(
            self.object_directories, parents, tree, self._boundaries, self._backend.object_format
        )

    def verify_signature(self, commit_id: str, allowed_signers: str) -> str | None:
        """The principal whose SSH key signed a commit (see `signatures`)."""
        return verified_principal(self, commit_id, allowed_signers)

    def verify_tag(self, tag_id: str, allowed_signers: str) -> str | None:
        """The principal whose SSH key signed an annotated tag (see `signatures`)."""
        return verified_tagger(self, tag_id, allowed_signers)

    @property
    def object_directories(self) -> tuple[Path, ...]:
        """Where objects are looked for; in a hook on a server, also what is being pushed."""
        listed = [str(self.common_dir / "objects")]
        if self.in_hook:
            listed.append(os.environ.get("GIT_OBJECT_DIRECTORY", ""))
            listed += os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
        return tuple(self.start / path for path in listed if path)

    # Refs and configuration

    def head(self) -> Head:
        """Where HEAD points; raises GitRefused when it points nowhere."""
        target = self._backend.head_target()
        if FULL_ID.fullmatch(target):
            return Head(None, target)
        return Head(target.removeprefix("refs/heads/"), self._backend.ref(target))

    def branch_tip(self, name: str) -> str | None:
        """The commit of a branch, or None when there is no such branch."""
        if name.startswith("-") or name == "HEAD":
            raise InvalidInput(name, "is not a name for a branch")
        return self._backend.ref(f"refs/heads/{name}")

    def remembers(self, name: str) -> bool:
        """Whether git keeps something by a name like MERGE_HEAD or BISECT_LOG for this checkout."""
        if (self.git_dir / name).exists():
            return True
        is_table = name.endswith("_HEAD") and (self.common_dir / "reftable").is_dir()
        return is_table and self._backend.ref(name) is not None

    def write_ref(self, name: str, object_id: str) -> None:
        """Let a ref of hkgit's own name an object; no hook hears of it. Raises GitRefused."""
        self._backend.write_ref(name, object_id)

    def delete_ref(self, name: str) -> None:
        """Take a ref of hkgit's own away, if it is there. Raises GitRefused."""
        self._backend.delete_ref(name)

    def checked_out_branches(self) -> dict[str, Path]:
        """The branches that some work tree stands on, and where."""
        listed = os.fsdecode(self.git("worktree", "list", "--porcelain", "-z").stdout)
        found = {}
        for record in listed.split("\0\0"):
            said = dict(line.partition(" ")[::2] for line in record.split("\0"))
            if "branch" in said:
                found[said["branch"].removeprefix("refs/heads/")] = Path(said["worktree"])
        return found

    def config(self, name: str) -> str | None:
        """The last value of a configuration variable, as git reads it."""
        return self._configured(name)

    def quick_config(self, name: str) -> str | None:
        """The value of a variable, without a process where one can; `name` in lower case."""
        return self._backend.config(name)

    @cached_property
    def hooks_path(self) -> Path | None:
        """`core.hooksPath`, from the checkout when it is relative; None when it is not set."""
        said = self._configured("core.hooksPath", "--type=path")
        return (self.work_tree or self.git_dir) / said if said is not None else None

    # How it is done

    @cached_property
    def _store(self) -> Store:
        return Store(self._backend)

    @cached_property
    def _commits(self) -> Callable[[str], Commit]:
        """Commits by id, the latest kept: each is asked for again by those that follow it."""

        def read(commit_id: str) -> Commit:
            raw = self._store.read(commit_id, COMMIT)
            return parse_commit(commit_id, raw, is_boundary=commit_id in self._boundaries)

        return lru_cache(1024)(read)

    @cached_property
    def _git(self) -> Git:
        return git_on(self.start, self.git_dir, self.work_tree, in_hook=self.in_hook)

    def _configured(self, name: str, *options: str) -> str | None:
        args = ("config", *options, "--get", name)
        asked = self.git(*args, check=False)
        if asked.code > 1:
            raise program.refusal(args, asked)
        return asked.text if asked.code == 0 else None

    def _merge_heads(self) -> tuple[str, ...]:
        """What is being merged; before a clean merge is committed only the environment says so."""
        listed = self.git_dir / "MERGE_HEAD"
        if listed.exists():
            return tuple(listed.read_text().split())
        named = (name.partition("GITHEAD_")[2] for name in os.environ if self.in_hook)
        return tuple(name for name in named if FULL_ID.fullmatch(name))

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
