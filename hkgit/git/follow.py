"""follow.py: update a checkout to a commit, without overwriting what somebody saves meanwhile.

git-read-tree(1) looks at all files first and writes them afterwards; what is saved in between it
removes. So plain files change places with the new ones, which git has made elsewhere, and what
was taken away is looked at (see `replacing`). The rest (links, submodules, files that become
directories) is left to read-tree, and so is everything where the attributes change with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from hkgit.applying.files.directory import DirectorySnapshot, write_files
from hkgit.applying.files.replace import clear_away
from hkgit.edits import EXECUTABLE, REGULAR, File, encode_text
from hkgit.errors import GitRefused, InvalidInput
from hkgit.git.conversion import writes_as_stored
from hkgit.git.objects.trees import TreeChange, TreeEntry
from hkgit.git.repository import Repository
from hkgit.git.transactions.checkout import Environment, blobs_of, read_tree
from hkgit.git.transactions.index import LockedIndex

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
    """Changes of plain files, none of which stands where another needs a directory."""
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
