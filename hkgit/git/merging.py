"""merging.py: the merge that git makes by itself, the same wherever it is asked for.

`git merge` is not a function of the commits alone: attributes of the checkout, configuration and
the environment change the tree. So the merge is made in an empty repository of our own, which
borrows the objects and inherits nothing else. What it writes vanishes with it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hkgit.errors import Unverifiable
from hkgit.git import program
from hkgit.git.program import Completed, Git
from hkgit.paths import quote_path

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
_IDENTITY = (
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"
)


def automatic_merge(
    object_directories: Sequence[Path],
    parents: Sequence[str],
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> str | None:
    """The id of the merged tree, or None on a conflict; needs two parents or more.

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


def resolved_merge(
    object_directories: Sequence[Path],
    parents: tuple[str, str],
    tree: str,
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> Resolved:
    """How a merge of two commits was completed. Raises Unverifiable when git cannot tell."""
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        made, *conflicts = empty.attempt(*parents)
        differing = set(empty.differing(made, tree)) - set(conflicts)
        return Resolved(tuple(conflicts), tuple(sorted(differing)))


@dataclass(frozen=True, slots=True)
class Attempt:
    """What git makes of two commits by itself.

    `conflicts` are the paths that it leaves to people; `objects` is a pack of all that it wrote
    to make the tree.
    """

    tree: str
    conflicts: tuple[str, ...]
    objects: bytes


def set_aside(conflicts: Collection[str], parents: Collection[str]) -> list[str]:
    """The conflicted paths that git made up, as where one side has a directory of that name."""
    return [path for path in conflicts if any(f"~{parent}" in path for parent in parents)]


def attempted_merge(
    object_directories: Sequence[Path],
    parents: tuple[str, str],
    boundaries: Collection[str] = (),
    object_format: str = "sha1",
) -> Attempt:
    """The merge of two commits, with its conflicts. Raises Unverifiable when git cannot tell."""
    with _empty_repository(object_directories, boundaries, object_format) as empty:
        made, *conflicts = empty.attempt(*parents)
        return Attempt(made, tuple(conflicts), empty.packed())


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
        done = self._git(*args)
        if done.code not in (0, 1):
            raise Unverifiable(f"merge of {ours} and {theirs}", str(program.refusal(args, done)))
        return done.text if done.code == 0 else None

    def attempt(self, ours: str, theirs: str) -> list[str]:
        """The merged tree, and every path in conflict."""
        options = ("-z", "--name-only", "--no-messages", "--allow-unrelated-histories")
        done = self._git("merge-tree", "--write-tree", *options, ours, theirs)
        if done.code not in (0, 1):
            what = str(program.refusal(("merge-tree",), done))
            raise Unverifiable(f"merge of {ours} and {theirs}", what)
        return os.fsdecode(done.stdout).split("\0")[:-1]

    def differing(self, tree: str, other: str) -> list[str]:
        """The paths in which two trees differ."""
        listed = self._git("diff-tree", "-r", "-z", "--no-renames", "--name-only", tree, other)
        return os.fsdecode(listed.stdout).split("\0")[:-1]

    def packed(self) -> bytes:
        """Everything that was written here."""
        written = (self.path / "objects").glob("[0-9a-f][0-9a-f]/*")
        names = "".join(f"{each.parent.name}{each.name}\n" for each in written)
        return self._git("pack-objects", "-q", "--stdout", stdin=names.encode()).stdout

    def commit(self, tree: str, parents: Sequence[str]) -> str:
        """What the next head of an octopus is merged into."""
        named = [word for parent in parents for word in ("-p", parent)]
        return self._git("commit-tree", tree, *named, "-m", "octopus").text

    def _git(self, *args: str, stdin: bytes = b"") -> Completed:
        inherited = dict.fromkeys(name for name in os.environ if name.startswith("GIT"))
        own = dict.fromkeys(_IDENTITY, "hkgit@localhost") | {
            "HOME": str(self.path),
            "XDG_CONFIG_HOME": str(self.path),
            "GIT_DIR": str(self.path),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
        }
        env = {**inherited, **own}
        return program.run(args, cwd=self.path, env=env, stdin=stdin, check=False)


@contextmanager
def _empty_repository(
    object_directories: Sequence[Path], boundaries: Collection[str], object_format: str
) -> Iterator[_EmptyRepository]:
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
