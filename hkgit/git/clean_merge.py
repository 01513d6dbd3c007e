"""Merge by git with pinned options, so that every machine gets the same result.

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
from hkgit.git.objects import TreeEntry
from hkgit.git.program import Completed, Git, refuse_failed
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


@dataclass(frozen=True)
class Contested:
    """A file in conflict, as each side has it; None where it is absent.

    `base` is what both sides began with, which may be a merge that git made up.
    """

    path: str
    base: File | None
    ours: File | None
    theirs: File | None


@dataclass(frozen=True)
class CleanMerge:
    """The tree that git makes of commits, and what is in conflict, by path and side.

    The methods ask the repository that the merge was made in, while that is there.
    """

    tree: str
    is_clean: bool
    stages: Mapping[str, Mapping[int, TreeEntry]]
    place: EmptyRepository

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The paths that git leaves to people."""
        return tuple(self.stages)

    def read_contested(self) -> Iterator[Contested]:
        """Read every file in conflict, as each side has it."""
        for path, stages in self.stages.items():
            sides = (stages.get(number) for number in (1, 2, 3))
            yield Contested(path, *(None if side is None else self._file(side) for side in sides))

    def _file(self, entry: TreeEntry) -> File:
        if entry.mode == SUBMODULE:
            return File(entry.id.encode(), entry.mode)
        return File(self.place.git("cat-file", "blob", entry.id).stdout, entry.mode)

    def list_differing(self, tree: str) -> list[str]:
        """List the paths in which a tree is another one."""
        asked = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", self.tree, tree)
        return self.place.git(*asked).words

    def pack_objects(self) -> bytes:
        """Pack everything that was written to make it."""
        written = (self.place.path / "objects").glob("[0-9a-f][0-9a-f]/*")
        names = "".join(f"{each.parent.name}{each.name}\n" for each in written)
        return self.place.git("pack-objects", "-q", "--stdout", stdin=names.encode()).stdout


def find_invented_paths(conflicts: Collection[str], parents: Collection[str]) -> list[str]:
    """List the conflicted paths that git has invented, as where one side has a directory there."""
    return [path for path in conflicts if any(f"~{parent}" in path for parent in parents)]


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
            raise Unverifiable(
                f"merge of {ours} and {theirs}", "is beyond the history of a shallow clone", fix
            )


@dataclass(frozen=True)
class EmptyRepository:
    """Merges in a repository of its own. The methods raise Unverifiable when git cannot tell."""

    path: Path

    def merge(self, parents: Sequence[str]) -> CleanMerge:
        """Merge commits; more than two one after the other, as `git merge` does for an octopus."""
        head, other, *others = parents
        merged = self._merge(head, other)
        for each in others:
            if not merged.is_clean:
                break
            words = ("-p", head, "-p", other, "-m", "octopus")
            head, other = self.git("commit-tree", merged.tree, *words).text, each
            merged = self._merge(head, other)
        return merged

    def merge_trees(self, base: str, ours: str, theirs: str) -> CleanMerge:
        """Merge two trees that both began as a third."""
        began = self.git("commit-tree", base, "-m", "base").text
        words = ("-p", began, "-m", "side")
        return self._merge(*(self.git("commit-tree", each, *words).text for each in (ours, theirs)))

    def _merge(self, ours: str, theirs: str) -> CleanMerge:
        options = ("-z", "--no-messages", "--allow-unrelated-histories")
        args = ("merge-tree", "--write-tree", *options, ours, theirs)
        done = self.git(*args, memory=MEMORY)
        if done.code not in (0, 1):
            what, fix = str(refuse_failed(args, done)), ""
            if done.code < 0 or "memory" in what:
                size = f"{MEMORY >> 20} MiB"
                what = f"takes git more than {size}: both sides change a file that large"
                fix = "Change the file on one side only: rebase the other."
            raise Unverifiable(f"merge of {ours} and {theirs}", what, fix)
        tree, *lines = done.words
        stages: dict[str, dict[int, TreeEntry]] = {}
        for line in lines:
            words, _, path = line.partition("\t")
            mode, object_id, stage = words.split(" ")
            stages.setdefault(path, {})[int(stage)] = TreeEntry(int(mode, 8), object_id)
        return CleanMerge(tree, done.code == 0, stages, self)

    def git(self, *args: str, stdin: bytes = b"", memory: int | None = None) -> Completed:
        inherited = dict.fromkeys(name for name in os.environ if name.startswith("GIT"))
        own = dict.fromkeys(_IDENTITY, "hkgit@localhost")
        own |= dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "GIT_DIR"), str(self.path))
        own |= dict.fromkeys(("GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM"), "1")
        env = {**inherited, **own, "GIT_CONFIG_GLOBAL": os.devnull}
        return Git(self.path, env)(*args, stdin=stdin, check=False, memory=memory)


@contextmanager
def empty_repository(
    object_directories: Sequence[Path], boundaries: Collection[str], object_format: str
) -> Iterator[EmptyRepository]:
    """Make a repository that borrows objects; `boundaries` are where a shallow clone was cut."""
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
        yield EmptyRepository(path)
