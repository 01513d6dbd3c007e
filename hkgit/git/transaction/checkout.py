"""The checkout follows its branch.

git-read-tree(1) looks at all files first and writes them afterwards; what is saved in between it
removes. So plain files change places with the new ones, which git has made elsewhere, and what
was taken away is looked at (see `replacing`). The rest (links, submodules, files that become
directories) is left to read-tree, and so is everything where the attributes change with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from hkgit.applying.files import DirectorySnapshot, clear_away, remove_empty_above, write_files
from hkgit.edits import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, File, encode_text
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.attributes import writes_as_stored
from hkgit.git.objects import TreeChange, TreeEntry
from hkgit.git.repository import Repository
from hkgit.git.transaction.index import LockedIndex

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
    """Find the untracked files, ignored ones too, that are where files are to be added.

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


Found = Mapping[str, File | None]
"""Plain files of a checkout that are to change, as they were found."""

_ATTRIBUTES = ".gitattributes"
_PLAIN = (EXECUTABLE, REGULAR)
_FEW = 100
"""How many paths a command line takes anywhere."""


def find_plain(repository: Repository, changed: Sequence[TreeChange]) -> Found:
    """Find the files of the work tree that can be replaced one by one, each as it is now.

    Asked before it is tried whether they are as git knows them; so what is found here is.
    """
    assert repository.work_tree is not None
    is_sparse = repository.config("core.sparseCheckout") == "true"
    files = DirectorySnapshot(repository.work_tree)
    found: dict[str, File | None] = {}
    for change in _independent(changed):
        try:
            file = files.get(change.path)
        except InvalidInput:
            continue
        is_there = change.old is not None and file is not None and file.mode in _PLAIN
        if is_there or (change.old is None and file is None and not is_sparse):
            found[change.path] = file
    return found


def _independent(changed: Sequence[TreeChange]) -> list[TreeChange]:
    """Changes of plain files, none of which is where another needs a directory."""
    above = {str(parent) for change in changed for parent in PurePosixPath(change.path).parents}
    names = {change.path for change in changed}
    return [
        change
        for change in changed
        if all(_is_plain(entry) for entry in (change.old, change.new))
        and change.path not in above
        and not any(str(parent) in names for parent in PurePosixPath(change.path).parents)
    ]


def _drop_attributed(plain: Sequence[TreeChange]) -> list[TreeChange]:
    """Drop the files of which a changed file of attributes speaks: git would make them by the old
    ones."""
    changed = (change.path for change in plain if change.path.endswith(_ATTRIBUTES))
    folders = {PurePosixPath(path).parent for path in changed}
    return [each for each in plain if folders.isdisjoint(PurePosixPath(each.path).parents)]


def _is_plain(entry: TreeEntry | None) -> bool:
    return entry is None or entry.mode in _PLAIN


def follow(
    repository: Repository,
    index: LockedIndex,
    temporary: str,
    old: str | None,
    new: str,
    changed: Sequence[TreeChange],
    found: Found,
) -> None:
    """Update the work tree and a copy of the index to the commit `new`.

    New bytes are made in a directory whose name begins with `temporary`. Raises Stale where
    somebody has saved a file since it was found, and GitRefused; then the files are as they were.
    """
    assert repository.work_tree is not None
    plain = [change for change in changed if change.path in found]
    stored = {change.path: change.new for change in plain if change.new is not None}
    if len(stored) == len(changed) <= _FEW and writes_as_stored(repository, new, stored):
        _write_as_stored(repository, index.env, stored, found)
        return
    plain = _drop_attributed(plain)
    if plain:
        _stage(repository, plain, index.env)
        files = _make_files(repository, plain, temporary, index.env)
        write_files(repository.work_tree, files, found)
    if len(plain) < len(changed):  # else the index says already what it would
        read_tree(repository, old, new, index.env)
    if plain:
        repository.git("update-index", "-q", "--refresh", env=index.env, check=False)


def _write_as_stored(
    repository: Repository, env: Environment, entries: Mapping[str, TreeEntry], found: Found
) -> None:
    """Write blobs that need no conversion; one process tells the index and looks at the files."""
    assert repository.work_tree is not None
    files = {path: File(repository.blob(new.id), new.mode) for path, new in entries.items()}
    write_files(repository.work_tree, files, found)
    infos = (f"{new.mode:o},{new.id},{path}" for path, new in entries.items())
    args = [word for info in infos for word in ("--cacheinfo", info)]
    repository.git("update-index", "-q", "--add", *args, "--refresh", env=env)


def _stage(repository: Repository, plain: Sequence[TreeChange], env: Environment) -> None:
    """Set the changed paths of an index; read-tree leaves alone what is as it should be."""
    gone = "0" * len(repository.empty_tree)
    entries = ((each.path, each.new) for each in plain)
    lines = (
        f"0 {gone}\t{path}\0" if entry is None else f"{entry.mode:o} {entry.id}\t{path}\0"
        for path, entry in entries
    )
    data = b"".join(map(encode_text, lines))
    repository.git("update-index", "-z", "--index-info", stdin=data, env=env)


def _make_files(
    repository: Repository, plain: Sequence[TreeChange], temporary: str, env: Environment
) -> dict[str, File | None]:
    """Let git write the new blobs as files, with filters and line ends."""
    import tempfile  # most checkouts convert nothing

    files: dict[str, File | None] = {change.path: None for change in plain}
    wanted = {change.path: change.new.mode for change in plain if change.new is not None}
    names = b"".join(encode_text(path) + b"\0" for path in wanted)
    args = ("checkout-index", "-q", "-f", "-z", "--stdin")
    try:
        with tempfile.TemporaryDirectory(prefix=temporary) as folder:
            prefix = f"--prefix={folder}/"
            repository.git(*args, prefix, stdin=names, env=env, own_session=True)
            for path, mode in wanted.items():
                files[path] = File(Path(folder, path).read_bytes(), mode)
    except OSError as error:
        raise GitRefused("checkout", f"could not be written: {error.strerror}") from error
    return files


def clear_beside(repository: Repository, changed: Sequence[TreeChange]) -> list[Path]:
    """Remove temporary files of an interrupted landing; keep what somebody saved."""
    root = repository.work_tree
    if root is None:
        return []
    kept = []
    for folder in {(root / change.path).parent for change in changed}:
        ours = [change for change in changed if (root / change.path).parent == folder]
        kept += clear_away(folder, partial(blobs_of, repository, ours))
    return kept
