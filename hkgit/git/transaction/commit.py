"""Let git make a commit in a temporary worktree.

So author, committer, signature and hooks are what `git commit` would make of them.
"""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO

from hkgit.errors import GitRefused
from hkgit.git.facts import ALLOW_BLIND, TRANSACTION, scrub_environment
from hkgit.git.objects import FULL_ID
from hkgit.git.program import run
from hkgit.git.repository import Repository
from hkgit.git.transaction.locks import unstoppable
from hkgit.git.transaction.worktree import PLAIN, Worktree
from hkgit.text.paths import quote_path

_STANDARD_ERROR = 2
_HEARD_BYTES = 16_384
"""Of what a command prints, the end that is handed on."""

_SHOWN_LINES = 60
"""Of the changes that a hook made, in a refusal."""

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
        tree = _read_left_tree(worktree) if worktree.is_full else worktree.tree
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
    run(
        [*options, "commit", "-q", "--cleanup=verbatim", "-F", "-"],
        cwd=worktree.path,
        stdin=message,
        env=_HOOK_ENVIRONMENT
        | ({TRANSACTION: ALLOW_BLIND} if allow_blind else {})
        | {"LC_ALL": os.environ.get("LC_ALL")},
    )
    head = (worktree.git_dir / "HEAD").read_text().strip()
    # Where refs are not files, this one says nothing.
    return (
        head if re.fullmatch(FULL_ID, head) else run(["rev-parse", "HEAD"], cwd=worktree.path).text
    )


def _read_left_tree(worktree: Worktree) -> str:
    """Read the tree of the worktree with the changes of a hook that then failed."""
    run(["add", "-u"], cwd=worktree.path, check=False)
    return run(["write-tree"], cwd=worktree.path, check=False).text or worktree.tree


def _refuse_hook_changes(
    repository: Repository, worktree: Worktree, tree: str, words: str = ""
) -> HookChanged:
    """The refusal of what a hook changed, which shows the change."""
    named = ", ".join(quote_path(change.path) for change in repository.changes(worktree.tree, tree))
    lines = compute_diff(repository, worktree.tree, tree).decode("utf-8", "replace").splitlines()
    shown = [*lines[:_SHOWN_LINES], *(["..."] if len(lines) > _SHOWN_LINES else [])]
    what = "\n".join([f"a hook changed what was to be committed: {named}", *shown])
    fix = "Land with --accept-hook-changes to commit and record that, or let the hook only check."
    return HookChanged(GitRefused("git commit", (words and f"{words}\n{what}") or what, fix), tree)


def compute_diff(repository: Repository, old: str, new: str) -> bytes:
    """Compute the diff between two trees as git writes it; every file as text, no renames."""
    options = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--text")
    return repository.git("diff", *options, "--full-index", "-U3", old, new, "--").stdout


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
