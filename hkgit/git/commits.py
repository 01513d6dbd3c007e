"""commits.py: the commit, made by git itself in a temporary worktree.

So author, committer, signature and hooks are what `git commit` would make of them.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git import hooks
from hkgit.git.objects import Commit
from hkgit.git.program import run, scrubbed
from hkgit.git.repository import Repository
from hkgit.git.signals import unstoppable
from hkgit.git.worktree import PLAIN, Worktree
from hkgit.paths import quote_path

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
"""The hooks that `git commit` runs."""

_STANDARD_ERROR = 2
_HOOK_ENVIRONMENT = {"HKGIT_TRANSACTION": "1", "LANGUAGE": "C", "GIT_OPTIONAL_LOCKS": None}
"""Hooks work in the user's locale and may lock; hkgit's own know that this commit is judged."""


def commit_worktree(repository: Repository, worktree: Worktree, message: bytes) -> str:
    """Let git commit the worktree's index, and give the id of the commit.

    Raises GitRefused with the words of git or of the hook that stood in the way, and when a hook
    changed what was to be committed.
    """
    options = ["-c", "maintenance.auto=false", "-c", "i18n.commitEncoding=UTF-8", *PLAIN]
    if repository.hooks_path is not None:
        # git would look for a relative path in the worktree, where a spec may have changed it.
        options += ["-c", f"core.hooksPath={repository.hooks_path}"]
    run(
        [*options, "commit", "-q", "--cleanup=verbatim", "-F", "-"],
        cwd=worktree.path,
        stdin=message,
        env=_HOOK_ENVIRONMENT | {"LC_ALL": os.environ.get("LC_ALL")},
    )
    made = repository.commit((worktree.git_dir / "HEAD").read_text().strip())
    _expect_as_planned(repository, worktree, made)
    return made.id


def _expect_as_planned(repository: Repository, worktree: Worktree, made: Commit) -> None:
    fix = "Let the hook only check, or run it on the files before the edits are made."
    if made.parents != (worktree.parent,):
        raise GitRefused("git commit", "a hook made commits of its own", fix)
    changed = [change.path for change in repository.changes(worktree.tree, made.tree)]
    if changed:
        named = ", ".join(map(quote_path, changed))
        raise GitRefused("git commit", f"a hook changed what was to be committed: {named}", fix)


def foreign_hooks(repository: Repository) -> tuple[str, ...]:
    """The active hooks of `git commit` that are not hkgit's own: they need a full checkout."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    return tuple(name for name in HOOKS if _is_foreign(directory / name))


def _is_foreign(hook: Path) -> bool:
    if not hooks.is_active(hook):
        return False
    return hook.name not in hooks.HOOKS or not hooks.is_own(hook.name, hook.read_bytes())


def run_command(command: str, directory: Path) -> int:
    """Run a command of the user's shell in a directory and give its exit code.

    What it prints goes to standard error: standard output is for hkgit's answer.
    """
    process = None
    try:
        # A signal between the start of the command and the knowledge of it would lose it.
        with unstoppable():
            process = subprocess.Popen(
                command,
                shell=True,
                cwd=directory,
                env=scrubbed(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=_STANDARD_ERROR,
                close_fds=False,  # it keeps the locks that this process holds (see `locks`)
            )
        code = process.wait()
    finally:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
    return code if code >= 0 else 128 - code
