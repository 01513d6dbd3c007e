"""repository.py: objects, refs and history of one repository, behind plain values.

Reading goes through libgit2, which ignores replacement refs; what libgit2 does not know (the
index that git is committing, configuration with its includes, ranges) goes through the program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hkgit.edits import File, encoded
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git import program
from hkgit.git.building import Builder
from hkgit.git.merging import automatic_merge, expect_merge_bases
from hkgit.git.objects import Commit, Head, TreeSnapshot, parse_commit
from hkgit.git.program import Completed
from hkgit.git.signatures import verified_principal, verified_tagger
from hkgit.git.store import BLOB, COMMIT, Store, opened, reading, writing
from hkgit.git.trees import Tree, TreeChange, compare
from hkgit.paths import check_tree_path

if TYPE_CHECKING:
    import pygit2

_FULL_ID = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Repository:
    """One repository, opened where the user stands, or where git says when it runs a hook."""

    start: Path
    in_hook: bool
    _opened: pygit2.Repository = field(repr=False)

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
        return Path(self._opened.path)

    @cached_property
    def common_dir(self) -> Path:
        """The directory of objects and branches, which linked worktrees share."""
        pointer = self.git_dir / "commondir"
        if not pointer.exists():
            return self.git_dir
        return (self.git_dir / pointer.read_text().rstrip("\n")).resolve()

    @cached_property
    def work_tree(self) -> Path | None:
        """The checkout, or None when the repository is bare."""
        return None if self._opened.is_bare else Path(self._opened.workdir)

    @property
    def is_bare(self) -> bool:
        return self.work_tree is None

    @property
    def is_shallow(self) -> bool:
        return bool(self._boundaries)

    def git(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str | None] | None = None,
        check: bool = True,
        own_session: bool = False,
    ) -> Completed:
        """Run the git program on this repository (see `program.run`)."""
        # A hook's variables may be relative to the directory that git started it in.
        cwd = self.start if self.in_hook else self.work_tree or self.git_dir
        if self.is_bare and not self.in_hook:
            # safe.bareRepository may forbid git to find by itself what the user has named.
            env = {"GIT_DIR": str(self.git_dir), **(env or {})}
        return program.run(
            args,
            cwd=cwd,
            stdin=stdin,
            env=env,
            check=check,
            keep_environment=self.in_hook,
            own_session=own_session,
        )

    # Revisions and commits

    def resolve(self, rev: str) -> str:
        """The commit that a revision names; tags are peeled. Raises InvalidInput."""
        import pygit2

        try:
            return str(self._opened.revparse_single(rev).peel(pygit2.Commit).id)
        except (pygit2.GitError, KeyError, ValueError, OSError) as error:
            fix = "Name a branch, a tag or a commit; git log --all shows them."
            if self.is_shallow:
                fix = "This clone is shallow: fetch its whole history (fetch-depth: 0)."
            raise InvalidInput(rev or "revision", "names no commit here", fix) from error

    def commit(self, commit_id: str) -> Commit:
        """A commit by its id; raises Unverifiable when it is not here."""
        raw = self._store.read(commit_id, COMMIT)
        return parse_commit(commit_id, raw, is_boundary=commit_id in self._boundaries)

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
        with reading(f"merge base of {first} and {second}"):
            found = cast("pygit2.Oid | None", self._opened.merge_base(first, second))
        return str(found) if found is not None else None

    # Trees and blobs

    def snapshot(self, rev_or_tree: str) -> TreeSnapshot:
        """The files of a commit or tree."""
        return TreeSnapshot(self._tree_id(rev_or_tree), self.tree, self.blob)

    def changes(self, old_tree: str | None, new_tree: str) -> tuple[TreeChange, ...]:
        """Every path that differs between two trees, links and submodules too; no renames."""
        found = compare(old_tree, new_tree, self.tree)
        return tuple(sorted(found, key=lambda change: encoded(change.path)))

    def tree(self, tree_id: str) -> Tree:
        """The entries of one tree by name; raises Unverifiable when it is not here."""
        return self._store.tree(tree_id)

    def blob(self, blob_id: str) -> bytes:
        """The bytes of a blob; raises Unverifiable when it is not here."""
        return self._store.read(blob_id, BLOB)

    def blob_size(self, blob_id: str) -> int:
        """How many bytes a blob has, without reading them."""
        return self._store.header(blob_id)[1]

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
        return automatic_merge(self.object_directories, parents, self._boundaries)

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
        with reading("HEAD"):
            target = self._opened.lookup_reference("HEAD").target
        if not isinstance(target, str):
            return Head(None, str(target))
        return Head(target.removeprefix("refs/heads/"), self._ref(target))

    def branch_tip(self, name: str) -> str | None:
        """The commit of a branch, or None when there is no such branch."""
        if name.startswith("-") or name == "HEAD":
            raise InvalidInput(name, "is not a name for a branch")
        return self._ref(f"refs/heads/{name}")

    def write_ref(self, name: str, object_id: str) -> None:
        """Let a ref of hkgit's own name an object; no hook hears of it. Raises GitRefused."""
        for is_last in (False, False, True):
            try:
                with writing(name):
                    self._opened.references.create(name, object_id, force=True)
            except GitRefused:  # another process may have tidied its directory away just now
                if is_last:
                    raise
            else:
                return

    def delete_ref(self, name: str) -> None:
        """Take a ref of hkgit's own away, if it is there. Raises GitRefused."""
        with writing(name), suppress(KeyError):
            self._opened.references.delete(name)

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
        """The value of a variable as libgit2 reads it, without a process; `name` in lower case."""
        with reading("git configuration"):
            return str(self._opened.config[name]) if name in self._opened.config else None

    @cached_property
    def hooks_path(self) -> Path | None:
        """`core.hooksPath`, from the checkout when it is relative; None when it is not set."""
        said = self._configured("core.hooksPath", "--type=path")
        return (self.work_tree or self.git_dir) / said if said is not None else None

    # How it is done

    @cached_property
    def _store(self) -> Store:
        return Store(self._opened, self.common_dir / "objects")

    def _configured(self, name: str, *options: str) -> str | None:
        args = ("config", *options, "--get", name)
        asked = self.git(*args, check=False)
        if asked.code > 1:
            raise program.refusal(args, asked)
        return asked.text if asked.code == 0 else None

    def _ref(self, name: str) -> str | None:
        import pygit2

        try:
            return str(self._opened.lookup_reference(name).resolve().target)
        except KeyError:
            return None
        except ValueError as error:
            raise InvalidInput(name, "is not a name for a branch") from error
        except pygit2.GitError as error:
            raise GitRefused(name, str(error), "Look at the repository with git fsck.") from error

    def _merge_heads(self) -> tuple[str, ...]:
        """What is being merged; before a clean merge is committed only the environment says so."""
        listed = self.git_dir / "MERGE_HEAD"
        if listed.exists():
            return tuple(listed.read_text().split())
        named = (name.partition("GITHEAD_")[2] for name in os.environ if self.in_hook)
        return tuple(name for name in named if _FULL_ID.fullmatch(name))

    def _tree_id(self, rev_or_tree: str) -> str:
        if _FULL_ID.fullmatch(rev_or_tree) and self._store.is_tree(rev_or_tree):
            return rev_or_tree
        return self.commit(self.resolve(rev_or_tree)).tree

    @cached_property
    def _boundaries(self) -> frozenset[str]:
        """The commits whose parents a shallow clone left out."""
        listed = self.common_dir / "shallow"
        return frozenset(listed.read_text().split()) if listed.exists() else frozenset()
