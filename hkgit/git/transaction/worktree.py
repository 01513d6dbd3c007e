"""The temporary worktree, and the commit that git makes in it.

So author, committer, signature and hooks are what `git commit` would make of them. The worktree
is sparse through its own `info/sparse-checkout` and the options of single commands: the
configuration of the repository is not touched. `tempfile` and `shutil` take four tenths of a start
of the interpreter, so they are asked only where something is out of the ordinary.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from hkgit.errors import GitRefused
from hkgit.git.facts import ALLOW_BLIND, TRANSACTION, scrub_environment
from hkgit.git.layout import HEX
from hkgit.git.program import Git
from hkgit.git.repository import Repository
from hkgit.git.state_files import find_files
from hkgit.git.transaction.locks import stoppable, unstoppable
from hkgit.text.paths import quote_path
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
    for folder, below, files in os.walk(path, topdown=False):
        for place in (Path(folder, name) for name in (*files, *below)):
            is_folder = place.is_dir() and not place.is_symlink()
            with suppress(OSError):
                place.rmdir() if is_folder else place.unlink()
    with suppress(OSError):
        path.rmdir()
    if not os.path.lexists(path):
        return
    import shutil

    for folder, below, files in os.walk(path):
        for name in below + files:
            with suppress(OSError):
                Path(folder, name).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


HOOK_CONFIGURATION = (".gitattributes", ".pre-commit-config.yaml", ".pre-commit-config.yml")
PLAIN = (
    *("-c", "index.sparse=false"),
    *("-c", "core.sparseCheckoutCone=false"),
    *("-c", "submodule.recurse=false"),
)
"""A worktree has files, chosen one by one, whatever the repository does in its own."""

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

    @property
    def git(self) -> Git:
        """The git program in it."""
        return Git(self.path)


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
    worktree.git("update-ref", "--no-deref", "HEAD", worktree.parent)
    worktree.git(*PLAIN, "read-tree", "--reset", "-u", worktree.tree)
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
        args = ("worktree", "add", "-q", "--no-checkout", "--detach", str(path), commit_id)
        repository.retry_git(*args, undo=partial(_forget, repository, path))
        # git chooses the name, so what it wrote down is read back.
        yield _git_dir(path)
    finally:
        with unstoppable():
            _forget(repository, path)


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
        paths = (*touched, *HOOK_CONFIGURATION)
        patterns = "".join(f"/{path.translate(_ESCAPED)}\n" for path in paths)
        try:
            (git_dir / "info").mkdir(exist_ok=True)
            (git_dir / "info" / "sparse-checkout").write_bytes(os.fsencode(patterns))
        except OSError as error:
            raise _unwritable(error) from error
    sparse = ("-c", f"core.sparseCheckout={'false' if touched is None else 'true'}")
    Git(path)(*sparse, *PLAIN, "read-tree", "-m", "-u", tree_id)


def _unwritable(error: OSError) -> GitRefused:
    fix = "Free some space for temporary files (TMPDIR), then try again; nothing was landed."
    return GitRefused("temporary worktree", f"could not be made: {error.strerror}", fix)


_STANDARD_ERROR = 2
_HEARD_BYTES = 16_384  # Of what a command prints, the end that is handed on

_SHOWN_LINES = 60  # Of the changes that a hook made, in a refusal

_HOOK_ENVIRONMENT = {TRANSACTION: "1", "LANGUAGE": "C", "GIT_OPTIONAL_LOCKS": None}
"""Hooks work in the user's locale and may lock; hkgit's own know that this commit is judged."""


class HookChanged(GitRefused):
    """A hook changed what was to be committed: to the tree that it left."""

    def __init__(self, refusal: GitRefused, tree: str) -> None:
        super().__init__(refusal.where, refusal.what, refusal.fix)
        self.tree = tree


def commit_worktree(
    repository: Repository,
    worktree: Worktree,
    message: bytes,
    merged: str | None = None,
    *,
    allow_blind: bool = False,
    runs_hooks: bool = True,
) -> str:
    """Let git commit the worktree's index, and give the id of the commit.

    `merged` becomes its second parent: hooks see a merge whose conflicts are resolved. Raises
    HookChanged when a hook changed what was to be committed, else GitRefused with the words of git
    or of the hook that was in the way.
    """
    if merged is not None:
        (worktree.git_dir / "MERGE_HEAD").write_text(f"{merged}\n")
    try:
        hooks = repository.hooks_path if runs_hooks else os.devnull
        commit = repository.commit(_commit(worktree, message, hooks, allow_blind))
    except GitRefused as refusal:
        # So a formatter that checks: it fixes the file, stages nothing, and says no.
        tree = worktree.tree
        if worktree.is_full:
            worktree.git("add", "-u", check=False)
            tree = worktree.git("write-tree", check=False).text or tree
        if tree == worktree.tree:
            raise
        raise _refuse_hook_changes(repository, worktree, tree, words=refusal.what) from refusal
    if commit.parents != (worktree.parent, *([] if merged is None else [merged])):
        fix = "Let the hook only check, or run it on the files before the edits are made."
        raise GitRefused("git commit", "a hook made its own commits", fix)
    if commit.tree != worktree.tree:
        raise _refuse_hook_changes(repository, worktree, commit.tree)
    return commit.id


def _commit(worktree: Worktree, message: bytes, hooks: Path | str | None, allow_blind: bool) -> str:
    options = ["-c", "maintenance.auto=false", "-c", "i18n.commitEncoding=UTF-8", *PLAIN]
    if hooks is not None:
        # git would look for a relative path in the worktree, where a spec may have changed it.
        options += ["-c", f"core.hooksPath={hooks}"]
    worktree.git(
        *(*options, "commit", "-q", "--cleanup=verbatim", "-F", "-"),
        stdin=message,
        env=_HOOK_ENVIRONMENT
        | ({TRANSACTION: ALLOW_BLIND} if allow_blind else {})
        | {"LC_ALL": os.environ.get("LC_ALL")},
    )
    head = (worktree.git_dir / "HEAD").read_text().strip()
    # Where refs are not files, this one says nothing.
    return head if re.fullmatch(HEX, head) else worktree.git("rev-parse", "HEAD").text


def _refuse_hook_changes(
    repository: Repository, worktree: Worktree, tree: str, words: str = ""
) -> HookChanged:
    """The refusal of what a hook changed, which shows the change."""
    named = ", ".join(quote_path(change.path) for change in repository.changes(worktree.tree, tree))
    options = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--text", "-U3")
    diff = repository.git("diff", *options, "--full-index", worktree.tree, tree, "--").stdout
    lines = diff.decode("utf-8", "replace").splitlines()
    shown = [*lines[:_SHOWN_LINES], *(["..."] if len(lines) > _SHOWN_LINES else [])]
    what = "\n".join([f"a hook changed what was to be committed: {named}", *shown])
    fix = "Land with --accept-hook-changes to commit and record that, or let the hook only check."
    return HookChanged(GitRefused("git commit", (words and f"{words}\n{what}") or what, fix), tree)


def run_and_hear(command: str, directory: Path) -> tuple[int, str]:
    """Run a command as `run_command` does, and give the end of what it prints as well.

    A file keeps that: a pipe would wait for whatever the command leaves running.
    """
    import tempfile  # few landings are verified
    from shutil import copyfileobj

    with tempfile.TemporaryFile() as printed:
        code = run_command(command, directory, printed)
        size = printed.seek(0, os.SEEK_END)
        printed.seek(0)
        with suppress(OSError), open(_STANDARD_ERROR, "wb", closefd=False) as shown:
            copyfileobj(printed, shown)
        printed.seek(max(0, size - _HEARD_BYTES))
        return code, printed.read(_HEARD_BYTES).decode("utf-8", "replace")


def run_command(command: str, directory: Path, printed: IO[bytes] | None = None) -> int:
    """Run a command of the user's shell in a directory and give its exit code.

    What it prints goes to a file, or else to standard error: standard output is for hkgit's
    answer.
    """
    process = None
    try:
        # A signal between the start of the command and the knowledge of it would lose it.
        with unstoppable():
            process = subprocess.Popen(
                command,
                shell=True,
                cwd=directory,
                env=scrub_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=_STANDARD_ERROR if printed is None else printed,
                stderr=printed,
                close_fds=False,  # it keeps the locks that this process holds (see `locks`)
            )
        code = process.wait()
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
    return code if code >= 0 else 128 - code
