"""One repository: objects, refs, revisions, settings, checkouts.

Reading raises Unverifiable where something is not here or not as git writes it.

Objects and refs come from a backend (see `backend`); what only git knows (the index that it is
committing, configuration with its includes, ranges) goes through the program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from hkgit.edits import encode_text
from hkgit.errors import GitRefused, HkgitError, InvalidInput
from hkgit.git.backend import (
    BLOB,
    COMMIT,
    Backend,
    GitSettings,
    Unopened,
    common_dir_of,
    refuse_ref_name,
)
from hkgit.git.merge import (
    Contested,
    MergeAttempt,
    Resolved,
    attempt_merge,
    automatic_merge,
    expect_merge_bases,
    find_contested,
    resolve_merge,
)
from hkgit.git.objects import (
    EMPTY_TREE,
    EMPTY_TREES,
    FULL_ID,
    Builder,
    Commit,
    Files,
    Head,
    ObjectBatch,
    Store,
    Tree,
    TreeChange,
    TreeSnapshot,
    compare_trees,
    parse_commit,
    peel,
    read_tags,
)
from hkgit.git.program import Git, prepare_git, read_config
from hkgit.git.signatures import verify_principal, verify_tagger
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass, field, late_pattern

CHOICE = "HKGIT_GIT"
"""The environment variable that names the one who answers."""


def open_backend(start: Path, *, in_hook: bool, is_small: bool = False) -> Backend:
    """Open the repository around a directory; in a hook, the one that GIT_DIR names.

    Where little is read (`is_small`) that is the git program, unless libgit2 is asked for: to load
    libgit2 takes five starts of Python.

    Raises GitRefused where there is none, or none that can be read.
    """
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "libgit2", "program"):
        raise InvalidInput(CHOICE, f"cannot be {choice}", "Say libgit2 or program, or unset it.")
    if choice == "program" or (is_small and not choice):
        return _by_program(start, in_hook=in_hook)
    from hkgit.git.libgit2 import LibGit2

    try:
        return LibGit2.open(start, in_hook=in_hook)
    except Unopened:
        if choice:
            raise
    return _by_program(start, in_hook=in_hook)


def _by_program(start: Path, *, in_hook: bool) -> Backend:
    from hkgit.git.plumbing import Plumbing  # here: few need it

    return Plumbing.open(start, in_hook=in_hook)


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


@dataclass(frozen=True)
class Repository(Contents):
    """One repository, opened where the user stands, or where git says when it runs a hook."""

    start: Path
    in_hook: bool

    @classmethod
    def discover(cls, start: Path, *, in_hook: bool = False, is_small: bool = False) -> Repository:
        """Open the repository around `start`; `in_hook` believes the GIT_* variables.

        `is_small` says that few objects will be read: then to load libgit2 costs more than it
        saves, and the git program answers. Raises GitRefused where there is none, or none that can
        be read faithfully.
        """
        start = start.absolute()
        repository = cls(open_backend(start, in_hook=in_hook, is_small=is_small), start, in_hook)
        if (repository.common_dir / "info" / "grafts").exists():
            fix = "Turn it into a replacement: git replace --convert-graft-file"
            raise GitRefused(str(start), "info/grafts rewrites the history that git shows", fix)
        return repository

    @cached_property
    def work_tree(self) -> Path | None:
        """The checkout, or None when the repository is bare."""
        return self._backend.work_tree

    @property
    def is_bare(self) -> bool:
        return self.work_tree is None

    @cached_property
    def git(self) -> Git:
        """The git program on this repository, to be called (see `program.run`)."""
        return prepare_git(self.start, self.git_dir, self.work_tree, in_hook=self.in_hook)

    def commits_between(self, old: str | None, new: str, *excluding: str) -> tuple[str, ...]:
        """List the commits reachable from `new`, not from `old` or `excluding`, parents first."""
        excluded = [f"^{each}\n" for each in (old, *excluding) if each is not None]
        asked = "".join((f"{new}\n", *excluded)).encode()
        listed = self.git("rev-list", "--topo-order", "--reverse", "--stdin", stdin=asked)
        return tuple(listed.text.split())

    # The commit being made, and others' work

    def index_tree(self) -> str:
        """Store and name the tree of the index, in a hook the one that git is committing."""
        return self.git("write-tree").text

    def commit_in_progress_parents(self) -> list[tuple[str, ...]]:
        """List the parents that the commit being made may get: a hook is not told of --amend."""
        head = self.head().commit
        if head is None:
            return [()]
        merged = self.merge_heads()
        return [(head, *merged)] if merged else [(head,), self.commit(head).parents]

    def merge_heads(self) -> tuple[str, ...]:
        """List what is being merged; before a clean merge is committed the environment says so."""
        listed = self.git_dir / "MERGE_HEAD"
        if listed.exists():
            return tuple(listed.read_text().split())
        named = (name.partition("GITHEAD_")[2] for name in os.environ if self.in_hook)
        return tuple(name for name in named if FULL_ID.fullmatch(name))

    def automatic_merge(self, parents: Sequence[str]) -> str | None:
        """Merge commits as git does by itself: the tree, or None on a conflict (see `merging`)."""
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        return automatic_merge(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def attempt_merge(self, parents: tuple[str, str]) -> MergeAttempt:
        """Merge two commits, conflicts and all (see `merging`)."""
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        return attempt_merge(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def resolve_merge(self, parents: tuple[str, str], tree: str) -> Resolved:
        """Find how a tree completes the merge of two commits (see `merging`)."""
        return resolve_merge(
            self.object_directories, parents, tree, self._boundaries, self._backend.object_format
        )

    def find_contested_files(self, parents: tuple[str, str]) -> tuple[Contested, ...]:
        """Find the files that git leaves to people where it merges two commits (see `merging`)."""
        return find_contested(
            self.object_directories, parents, self._boundaries, self._backend.object_format
        )

    def merge_bases(self, first: str, second: str) -> tuple[str, ...]:
        """List every best common ancestor of two commits."""
        return tuple(self.git("merge-base", "--all", first, second, check=False).text.split())

    def roots_between(self, old: str, new: str) -> tuple[str, ...]:
        """List the commits without a parent that `new` has in its history and `old` has not."""
        return tuple(self.git("rev-list", "--max-parents=0", new, f"^{old}", "--").text.split())

    def verify_signature(self, commit_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a commit, or None (see `signatures`)."""
        return verify_principal(self.git, self.commit(commit_id), allowed_signers)

    def verify_tag(self, tag_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a tag, or None (see `signatures`)."""
        return verify_tagger(self.git, tag_id, allowed_signers)

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
        """Read where HEAD points; raise GitRefused when it points nowhere."""
        target = self._backend.head_target()
        if FULL_ID.fullmatch(target):
            return Head(None, target)
        return Head(target.removeprefix("refs/heads/"), self._backend.ref(target))

    def branch_tip(self, name: str) -> str | None:
        """Return the commit of a branch, or None when there is no such branch."""
        if name.startswith("-") or name == "HEAD":
            raise refuse_ref_name(name)
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

    def list_checked_out_branches(self) -> dict[str, Path]:
        """List the branches that some work tree stands on, and where."""
        listed = os.fsdecode(self._list_worktrees())
        found = {}
        for record in listed.split("\0\0"):
            fields = dict(line.partition(" ")[::2] for line in record.split("\0"))
            if "branch" in fields:
                found[fields["branch"].removeprefix("refs/heads/")] = Path(fields["worktree"])
        return found

    def _list_worktrees(self) -> bytes:
        """Run `git worktree list`, and again if it met a worktree that was half written."""
        for pause in (0.02, 0.05, 0.1, 0.2, 0.4):
            try:
                return self.git("worktree", "list", "--porcelain", "-z").stdout
            except GitRefused as refusal:
                if "worktrees/" not in refusal.what:
                    raise
                time.sleep(pause)
        return self.git("worktree", "list", "--porcelain", "-z").stdout

    def config(self, name: str) -> str | None:
        """Return the last value of a configuration variable, as git reads it."""
        return read_config(self.git, name) if self.settings.may_have(name) else None

    def identity(self, who: str) -> str:
        """Return `AUTHOR` or `COMMITTER` as git would write it, without the time; or ""."""
        return self.settings.identity(f"GIT_{who}_IDENT")

    @cached_property
    def settings(self) -> GitSettings:
        """What git has for variables and identities."""
        return GitSettings.ask(self.git)

    def quick_config(self, name: str) -> str | None:
        """Return the value of a variable, without a process where one can; `name` in lower case."""
        return self.config(name) if self.backend == "program" else self._backend.config(name)

    @cached_property
    def hooks_path(self) -> Path | None:
        """`core.hooksPath`, from the checkout when it is relative; None when it is not set."""
        if not self.settings.may_have("core.hooksPath"):
            return None
        configured = read_config(self.git, "core.hooksPath", "--type=path")
        return (self.work_tree or self.git_dir) / configured if configured is not None else None

    # How it is done


def find_message_file(repository: Repository, named: str) -> Path:
    """Find the message file of this name; for an empty one the file that git just wrote.

    A clean `git merge` writes MERGE_MSG, everything else COMMIT_EDITMSG; the other may be left
    from before. Raises InvalidInput when there is none.
    """
    if named:
        return Path(named)
    usual = (repository.git_dir / name for name in ("MERGE_MSG", "COMMIT_EDITMSG"))
    found = [path for path in usual if path.exists()]
    if not found:
        raise InvalidInput("--message-file", "no commit is being made here", "Name the file.")
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def read_message(path: Path) -> bytes:
    """Read the bytes of a message file. Raises InvalidInput when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error.strerror}") from error


def find_comment_mark(repository: Repository) -> bytes:
    """Return what git's own lines in a message begin with: `core.commentChar`."""
    mark = repository.config("core.commentChar")
    return (mark if mark not in (None, "auto") else "#").encode("utf-8", "surrogateescape")


def list_checkouts(repository: Repository) -> list[Path]:
    """List every checkout of a repository: its own, and those of `git worktree`."""
    listed = os.fsdecode(repository.git("worktree", "list", "--porcelain", "-z").stdout)
    named = (field.partition(" ") for field in listed.split("\0"))
    found = [Path(value) for word, _, value in named if word == "worktree"]
    own = [] if repository.work_tree is None else [repository.work_tree]
    return list(dict.fromkeys([*own, *found]))


def find_checkout(repository: Repository, place: Path) -> tuple[Path, bool] | None:
    """Find the checkout around a directory, and whether it is one of the repository's; or None."""
    for above in (place, *place.parents):
        if (above / ".git").exists():
            try:
                found = Repository.discover(above)
            except HkgitError:
                return above, False
            return above, found.common_dir.resolve() == repository.common_dir.resolve()
    return None
