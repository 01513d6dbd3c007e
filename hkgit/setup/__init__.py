"""setup: what `hkgit init` does to a repository and takes back: first a plan, then its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.git.hooks import HOOKS, SERVER_HOOKS
from hkgit.git.repository import Repository
from hkgit.policy import CONFIG
from hkgit.replay.added import ATTRIBUTES_PATH
from hkgit.setup import framework, native, policy_file
from hkgit.setup.steps import Action, Step, carry_out


def install(repository: Repository, hooks: Sequence[str]) -> list[Step]:
    """Give a repository a policy and the hooks that hold it to the gate; done twice, it is done.

    Raises InvalidInput when its policy cannot be read, GitRefused when it cannot be written.
    """
    root = _root(repository)
    steps = list(policy_file.install(root))
    if uses_framework(root):
        steps.append(framework.install(root, hooks))
        hooks = [name for name in hooks if name not in HOOKS]
    steps += native.install(_hooks(repository), hooks)
    carry_out(steps)
    return steps


def install_on_server(repository: Repository) -> list[Step]:
    """Let a repository that is pushed to judge what it gets. Raises GitRefused."""
    steps = list(native.install(_hooks(repository), SERVER_HOOKS))
    carry_out(steps)
    return steps


def remove(repository: Repository) -> list[Step]:
    """Take away what was installed and nobody has changed since. Raises GitRefused."""
    if repository.work_tree is None:
        steps = list(native.remove(_hooks(repository)))
        carry_out(steps)
        return steps
    root = _root(repository)
    steps = [
        *policy_file.remove(root),
        *framework.remove(root),
        *native.remove(_hooks(repository)),
    ]
    carry_out(steps)
    with suppress(OSError):
        (root / CONFIG).parent.rmdir()
    return steps


def uses_framework(root: Path) -> bool:
    """Whether the pre-commit framework is to run the hooks."""
    return (root / framework.CONFIG).exists()


def left_to_do(
    repository: Repository, steps: Sequence[Step], hooks: Sequence[str]
) -> Iterator[str]:
    """What is left to a person after `install`."""
    root = _root(repository)
    if uses_framework(root):
        yield f"run: {framework.install_command([name for name in hooks if name in HOOKS])}"
    tracked = {root / name for name in (CONFIG, ATTRIBUTES_PATH, framework.CONFIG)}
    if any(step.action is Action.WROTE and step.path in tracked for step in steps):
        yield "commit these files: the gate reads the policy from HEAD"


def _hooks(repository: Repository) -> native.HooksDirectory:
    return native.hooks_directory(repository, repository.work_tree or repository.git_dir)


def _root(repository: Repository) -> Path:
    if repository.work_tree is None:
        what = "is a bare repository, which has no commits in the making to judge"
        fix = "Run this in a clone of it; to judge what is pushed here, give --server."
        raise GitRefused(str(repository.git_dir), what, fix)
    return repository.work_tree
