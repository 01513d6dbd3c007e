"""checkout.py: compare and update the files of a work tree where two commits differ."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.applying.files.replace import remove_empty_above
from hkgit.edits import SUBMODULE, SYMLINK
from hkgit.errors import GitRefused
from hkgit.git.objects.trees import TreeChange, TreeEntry
from hkgit.git.repository import Repository

Environment = Mapping[str, str | None]


def list_changes(repository: Repository, old: str | None, new: str) -> tuple[TreeChange, ...]:
    """List every path in which two commits or trees differ; `old` is None for no files at all."""
    before = repository.snapshot(old).tree_id if old is not None else None
    return repository.changes(before, repository.snapshot(new).tree_id)


def read_tree(
    repository: Repository, old: str | None, new: str, env: Environment, *options: str
) -> None:
    """Run read-tree in a process group of its own, so that Ctrl-C does not reach it."""
    plain = ("-c", "submodule.recurse=false")
    args = ("read-tree", "-m", "-u", *options, old or repository.empty_tree, new)
    repository.git(*plain, *args, env=env, own_session=True)


def find_untracked(repository: Repository, paths: Iterable[str], env: Environment) -> set[str]:
    """Find the untracked files, ignored ones too, that stand where files are to be added.

    git keeps the others from harm, but takes ignored files for expendable.
    """
    assert repository.work_tree is not None
    obstacles = {found for path in paths if (found := _obstacle(repository.work_tree, path))}
    if not obstacles:
        return set()
    args = ("--literal-pathspecs", "ls-files", "-z", "--others", "--", *obstacles)
    return set(os.fsdecode(repository.git(*args, env=env).stdout).split("\0")) - {""}


def is_hidden(repository: Repository, path: str) -> bool:
    """Whether a file or link is where a directory above a file should be."""
    assert repository.work_tree is not None
    return _obstacle(repository.work_tree, path) not in (None, path)


def _obstacle(work_tree: Path, path: str) -> str | None:
    """What is in the way of a new file: a file at its path, or one in place of a directory."""
    names = path.split("/")
    for depth in range(1, len(names)):
        above = work_tree.joinpath(*names[:depth])
        if above.is_symlink() or not above.is_dir():
            return "/".join(names[:depth]) if os.path.lexists(above) else None
    return path if os.path.lexists(work_tree / path) else None


def find_unstaged(
    repository: Repository, tree: str, changed: Sequence[TreeChange]
) -> frozenset[str]:
    """List those of the paths at which the index differs from a commit or tree."""
    args = ("diff-index", "--cached", "--name-only", "--no-renames", "-z", tree, "--")
    differing = os.fsdecode(repository.git(*args).stdout).split("\0")
    return frozenset(differing) & {change.path for change in changed}


def restore(repository: Repository, changed: Sequence[TreeChange], env: Environment) -> list[str]:
    """Restore files that a landing began to write to the content in the index.

    Done only where nothing is lost: where a file is gone, or holds the new content or the first
    part of it. The paths of all others that differ are given back: they are somebody's. Raises
    GitRefused.
    """
    assert repository.work_tree is not None
    try:
        return _restore(repository, repository.work_tree, changed, env)
    except OSError as error:
        raise GitRefused(str(error.filename), f"could not be restored: {error.strerror}") from error


def _restore(
    repository: Repository, root: Path, changed: Sequence[TreeChange], env: Environment
) -> list[str]:
    suspect = _suspect(repository, root, changed, env)
    ours = [change for change in suspect if _is_written_here(repository, root, change)]
    for change in ours:
        if change.old is None:
            (root / change.path).unlink(missing_ok=True)
            remove_empty_above(root, change.path)
    for change in ours:
        _remove_empty(root / change.path)
    lost = [change.path for change in ours if change.old is not None]
    back = [path for path in lost if not (root / path).is_dir()]
    args = ("checkout-index", "-q", "-f", "-u", "-z", "--stdin")
    names = os.fsencode("".join(path + "\0" for path in back))
    repository.git(*args, stdin=names, env=env, check=False, own_session=True)
    kept = {change.path for change in suspect} - {change.path for change in ours}
    return sorted(kept | (set(lost) - set(back)))


def _suspect(
    repository: Repository, root: Path, changed: Sequence[TreeChange], env: Environment
) -> list[TreeChange]:
    """The changes at whose paths the work tree differs from the index."""
    repository.git("update-index", "-q", "--refresh", env=env, check=False)
    listed = repository.git("diff-files", "--name-only", "--no-renames", "-z", env=env)
    differing = set(os.fsdecode(listed.stdout).split("\0"))
    added = {each.path for each in changed if each.old is None and _stands(root, each.path)}
    return [each for each in changed if each.path in differing | added]


def _stands(root: Path, path: str) -> bool:
    """Whether there is a file at a path, reached through directories alone."""
    return _obstacle(root, path) == path and not (root / path).is_dir()


def _is_written_here(repository: Repository, root: Path, change: TreeChange) -> bool:
    """Whether an interrupted landing explains what is at a path: nothing, or the new file."""
    obstacle, place = _obstacle(root, change.path), root / change.path
    if obstacle is None:
        return True
    if obstacle != change.path or place.is_symlink():
        return False
    if place.is_dir():
        return change.old is not None
    if change.new is None or change.new.mode == SYMLINK:
        return False
    return _write(repository, change.path, change.new).startswith(place.read_bytes())


def blobs_of(repository: Repository, changed: Iterable[TreeChange]) -> Iterator[bytes]:
    """Yield what git writes into the work tree for files before and after a change."""
    for change in changed:
        for entry in (change.old, change.new):
            if entry is not None and entry.mode != SUBMODULE:
                yield _write(repository, change.path, entry)


def _write(repository: Repository, path: str, entry: TreeEntry) -> bytes:
    shown = repository.git("cat-file", "--filters", f"--path={path}", entry.id, check=False)
    return shown.stdout if shown.code == 0 else repository.blob(entry.id)


def _remove_empty(place: Path) -> None:
    """Take away a directory that holds no file."""
    for folder, _, _ in os.walk(place, topdown=False):
        with suppress(OSError):
            Path(folder).rmdir()
