"""The checkout follows its branch.

git-read-tree(1) looks at all files first and writes them afterwards; what is saved in between it
removes. So plain files change places with the new ones, which git has made elsewhere, and what
was taken away is looked at (see `replacing`). The rest (links, submodules, files that become
directories) is left to read-tree, and so is everything where the attributes change with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from hkgit.applying.files import DirectorySnapshot, clear_away, remove_empty_above, write_files
from hkgit.edits import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File, encode_text
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.objects import TreeChange, TreeEntry
from hkgit.git.repository import Repository
from hkgit.git.transaction.index import LockedIndex
from hkgit.git.transaction.worktree import make_directory, remove_directory
from hkgit.values import cached_property, dataclass

Environment = Mapping[str, str | None]
Found = Mapping[str, File | None]
"""Plain files of a checkout that are to change, as they were found."""

_ATTRIBUTES = ".gitattributes"
_PLAIN = (EXECUTABLE, REGULAR)


@dataclass(frozen=True)
class CheckoutUpdate:
    """The checkout of a repository on its way from `old`, None for no files at all, to `new`.

    Both are commits or trees. The methods raise GitRefused.
    """

    repository: Repository
    old: str | None
    new: str

    @cached_property
    def root(self) -> Path:
        """The work tree."""
        assert self.repository.work_tree is not None
        return self.repository.work_tree

    @cached_property
    def changed(self) -> tuple[TreeChange, ...]:
        """Every path in which the two differ."""
        before = None if self.old is None else self.repository.snapshot(self.old).tree_id
        return self.repository.changes(before, self.repository.snapshot(self.new).tree_id)

    def read_tree(self, env: Environment, *options: str) -> None:
        """Run read-tree in a process group of its own, so that Ctrl-C does not reach it."""
        plain = ("-c", "submodule.recurse=false")
        trees = (self.old or self.repository.empty_tree, self.new)
        self.repository.git(
            *plain, "read-tree", "-m", "-u", *options, *trees, env=env, own_session=True
        )

    def find_untracked(self, env: Environment) -> set[str]:
        """Find the untracked files, ignored ones too, that are where files are to be added.

        And those in place of a directory above a file. git keeps the others from harm, but takes
        ignored files for expendable.
        """
        placed = ((change, self._obstacle(change.path)) for change in self.changed)
        obstacles = {
            at
            for change, at in placed
            if at is not None and (change.old is None or at != change.path)
        }
        if not obstacles:
            return set()
        args = ("--literal-pathspecs", "ls-files", "-z", "--others", "--", *obstacles)
        return set(self.repository.git(*args, env=env).words)

    def _obstacle(self, path: str) -> str | None:
        """What is in the way of a new file: a file at its path, or one in place of a directory."""
        names = path.split("/")
        for depth in range(1, len(names)):
            above = self.root.joinpath(*names[:depth])
            if above.is_symlink() or not above.is_dir():
                return "/".join(names[:depth]) if os.path.lexists(above) else None
        return path if os.path.lexists(self.root / path) else None

    def find_unstaged(self, tree: str) -> frozenset[str]:
        """List those of the paths at which the index differs from a commit or tree."""
        args = ("diff-index", "--cached", "--name-only", "--no-renames", "-z", tree, "--")
        differing = self.repository.git(*args).words
        return frozenset(differing) & {change.path for change in self.changed}

    def restore(self, env: Environment) -> list[str]:
        """Restore files that a landing began to write to the content in the index.

        Done only where nothing is lost: where a file is gone, or holds the new content or the
        first part of it. The paths of all others that differ are given back: they are somebody's.
        """
        try:
            return self._restore(env)
        except OSError as error:
            what = f"could not be restored: {error.strerror}"
            raise GitRefused(str(error.filename), what) from error

    def _restore(self, env: Environment) -> list[str]:
        suspect = self._suspect(env)
        ours = [change for change in suspect if self._is_written_here(change)]
        for change in ours:
            if change.old is None:
                (self.root / change.path).unlink(missing_ok=True)
                remove_empty_above(self.root, change.path)
        for change in ours:  # no directory that holds no file may be in the way
            for folder, _, _ in os.walk(self.root / change.path, topdown=False):
                with suppress(OSError):
                    Path(folder).rmdir()
        lost = [change.path for change in ours if change.old is not None]
        back = [path for path in lost if not (self.root / path).is_dir()]
        args = ("checkout-index", "-q", "-f", "-u", "-z", "--stdin")
        names = os.fsencode("".join(path + "\0" for path in back))
        self.repository.git(*args, stdin=names, env=env, check=False, own_session=True)
        kept = {change.path for change in suspect} - {change.path for change in ours}
        return sorted(kept | (set(lost) - set(back)))

    def _suspect(self, env: Environment) -> list[TreeChange]:
        """The changes at whose paths the work tree differs from the index."""
        self.repository.git("update-index", "-q", "--refresh", env=env, check=False)
        listed = self.repository.git("diff-files", "--name-only", "--no-renames", "-z", env=env)
        differing = set(listed.words)
        return [
            each
            for each in self.changed
            if each.path in differing or (each.old is None and self._stands(each.path))
        ]

    def _stands(self, path: str) -> bool:
        """Whether there is a file at a path, reached through directories alone."""
        return self._obstacle(path) == path and not (self.root / path).is_dir()

    def _is_written_here(self, change: TreeChange) -> bool:
        """Whether an interrupted landing explains what is at a path: nothing, or the new file."""
        obstacle, place = self._obstacle(change.path), self.root / change.path
        if obstacle is None:
            return True
        if obstacle != change.path or place.is_symlink():
            return False
        if place.is_dir():
            return change.old is not None
        if change.new is None or change.new.mode == SYMLINK:
            return False
        return self._show(change.path, change.new).startswith(place.read_bytes())

    def _show(self, path: str, entry: TreeEntry) -> bytes:
        """What git writes into the work tree."""
        args = ("cat-file", "--filters", f"--path={path}", entry.id)
        shown = self.repository.git(*args, check=False)
        return shown.stdout if shown.code == 0 else self.repository.blob(entry.id)

    def find_plain(self) -> Found:
        """Find the files of the work tree that can be replaced one by one, each as it is now.

        Asked before it is tried whether they are as git knows them; so what is found here is.
        """
        is_sparse = self.repository.is_on("core.sparseCheckout")
        files = DirectorySnapshot(self.root)
        found: dict[str, File | None] = {}
        for change in _independent(self.changed):
            try:
                file = files.get(change.path)
            except InvalidInput:
                continue
            is_there = change.old is not None and file is not None and file.mode in _PLAIN
            if is_there or (change.old is None and file is None and not is_sparse):
                found[change.path] = file
        return found

    def follow(self, index: LockedIndex, prefix: str, found: Found) -> None:
        """Update the work tree and a copy of the index to `new`.

        New bytes are made in a directory whose name begins with `prefix`. Raises Stale where
        somebody has saved a file since it was found; then the files are as they were.
        """
        plain = _drop_attributed([change for change in self.changed if change.path in found])
        if plain:
            self._stage(plain, index.env)
            write_files(self.root, self._make_files(plain, prefix, index.env), found)
        if len(plain) < len(self.changed):  # else the index says already what it would
            self.read_tree(index.env)
        if plain:
            self.repository.git("update-index", "-q", "--refresh", env=index.env, check=False)

    def _stage(self, plain: Sequence[TreeChange], env: Environment) -> None:
        """Set the changed paths of an index; read-tree leaves alone what is as it should be."""
        gone = "0" * len(self.repository.empty_tree)
        entries = ((each.path, each.new) for each in plain)
        lines = (
            f"0 {gone}\t{path}\0" if entry is None else f"{entry.mode:o} {entry.id}\t{path}\0"
            for path, entry in entries
        )
        data = b"".join(map(encode_text, lines))
        self.repository.git("update-index", "-z", "--index-info", stdin=data, env=env)

    def _make_files(
        self, plain: Sequence[TreeChange], prefix: str, env: Environment
    ) -> dict[str, File | None]:
        """Let git write the new blobs as files, with filters and line ends."""
        files: dict[str, File | None] = {change.path: None for change in plain}
        wanted = {change.path: change.new.mode for change in plain if change.new is not None}
        names = b"".join(encode_text(path) + b"\0" for path in wanted)
        args = ("checkout-index", "-q", "-f", "-z", "--stdin")
        try:
            folder = make_directory(prefix)
            try:
                place = f"--prefix={folder}/"
                self.repository.git(*args, place, stdin=names, env=env, own_session=True)
                for path, mode in wanted.items():
                    files[path] = File((folder / path).read_bytes(), mode)
            finally:
                remove_directory(folder)
        except OSError as error:
            raise GitRefused("checkout", f"could not be written: {error.strerror}") from error
        return files

    def clear_beside(self) -> None:
        """Remove temporary files of an interrupted landing; keep what somebody saved."""
        for folder in {(self.root / change.path).parent for change in self.changed}:
            ours = [each for each in self.changed if (self.root / each.path).parent == folder]
            clear_away(folder, partial(self._list_contents, ours))

    def _list_contents(self, changed: Sequence[TreeChange]) -> Iterator[bytes]:
        """Yield what git writes into the work tree for files before and after a change."""
        for change in changed:
            for entry in (change.old, change.new):
                if entry is not None and entry.mode != SUBMODULE:
                    yield self._show(change.path, entry)


def _independent(changed: Sequence[TreeChange]) -> list[TreeChange]:
    """Changes of plain files, none of which is where another needs a directory."""
    above = {str(parent) for change in changed for parent in PurePosixPath(change.path).parents}
    names = {change.path for change in changed}
    return [
        change
        for change in changed
        if all(entry is None or entry.mode in _PLAIN for entry in (change.old, change.new))
        and change.path not in above
        and not any(str(parent) in names for parent in PurePosixPath(change.path).parents)
    ]


def _drop_attributed(plain: Sequence[TreeChange]) -> list[TreeChange]:
    """Drop the files of which a changed file of attributes speaks: git would make them by the old
    ones."""
    changed = (change.path for change in plain if change.path.endswith(_ATTRIBUTES))
    folders = {PurePosixPath(path).parent for path in changed}
    return [each for each in plain if folders.isdisjoint(PurePosixPath(each.path).parents)]
