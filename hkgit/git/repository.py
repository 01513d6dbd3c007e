"""One repository: objects, refs, revisions, settings, checkouts.

Objects are read through libgit2 where many are, since that needs no process, or from a child of
git: where little is read, and where libgit2 cannot open the repository (SHA-256, reftable, an
extension that it does not know). `HKGIT_GIT=libgit2` or `HKGIT_GIT=program` leaves no choice. All
else goes by the git program, or by files where they say it.

Reading raises Unverifiable where something is not here or not as git writes it, writing
GitRefused. Objects are read as stored: replacements are ignored, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path

from hkgit.edits import encode_text
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Unverifiable
from hkgit.git import facts
from hkgit.git.cat_file import CatFile, write_pack
from hkgit.git.clean_merge import (
    CleanMerge,
    EmptyRepository,
    empty_repository,
    expect_merge_bases,
)
from hkgit.git.layout import (
    BLOB,
    COMMIT,
    HEX,
    TAG,
    TREE,
    find_repository,
    read_branch,
    read_stored_ref,
    refuse_ref_name,
    refuse_unwritten,
)
from hkgit.git.objects import (
    DEEPEST,
    EMPTY_TREE,
    EMPTY_TREES,
    LARGEST_OBJECT,
    TAG_FIX,
    Commit,
    Files,
    Head,
    TreeChange,
    Trees,
    TreeSnapshot,
    build_tree,
    compute_id,
    is_empty_tree,
    parse_commit,
    read_tag,
    read_taggers,
)
from hkgit.git.program import Completed, Git, refuse_failed
from hkgit.text.paths import check_tree_path
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.libgit2 import LibGit2

CHOICE = "HKGIT_GIT"  # The environment variable that names the one who reads objects

_WHOLE_REF = r"refs/[^~^:]+?(?=@\{|[~^:]|\Z)"
"""The name of a ref from its beginning, without what may follow it in a revision."""

_ABSENT = ("bad file", "Not a valid object name", "could not fetch", "lazy fetching disabled")
"""What git says of what is not here: in any clone, and in a partial one."""

_SILENT = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.logAllRefUpdates=false")
_MOST_KEPT, _SMALL = 256, 4096  # The most blobs that are kept, and the bytes from which one is not

_SSH = b" -----BEGIN SSH SIGNATURE-----\n"
_SIGNATURE = {40: b"\ngpgsig", 64: b"\ngpgsig-sha256"}
"""Where the signature of a commit is, by the number of digits of its id."""
_GOOD = r'(?m)^Good "git" signature for (\S+) with '

FIRST_COMMIT = "Make a first commit: git commit --allow-empty -m Begin"
"""What to do in a repository that has no commit yet."""


@dataclass(frozen=True)
class Repository:
    """One repository, opened where the user is, or where git says when it runs a hook.

    `git_dir` is the directory of this checkout's HEAD and index; `work_tree` the checkout, None
    when the repository is bare; `reader` who is to read objects, empty for whoever can.
    """

    start: Path
    in_hook: bool
    git_dir: Path
    work_tree: Path | None
    object_format: str
    reader: str

    @classmethod
    def discover(cls, start: Path, *, in_hook: bool = False, is_small: bool = False) -> Repository:
        """Open the repository around `start`; `in_hook` believes the GIT_* variables.

        `is_small` says that few objects will be read: then to load libgit2, which takes five
        starts of Python, costs more than it saves. Raises GitRefused where there is no repository,
        or none that can be read faithfully.
        """
        start = start.absolute()
        reader = os.environ.get(CHOICE, "")
        if reader not in ("", "libgit2", "program"):
            raise InvalidInput(
                CHOICE, f"cannot be {reader}", "Set it to libgit2 or program, or unset it."
            )
        reader = reader or ("program" if is_small else "")
        is_named = not in_hook and reader != "program"
        place = find_repository(start, in_hook=in_hook, is_named=is_named)
        repository = cls(start, in_hook, *place, reader)
        if (repository.common_dir / "info" / "grafts").exists():
            fix = "Turn it into a replacement: git replace --convert-graft-file"
            raise GitRefused(str(start), "info/grafts rewrites the history that git shows", fix)
        if reader == "libgit2":
            assert repository._libgit2 is not None
        return repository

    @property
    def is_bare(self) -> bool:
        return self.work_tree is None

    @cached_property
    def common_dir(self) -> Path:
        """The directory of objects and branches, which linked worktrees share."""
        shared = Path(facts.find_shared(self.git_dir))
        return shared if shared == self.git_dir else shared.resolve()

    @cached_property
    def git(self) -> Git:
        """The git program on this repository, to be called."""
        if self.in_hook:  # git's variables may be relative to the directory that it started in
            return Git(self.start, keep_environment=True)
        if self.work_tree is not None:
            return Git(self.work_tree)
        # safe.bareRepository may forbid git to find by itself what the user has named.
        return Git(self.git_dir, {"GIT_DIR": str(self.git_dir)})

    @property
    def empty_tree(self) -> str:
        """The tree without a file, which git knows without storing it."""
        return EMPTY_TREES[self.object_format]

    @property
    def is_shallow(self) -> bool:
        return bool(self._boundaries)

    # Revisions and commits

    def resolve(self, rev: str) -> str:
        """Find the commit that a revision names; tags are peeled. Raises InvalidInput.

        A whole name of a ref means that ref alone. git would look below refs/tags/ and
        refs/heads/ too, where anybody who pushes may put a ref `refs/...` of such a name.
        """
        named = re.match(_WHOLE_REF, rev)
        is_here = named is None or self._ref(named[0]) is not None
        found = self._resolve(rev) if is_here and "\0" not in rev else None
        if found is None:
            target = self._head_target() if rev.startswith("HEAD") else ""
            if target.startswith("refs/") and self._ref(target) is None:
                fix = FIRST_COMMIT if self.work_tree else "Push a first commit to it."
                raise InvalidInput(rev, "there is no commit here yet", fix)
            fix = "Name a branch, a tag or a commit; git log --all shows them."
            if self.is_shallow:
                fix = "This clone is shallow: fetch its whole history (fetch-depth: 0)."
            raise InvalidInput(rev or "revision", "is not a commit here", fix)
        return found

    def _resolve(self, rev: str) -> str | None:
        branch = read_branch(self.git_dir) if rev == "HEAD" else None
        stored = None if branch is None else read_stored_ref(self.common_dir, branch)
        if stored is not None:
            rev = stored
        elif re.fullmatch(HEX, rev) is None:
            rev = self._ask("rev-parse", "--verify", "-q", "--end-of-options", rev).text
        try:
            return self.commit_named_by(rev) if rev else None
        except Unverifiable:
            return None

    def commit_named_by(self, object_id: str) -> str | None:
        """Find the commit that an object is or that its tags name; None for a tree or a blob.

        Raises Unverifiable for a tag that cannot be read, or that leads to what is not here.
        """
        *_, (last, kind, _) = self._follow(object_id)
        return last if kind == COMMIT else None

    def tags_of(self, object_id: str) -> tuple[tuple[str, bytes], ...]:
        """Read the tagger and message of a tag, and of each that it names. Raises Unverifiable."""
        tags = (data for _, kind, data in self._follow(object_id) if kind == TAG)
        return tuple((read_taggers(data), data.partition(b"\n\n")[2]) for data in tags)

    def _follow(self, object_id: str) -> Iterator[tuple[str, str, bytes]]:
        """An object and those that its tags name, each with its type; the bytes of tags alone."""
        kind, _ = self._header(object_id)
        for _ in range(DEEPEST):
            if kind != TAG:
                yield object_id, kind, b""
                return
            data = self._read(object_id, TAG)
            yield object_id, kind, data
            object_id, stated = read_tag(object_id, data)
            kind, _ = self._header(object_id)
            if kind != stated:
                what = f"says that {object_id[:12]} is a {stated}, but it is a {kind}"
                raise Unverifiable("tag", what, TAG_FIX)
        raise Unverifiable(f"tag {object_id}", f"is more than {DEEPEST} nested tags", TAG_FIX)

    @cached_property
    def commit(self) -> Callable[[str], Commit]:
        """Read a commit by its id; raise Unverifiable when it is not here.

        The latest are kept: each is asked for again by those that follow it.
        """

        def read(commit_id: str) -> Commit:
            raw = self._read(commit_id, COMMIT)
            return parse_commit(commit_id, raw, is_boundary=commit_id in self._boundaries)

        return lru_cache(1024)(read)

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether history leads from `descendant` back to `ancestor`, or they are the same."""
        return ancestor == descendant or self.merge_base(ancestor, descendant) == ancestor

    def merge_base(self, first: str, second: str) -> str | None:
        """Find a best common ancestor of two commits; None when their histories never meet."""
        for commit_id in (first, second):
            _check_id(commit_id)
        found = None if self._libgit2 is None else self._libgit2.merge_base(first, second)
        if found is not None:
            return found[0]
        asked = self._ask("merge-base", first, second)
        if asked.code > 1:
            raise Unverifiable(f"merge base of {first} and {second}", asked.stderr.strip())
        return asked.text if asked.code == 0 else None

    # Trees and blobs

    def snapshot(self, rev_or_tree: str | None) -> TreeSnapshot:
        """Open the files of a commit or tree; None has none."""
        return self.files_of(self.empty_tree if rev_or_tree is None else self._tree_id(rev_or_tree))

    def files_of(self, tree_id: str) -> TreeSnapshot:
        """Open the files of a tree by its id."""
        return TreeSnapshot(tree_id, self._trees, self.blob)

    @cached_property
    def changes(self) -> Callable[[str | None, str], tuple[TreeChange, ...]]:
        """List every path that differs between two trees, links and submodules too; no renames.

        The latest comparisons are kept: replay and the gate's rules ask for the same one.
        """

        def compare(old_tree: str | None, new_tree: str) -> tuple[TreeChange, ...]:
            found = self._trees.compare(old_tree, new_tree)
            return tuple(sorted(found, key=lambda change: encode_text(change.path)))

        return lru_cache(4)(compare)

    def blob(self, blob_id: str) -> bytes:
        """Read the bytes of a blob; raise Unverifiable when it is not here."""
        return self._read(blob_id, BLOB)

    def small_blob(self, blob_id: str, most: int) -> bytes | None:
        """Read the bytes of a blob; None where it has more than `most`. Raises Unverifiable."""
        return self._read_small(blob_id, BLOB, most)

    def blob_size(self, blob_id: str) -> int:
        """Return how many bytes a blob has, without reading them."""
        return self._header(blob_id)[1]

    def write_blobs(self, *blobs: bytes) -> list[str]:
        """Store blobs together; their ids in the same order. Raises GitRefused."""
        return self.write_objects([(BLOB, data) for data in blobs])

    def write_tree(self, base_tree: str | None, files: Files) -> str:
        """Store the tree that `base_tree` becomes with these files; None removes one.

        Only touched directories are read and written; empty ones vanish. Raises InvalidInput for
        a path that no tree may hold, and where a file and a directory want the same name.
        """
        for path in files:
            check_tree_path(path)
        written: list[tuple[str, bytes]] = []

        def write(kind: str, data: bytes) -> str:
            written.append((kind, data))
            return compute_id(kind, data, self.object_format)

        tree = build_tree(self._trees.entries, write, base_tree, files) or write(TREE, b"")
        self.write_objects(written)
        return tree

    def write_objects(self, objects: Sequence[tuple[str, bytes]]) -> list[str]:
        """Store objects, given as type and bytes, in one process; their ids in the same order."""
        ids = [compute_id(kind, data, self.object_format) for kind, data in objects]
        pack = write_pack(dict(zip(ids, objects, strict=True)).values(), self.object_format)
        try:
            if objects:
                self.git("unpack-objects", "-q", stdin=pack)
        except GitRefused as refusal:
            raise refuse_unwritten("object store", refusal.what) from refusal
        return ids

    # Ranges

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

    @cached_property
    def judged_tree(self) -> str:
        """The tree of the index, as it is when this process asks for it first."""
        return (facts.told[0] if self.in_hook else "") or self.index_tree()

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
        return tuple(name for name in named if re.fullmatch(HEX, name))

    @contextmanager
    def merge(self, parents: Sequence[str]) -> Iterator[CleanMerge]:
        """Merge commits as git does by itself; what it wrote is there within the block.

        Raises Unverifiable where git cannot tell, or a shallow clone lacks what it would need.
        """
        if self.is_shallow:
            expect_merge_bases(self.git, parents, self._boundaries)
        with self._empty_repository() as empty:
            yield empty.merge(parents)

    def automatic_merge(self, parents: Sequence[str]) -> str | None:
        """Merge commits as git does by itself: the tree, or None on a conflict."""
        with self.merge(parents) as merged:
            return merged.tree if merged.is_clean else None

    def merge_trees(self, base: str, ours: str, theirs: str) -> str | None:
        """Merge two trees that both began as a third: the tree, or None on a conflict."""
        if base in (ours, theirs):
            return theirs if base == ours else ours
        with self._empty_repository() as empty:
            merged = empty.merge_trees(base, ours, theirs)
            return merged.tree if merged.is_clean else None

    def _empty_repository(self) -> AbstractContextManager[EmptyRepository]:
        return empty_repository(self.object_directories, self._boundaries, self.object_format)

    def merge_bases(self, first: str, second: str) -> tuple[str, ...]:
        """List every best common ancestor of two commits."""
        return tuple(self.git("merge-base", "--all", first, second, check=False).text.split())

    def verify_signature(self, commit_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a commit, or None.

        `allowed_signers` is text in the format of ssh-keygen(1). An unsigned commit, another kind
        of signature, a key that is not listed or not valid at the commit's time: all are None.
        """
        raw, name = self.commit(commit_id).raw, _SIGNATURE[len(commit_id)]
        header = raw.partition(b"\n\n")[0] + b"\n"
        # Of several git takes the first for all of them, and asks gpg if that is of its kind.
        if name + _SSH not in header or header.count(name + b" ") != 1:
            return None
        return self._find_principal(COMMIT, commit_id, allowed_signers)

    def verify_tag(self, tag_id: str, allowed_signers: str) -> str | None:
        """Return the principal whose SSH key signed a tag, or None.

        The caller has seen that it is an SSH signature: for another kind git would ask others.
        """
        return self._find_principal(TAG, tag_id, allowed_signers)

    def _find_principal(self, kind: str, object_id: str, allowed_signers: str) -> str | None:
        import tempfile  # few commits are signed

        with tempfile.TemporaryDirectory(prefix="hkgit-signers-") as directory:
            listed = Path(directory) / "allowed_signers"
            listed.write_text(allowed_signers)
            # Named here, so that a configuration cannot put another judge in its place.
            options = (
                *("-c", f"gpg.ssh.allowedSignersFile={listed}"),
                *("-c", "gpg.ssh.program=ssh-keygen"),
                *("-c", "gpg.minTrustLevel=undefined"),
            )
            asked = self.git(*options, f"verify-{kind}", "--raw", object_id, check=False)
        found = re.search(_GOOD, asked.stderr)
        return found[1] if asked.code == 0 and found is not None else None

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
        """Read where HEAD points; raise GitRefused when it points to nothing."""
        target = self._head_target()
        if re.fullmatch(HEX, target):
            return Head(None, target)
        return Head(target.removeprefix("refs/heads/"), self._ref(target))

    def branch_tip(self, name: str) -> str | None:
        """Return the commit of a branch, or None when there is no such branch."""
        if name.startswith("-") or name == "HEAD":
            raise refuse_ref_name(name)
        return self._ref(f"refs/heads/{name}")

    def remembers(self, name: str) -> bool:
        """Whether git keeps something by a name like MERGE_HEAD or BISECT_LOG for this checkout."""
        if (self.git_dir / name).exists():
            return True
        is_table = name.endswith("_HEAD") and (self.common_dir / "reftable").is_dir()
        return is_table and self._ref(name) is not None

    def write_ref(self, name: str, object_id: str) -> None:
        """Let a ref of hkgit's own name an object; no hook hears of it. Raises GitRefused."""
        try:
            self.git(*_SILENT, "update-ref", "--no-deref", name, object_id)
        except GitRefused as refusal:
            raise refuse_unwritten(name, refusal.what) from refusal

    def _head_target(self) -> str:
        """Read what HEAD says: the full name of a branch, or an id."""
        named = read_branch(self.git_dir)
        if named is not None:
            return named
        for args in (("symbolic-ref", "-q", "HEAD"), ("rev-parse", "-q", "--verify", "HEAD")):
            asked = self._ask(*args)
            if asked.code == 0:
                return asked.text
        raise Unverifiable("HEAD", "points to nothing", "Look at the repository with git fsck.")

    def _ref(self, name: str) -> str | None:
        """Return the id that a ref leads to. Raises InvalidInput for what no ref may be called."""
        found = read_stored_ref(self.common_dir, name)
        if found is not None:
            return found
        args = ("show-ref", "--verify", "--hash", "--", name)
        asked = self._ask(*args)
        if asked.code == 0:
            return asked.text
        if "not a valid ref" not in asked.stderr:
            raise refuse_failed(args, asked)
        if self._ask("check-ref-format", "--allow-onelevel", name).code != 0:
            raise refuse_ref_name(name)
        return None

    def list_checkouts(self) -> dict[Path, str | None]:
        """List every checkout, those of `git worktree` too, with the branch that it is on."""
        found: dict[Path, str | None] = {} if self.work_tree is None else {self.work_tree: None}
        listed = self.retry_git("worktree", "list", "--porcelain", "-z").text
        for record in listed.split("\0\0"):
            fields = dict(line.partition(" ")[::2] for line in record.split("\0"))
            if "worktree" in fields:
                found[Path(fields["worktree"])] = fields.get("branch")
        return found

    def retry_git(self, *args: str, undo: Callable[[], object] = lambda: None) -> Completed:
        """Run git, and again where it met a worktree that another git was just writing down.

        What it has left then is undone first. Raises GitRefused.
        """
        for pause in (0.02, 0.05, 0.1, 0.2, 0.4):
            try:
                return self.git(*args)
            except GitRefused as refusal:
                if "worktrees/" not in refusal.what:
                    raise
                undo()
                time.sleep(pause)
        return self.git(*args)

    def list_checked_out_branches(self) -> dict[str, Path]:
        """List the branches that some work tree is on, and where."""
        places = self.list_checkouts().items()
        return {name.removeprefix("refs/heads/"): place for place, name in places if name}

    @cached_property
    def variables(self) -> tuple[str, ...] | None:
        """The lines of `git var -l`, with the configuration and identities; None where it fails.

        Most of what is asked for is not set, and that is seen here. What may be set is asked for
        by name: a value of several lines may look like another setting, never hide one.
        """
        if self.in_hook and facts.told[1]:
            return tuple(facts.told[1].rstrip("\n").split("\n"))
        asked = self.git("var", "-l", check=False)
        return tuple(asked.text.split("\n")) if asked.code == 0 else None

    def may_have(self, name: str) -> bool:
        """Whether a variable of the configuration may be set; `name` has no subsection."""
        lines, key = self.variables, name.lower()
        return lines is None or any(line.partition("=")[0] == key for line in lines)

    def config(self, name: str) -> str | None:
        """Return the last value of a configuration variable, as git reads it."""
        return self._config(name) if self.may_have(name) else None

    def is_on(self, name: str) -> bool:
        """Whether a configuration variable is set to what git reads as true."""
        return self.may_have(name) and self._config("--type=bool", name) == "true"

    def _config(self, *args: str) -> str | None:
        asked = self.git("config", "--get", *args, check=False)
        if asked.code > 1:
            raise refuse_failed(("config",), asked)
        return asked.text if asked.code == 0 else None

    def identity(self, who: str) -> str:
        """Return `AUTHOR` or `COMMITTER` as git would write it, without the time; or ""."""
        name = f"GIT_{who}_IDENT"
        found = [line for line in self.variables or () if line.startswith(f"{name}=")]
        is_clear = len(found) == 1
        ident = found[0].partition("=")[2] if is_clear else self._ask("var", name).text
        return ident.rpartition(" ")[0].rpartition(" ")[0]

    @cached_property
    def hooks_path(self) -> Path | None:
        """`core.hooksPath`, from the checkout when it is relative; None when it is not set."""
        if not self.may_have("core.hooksPath"):
            return None
        configured = self._config("--type=path", "core.hooksPath")
        return (self.work_tree or self.git_dir) / configured if configured is not None else None

    # How objects are read

    @cached_property
    def _libgit2(self) -> LibGit2 | None:
        if self.reader == "program" or (self.object_format != "sha1" and not self.reader):
            return None
        from hkgit.git.libgit2 import LibGit2, Unopened  # it is slow to load

        try:
            return LibGit2.open(self.git_dir, in_hook=self.in_hook)
        except Unopened:
            if self.reader:
                raise
        return None

    @cached_property
    def _objects(self) -> LibGit2 | CatFile:
        return self._libgit2 or CatFile(self.git.over(facts.NO_FETCH), self.object_format)

    def _header(self, object_id: str) -> tuple[str, int]:
        """Return the type of an object and its size in bytes."""
        found = self._kept.get(object_id) or self._objects.read(_check_id(object_id), -1)
        if found is None:
            raise self._why_not(object_id)
        return found[:2]

    def _read(self, object_id: str, kind: str) -> bytes:
        """Read the bytes of an object that must be of one type, and not too large."""
        most = LARGEST_OBJECT[kind]
        data = self._read_small(object_id, kind, most)
        if data is None:
            what = f"a {kind} of more than {most:,} bytes is not read"
            raise Unverifiable(f"object {object_id}", what, "Keep files that large elsewhere.")
        return data

    def _read_small(self, object_id: str, kind: str, most: int) -> bytes | None:
        """Read the bytes of an object that must be of one type; None where it has more."""
        found = self._kept.get(object_id)
        if found is None:
            found = self._objects.read(_check_id(object_id), most)
            if found is None:
                raise self._why_not(object_id)
            if found[0] == BLOB and found[1] < min(_SMALL, most):  # the rest is kept as values
                if len(self._kept) >= _MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[object_id] = found
        its_kind, size, data = found
        if its_kind != kind:
            raise Unverifiable(f"object {object_id}", "is not of the type that is asked for")
        return data if size <= most else None

    @cached_property
    def _kept(self) -> dict[str, tuple[str, int, bytes]]:
        """Small blobs that were read lately by id: type, size and bytes."""
        return {}

    def _why_not(self, object_id: str) -> Unverifiable:
        """Why an object could not be read: git asked once more, to hear what it says."""
        where, fix = f"object {object_id}", "Look at the repository with git fsck."
        words = self._ask("cat-file", "-p", object_id).stderr.strip()
        if "error: " not in words and any(each in words for each in _ABSENT):
            if self.is_shallow:
                fix = "Fetch the whole history: git fetch --unshallow"
                return Unverifiable(where, "is not in this shallow clone", fix)
            return Unverifiable(where, "is not in this repository", "Fetch it, then try again.")
        return Unverifiable(where, words or "could not be read", fix)

    def _ask(self, *args: str) -> Completed:
        return self.git.over(facts.NO_FETCH)(*args, check=False)

    @cached_property
    def _trees(self) -> Trees:
        return Trees(lambda tree_id: self._read(tree_id, TREE))

    def _tree_id(self, rev_or_tree: str) -> str:
        if rev_or_tree == EMPTY_TREE:
            return self.empty_tree
        if is_empty_tree(rev_or_tree):
            return rev_or_tree
        if re.fullmatch(HEX, rev_or_tree) and self._header(rev_or_tree)[0] == TREE:
            return rev_or_tree
        return self.commit(self.resolve(rev_or_tree)).tree

    @cached_property
    def _boundaries(self) -> frozenset[str]:
        """The commits whose parents a shallow clone left out."""
        listed = self.common_dir / "shallow"
        return frozenset(listed.read_text().split()) if listed.exists() else frozenset()


def _check_id(object_id: str) -> str:
    """An id, which git would else take for a revision or for several lines."""
    if re.fullmatch(HEX, object_id) is None:
        raise Unverifiable(f"object {object_id}", "is not the id of an object")
    return object_id


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


def find_comment_mark(repository: Repository, message: bytes) -> bytes:
    """Return what git's own lines in a message begin with; what may set it, git knows best.

    Told to choose it (`auto`), git takes a character that no line of the author's begins with.
    """
    names = ("core.commentChar", "core.commentString")
    if not any(map(repository.may_have, names)):
        return b"#"
    scissors = re.search(rb"(?m)^([#;@!$%^&|:]) -{24} >8 -{24}\n", message)
    if scissors and "auto" in [(repository.config(name) or "").lower() for name in names]:
        return scissors[1]
    commented = repository.git("stripspace", "--comment-lines", stdin=b"x\n").stdout
    return commented.removesuffix(b" x\n")


def find_checkout(repository: Repository, place: Path) -> tuple[Path, bool] | None:
    """Find the checkout around a directory, and whether it is one of the repository's; or None."""
    with suppress(OSError):  # a path of another machine may be out of reach here
        for above in (place, *place.parents) if place.is_dir() else ():
            if (above / ".git").exists():
                try:
                    found = Repository.discover(above)
                except HkgitError:
                    return above, False
                return above, found.common_dir.resolve() == repository.common_dir.resolve()
    return None
