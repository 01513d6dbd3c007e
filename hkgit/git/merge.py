"""merging.py: merge by git with pinned options, so that every machine gets the same result.

`git merge` is not a function of the commits alone: attributes of the checkout, configuration and
the environment change the tree. So the merge is made in an empty repository of our own, which
borrows the objects and inherits nothing else. What it writes vanishes with it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hkgit.edits import SUBMODULE, File
from hkgit.errors import Unverifiable
from hkgit.git import program
from hkgit.git.objects import TreeEntry
from hkgit.git.program import Completed, Git
from hkgit.text.paths import quote_path
from hkgit.values import dataclass

CONFIG = """\
[core]
    repositoryFormatVersion = 1
    bare = true
[extensions]
    objectFormat = {object_format}
[merge]
    directoryRenames = false
    renames = true
    renameLimit = 7000
    renormalize = false
"""
MEMORY = 320 * 2**20
"""Bytes of data that a merge may take: two edits of a file of a million lines take half of them."""

_IDENTITY = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


def automatic_merge(
    object_directories: Sequence[Path],
    parents: Sequence[str],
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> str | None:
    """Merge two parents or more: the id of the merged tree, or None on a conflict.

    More than two are merged one after the other, as `git merge` does for an octopus.
    `boundaries` are the commits whose parents a shallow clone left out. Raises Unverifiable when
    git cannot tell.
    """
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        merged, *others = parents
        tree = None
        for other in others:
            tree = empty.merge(merged, other)
            if tree is None:
                return None
            if other != others[-1]:
                merged = empty.commit(tree, (merged, other))
        return tree


@dataclass(frozen=True, slots=True)
class Resolved:
    """How a tree differs from what git makes of two commits.

    `conflicts` are the paths that git leaves to people, `others` those beside them.
    """

    conflicts: tuple[str, ...]
    others: tuple[str, ...]


def resolve_merge(
    object_directories: Sequence[Path],
    parents: tuple[str, str],
    tree: str,
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> Resolved:
    """Find how a merge of two commits was completed. Raises Unverifiable when git cannot tell."""
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        merged, *conflicts = empty.attempt(*parents)
        differing = set(empty.list_differing(merged, tree)) - set(conflicts)
        return Resolved(tuple(conflicts), tuple(sorted(differing)))


@dataclass(frozen=True, slots=True)
class Contested:
    """A file in conflict, as each side has it; None where it is absent.

    `base` is what both sides began with, which may be a merge that git made up.
    """

    path: str
    base: File | None
    ours: File | None
    theirs: File | None


def find_contested(
    object_directories: Sequence[Path],
    parents: tuple[str, str],
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> tuple[Contested, ...]:
    """Find every file in conflict between two commits. Raises Unverifiable when git cannot tell."""
    found: dict[str, dict[int, TreeEntry]] = {}
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        for path, stage, entry in empty.stages(*parents):
            found.setdefault(path, {})[stage] = entry
        return tuple(_read_contested(empty, path, stages) for path, stages in found.items())


def _read_contested(
    empty: _EmptyRepository, path: str, stages: Mapping[int, TreeEntry]
) -> Contested:
    sides = (stages.get(number) for number in (1, 2, 3))
    return Contested(path, *(None if side is None else empty.file(side) for side in sides))


@dataclass(frozen=True, slots=True)
class MergeAttempt:
    """What git makes of two commits by itself.

    `conflicts` are the paths that it leaves to people; `objects` is a pack of all that it wrote
    to make the tree.
    """

    tree: str
    conflicts: tuple[str, ...]
    objects: bytes


def find_invented_paths(conflicts: Collection[str], parents: Collection[str]) -> list[str]:
    """List the conflicted paths that git has invented, as where one side has a directory there."""
    return [path for path in conflicts if any(f"~{parent}" in path for parent in parents)]


def attempt_merge(
    object_directories: Sequence[Path],
    parents: tuple[str, str],
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> MergeAttempt:
    """Merge two commits, and keep the conflicts. Raises Unverifiable when git cannot tell."""
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        merged, *conflicts = empty.attempt(*parents)
        return MergeAttempt(merged, tuple(conflicts), empty.pack_objects())


def expect_merge_bases(git: Git, parents: Sequence[str], boundaries: Collection[str]) -> None:
    """Raise Unverifiable unless a shallow clone reaches back to where the parents met.

    git would merge what was cut off as if the histories had never met.
    """
    ours = parents[0]
    for theirs in parents[1:]:
        bases = git("merge-base", "--all", ours, theirs, check=False).text.split()
        apart = git("rev-list", f"{ours}...{theirs}", "--").text.split()
        if len(bases) != 1 or not set(boundaries).isdisjoint(apart):
            fix = "Fetch the whole history: git fetch --unshallow (fetch-depth: 0)."
            raise Unverifiable(f"merge of {ours} and {theirs}", "lies beyond a shallow clone", fix)


@dataclass(frozen=True, slots=True)
class _EmptyRepository:
    path: Path

    def merge(self, ours: str, theirs: str) -> str | None:
        args = ("merge-tree", "--write-tree", "--allow-unrelated-histories", ours, theirs)
        done = self._merge(args, ours, theirs)
        return done.text if done.code == 0 else None

    def attempt(self, ours: str, theirs: str) -> list[str]:
        """The merged tree, and every path in conflict."""
        return self._list(ours, theirs, "--name-only")

    def stages(self, ours: str, theirs: str) -> Iterator[tuple[str, int, TreeEntry]]:
        """Path, stage and file of everything in conflict, as git's index would hold it."""
        for line in self._list(ours, theirs)[1:]:
            words, _, path = line.partition("\t")
            mode, object_id, stage = words.split(" ")
            yield path, int(stage), TreeEntry(int(mode, 8), object_id)

    def file(self, entry: TreeEntry) -> File:
        has_bytes = entry.mode != SUBMODULE
        data = self._git("cat-file", "blob", entry.id).stdout if has_bytes else entry.id.encode()
        return File(data, entry.mode)

    def _list(self, ours: str, theirs: str, *options: str) -> list[str]:
        options = ("-z", "--no-messages", "--allow-unrelated-histories", *options)
        done = self._merge(("merge-tree", "--write-tree", *options, ours, theirs), ours, theirs)
        return os.fsdecode(done.stdout).split("\0")[:-1]

    def _merge(self, args: Sequence[str], ours: str, theirs: str) -> Completed:
        done = self._git(*args, memory=MEMORY)
        if done.code in (0, 1):
            return done
        where, reason = f"merge of {ours} and {theirs}", str(program.refuse_failed(args, done))
        if done.code < 0 or "memory" in reason:
            what = f"takes git more than {MEMORY >> 20} MiB: both sides change a file that large"
            raise Unverifiable(where, what, "Change the file on one side alone: rebase the other.")
        raise Unverifiable(where, reason)

    def list_differing(self, tree: str, other: str) -> list[str]:
        """List the paths in which two trees differ."""
        listed = self._git("diff-tree", "-r", "-z", "--no-renames", "--name-only", tree, other)
        return os.fsdecode(listed.stdout).split("\0")[:-1]

    def pack_objects(self) -> bytes:
        """Everything that was written here."""
        written = (self.path / "objects").glob("[0-9a-f][0-9a-f]/*")
        names = "".join(f"{each.parent.name}{each.name}\n" for each in written)
        return self._git("pack-objects", "-q", "--stdout", stdin=names.encode()).stdout

    def commit(self, tree: str, parents: Sequence[str]) -> str:
        """What the next head of an octopus is merged into."""
        named = [word for parent in parents for word in ("-p", parent)]
        return self._git("commit-tree", tree, *named, "-m", "octopus").text

    def _git(self, *args: str, stdin: bytes = b"", memory: int | None = None) -> Completed:
        inherited = dict.fromkeys(name for name in os.environ if name.startswith("GIT"))
        own = dict.fromkeys(_IDENTITY, "hkgit@localhost")
        own |= dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "GIT_DIR"), str(self.path))
        own |= dict.fromkeys(("GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM"), "1")
        env = {**inherited, **own, "GIT_CONFIG_GLOBAL": os.devnull}
        return program.run(args, cwd=self.path, env=env, stdin=stdin, check=False, memory=memory)


@contextmanager
def _empty_repository(
    object_directories: Sequence[Path], boundaries: Collection[str], object_format: str
) -> Iterator[_EmptyRepository]:
    import tempfile  # few commits are merges

    with tempfile.TemporaryDirectory(prefix="hkgit-merge-") as name:
        path = Path(name)
        (path / "objects" / "info").mkdir(parents=True)
        (path / "refs").mkdir()
        (path / "HEAD").write_text("ref: refs/heads/none\n")
        (path / "config").write_text(CONFIG.format(object_format=object_format))
        borrowed = "".join(quote_path(str(where)) + "\n" for where in object_directories)
        (path / "objects" / "info" / "alternates").write_text(borrowed)
        if boundaries:
            (path / "shallow").write_text("".join(f"{cut}\n" for cut in boundaries))
        yield _EmptyRepository(path)
