"""The temporary worktree.

It is sparse through its own `info/sparse-checkout` and the options of single commands: the
configuration of the repository is not touched. `tempfile` and `shutil` take four tenths of a start
of the interpreter, so they are asked only where something is out of the ordinary.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.program import run
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.git.transaction.locks import stoppable, unstoppable
from hkgit.values import dataclass, replace

_NAMED_BY = ("TMPDIR", "TEMP", "TMP")
_USUAL = "/tmp"


def temporary_root() -> Path:
    """Find where temporary files go: the directory that `tempfile.gettempdir` finds."""
    named = [os.environ[name] for name in _NAMED_BY if os.environ.get(name)]
    for folder in map(Path, (*named, _USUAL)):
        if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return folder.resolve()
    import tempfile

    return Path(tempfile.gettempdir()).resolve()


def make_directory(prefix: str) -> Path:
    """Make a directory of one's own with a name that nobody can guess. Raises OSError."""
    path = temporary_root() / f"{prefix}{os.urandom(6).hex()}"
    path.mkdir(mode=0o700)
    return path


def remove_directory(path: Path) -> None:
    """Delete a directory, also where a command left what cannot be written."""
    _unlink_below(path)
    if os.path.lexists(path):
        _remove_stubborn(path)


def _unlink_below(path: Path) -> None:
    for folder, below, files in os.walk(path, topdown=False):
        for place in (Path(folder, name) for name in (*files, *below)):
            is_folder = place.is_dir() and not place.is_symlink()
            with suppress(OSError):
                place.rmdir() if is_folder else place.unlink()
    with suppress(OSError):
        path.rmdir()


def _remove_stubborn(path: Path) -> None:
    import shutil

    for directory, below, files in os.walk(path):
        for name in below + files:
            with suppress(OSError):
                Path(directory, name).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


HOOK_CONFIGURATION = (".gitattributes", ".pre-commit-config.yaml", ".pre-commit-config.yml")
PLAIN = (
    *("-c", "index.sparse=false"),
    *("-c", "core.sparseCheckoutCone=false"),
    *("-c", "submodule.recurse=false"),
)
"""A worktree has files, chosen one by one, whatever the repository does in its own."""

_PAUSES = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait for another git that is adding a worktree too."""


_ESCAPED = {ord(each): f"\\{each}" for each in "\\*?[ "}
"""What means something else in gitignore(5)."""


@dataclass(frozen=True)
class Worktree:
    """A linked worktree whose index is the tree to be committed on `parent`.

    With `is_full` all of its files are checked out, else those alone that the tree changes.
    """

    path: Path
    git_dir: Path
    parent: str
    tree: str
    is_full: bool


@contextmanager
def temporary_worktree(
    repository: Repository,
    commit_id: str,
    tree_id: str,
    touched_paths: Iterable[str],
    *,
    full: bool,
    prefix: str = "hkgit-",
) -> Iterator[Worktree]:
    """Make a detached worktree at a commit, with the tree in its index.

    Its name begins with `prefix`. Only the touched files are checked out, or with `full` all.
    Whatever happens, SIGTERM too, it is gone afterwards. Raises GitRefused.
    """
    with (
        stoppable(),
        _empty_directory(prefix) as path,
        _register(repository, path, commit_id) as git_dir,
    ):
        _check_out(path, git_dir, tree_id, None if full else touched_paths)
        yield Worktree(path=path, git_dir=git_dir, parent=commit_id, tree=tree_id, is_full=full)


def advance(
    worktree: Worktree, commit_id: str, tree_id: str, touched_paths: Iterable[str]
) -> Worktree:
    """Move a worktree on to the next commit of a series, which is made on the one before."""
    paths = None if worktree.is_full else touched_paths
    _check_out(worktree.path, worktree.git_dir, tree_id, paths)
    return replace(worktree, parent=commit_id, tree=tree_id)


def reset(worktree: Worktree, tree_id: str, touched_paths: Iterable[str]) -> Worktree:
    """Reset a worktree for another try on the same parent, whatever hooks have done in it."""
    run(["update-ref", "--no-deref", "HEAD", worktree.parent], cwd=worktree.path)
    run([*PLAIN, "read-tree", "--reset", "-u", worktree.tree], cwd=worktree.path)
    return advance(worktree, worktree.parent, tree_id, touched_paths)


def forget_worktrees(repository: Repository, directory: Path, prefix: str) -> None:
    """Take away what a killed process left of its worktrees. Raises GitRefused if that fails."""
    listed = repository.common_dir / "worktrees"
    left = [*find_files(directory, f"{prefix}*"), *find_files(listed, f"{prefix}*")]
    for path in left:
        remove_directory(path)
        if os.path.lexists(path):
            raise GitRefused(str(path), "could not be removed", "Remove it.")
    if left:
        with suppress(OSError):
            listed.rmdir()


@contextmanager
def _empty_directory(prefix: str) -> Iterator[Path]:
    try:
        path = make_directory(prefix)
    except OSError as error:
        raise _unwritable(error) from error
    try:
        yield path
    finally:
        with unstoppable():
            remove_directory(path)


@contextmanager
def _register(repository: Repository, path: Path, commit_id: str) -> Iterator[Path]:
    """Make the directory a worktree; afterwards git's list of them is as it was."""
    try:
        _add(repository, path, commit_id)
        # git chooses the name, so what it wrote down is read back.
        yield _git_dir(path)
    finally:
        with unstoppable():
            _forget(repository, path)


def _add(repository: Repository, path: Path, commit_id: str) -> None:
    """Let git add the worktree; again where it met one that another git was just writing down."""
    args = ("worktree", "add", "-q", "--no-checkout", "--detach", str(path), commit_id)
    for pause in _PAUSES:
        try:
            repository.git(*args)
            return
        except GitRefused as refusal:
            if "worktrees/" not in refusal.what:
                raise
            _forget(repository, path)
            time.sleep(pause)
    repository.git(*args)


def _forget(repository: Repository, path: Path) -> None:
    """Take the worktree off git's list, also when git was stopped while it was adding it."""
    listed = repository.common_dir / "worktrees"
    with suppress(OSError):
        remove_directory(_git_dir(path))
    remove_directory(listed / path.name)
    with suppress(OSError):
        listed.rmdir()


def _git_dir(path: Path) -> Path:
    return Path(os.fsdecode((path / ".git").read_bytes()).removeprefix("gitdir: ").rstrip("\n"))


def _check_out(path: Path, git_dir: Path, tree_id: str, touched: Iterable[str] | None) -> None:
    """Fill the index and, of the files, all or the touched ones: one git process."""
    if touched is not None:
        patterns = "".join(map(_pattern, [*touched, *HOOK_CONFIGURATION]))
        try:
            (git_dir / "info").mkdir(exist_ok=True)
            (git_dir / "info" / "sparse-checkout").write_bytes(os.fsencode(patterns))
        except OSError as error:
            raise _unwritable(error) from error
    sparse = ("-c", f"core.sparseCheckout={'false' if touched is None else 'true'}")
    run([*sparse, *PLAIN, "read-tree", "-m", "-u", tree_id], cwd=path)


def _unwritable(error: OSError) -> GitRefused:
    fix = "Free some space for temporary files (TMPDIR), then try again; nothing was landed."
    return GitRefused("temporary worktree", f"could not be made: {error.strerror}", fix)


def _pattern(path: str) -> str:
    """The line of gitignore(5) that represents exactly this file."""
    return "/" + path.translate(_ESCAPED) + "\n"
