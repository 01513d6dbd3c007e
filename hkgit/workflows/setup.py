"""Set up a repository for `hkgit init`, and undo it: first a plan, then its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.errors import GitRefused
from hkgit.gate.entrypoints.hook_scripts import SERVER_HOOKS
from hkgit.gate.trusted_policy import CONFIG
from hkgit.git.repository import Repository
from hkgit.sessions.homes import LOCAL, STATE_FILE
from hkgit.sessions.session_states import list_homes
from hkgit.workflows import git_hooks, policy_file
from hkgit.workflows.setup_steps import Action, SetupStep, carry_out, keep_file


def install(repository: Repository, hooks: Sequence[str]) -> list[SetupStep]:
    """Give a repository a policy and the hooks that hold it to the gate; done twice, it is done.

    Raises InvalidInput when its policy cannot be read, GitRefused when it cannot be written.
    """
    root = _expect_checkout(repository)
    steps, config = list(policy_file.install(root)), git_hooks.find_framework(root)
    if config is not None and "pre-commit" in hooks:
        steps.append(keep_file(config, "runs hkgit gate already"))
        hooks = [name for name in hooks if name != "pre-commit"]
    steps += git_hooks.install(_find_hooks(repository), hooks)
    carry_out(steps)
    return steps


def install_on_server(repository: Repository) -> list[SetupStep]:
    """Let a repository that is pushed to judge what it gets. Raises GitRefused."""
    steps = list(git_hooks.install(_find_hooks(repository), SERVER_HOOKS))
    carry_out(steps)
    return steps


def remove(repository: Repository) -> list[SetupStep]:
    """Take away what was installed and nobody has changed since, and the state of sessions.

    Raises GitRefused.
    """
    root = repository.work_tree
    steps = [] if root is None else [*policy_file.remove(root)]
    steps += [*git_hooks.remove(_find_hooks(repository)), *_list_sessions(repository)]
    carry_out(steps)
    places = () if root is None else (root / LOCAL, (root / CONFIG).parent)
    for directory in (repository.git_dir / "hkgit", *places):
        with suppress(OSError):
            directory.rmdir()
    return steps


def list_remaining(repository: Repository, steps: Sequence[SetupStep]) -> Iterator[str]:
    """List what is left to a person after `install`."""
    root = _expect_checkout(repository)
    written = [step.path for step in steps if step.action is Action.WROTE]
    if any(_is_below(path, root) and not _is_below(path, repository.git_dir) for path in written):
        yield "commit these files: the gate reads the policy from HEAD"


def _is_below(path: Path, directory: Path) -> bool:
    return path.resolve().is_relative_to(directory.resolve())


def _list_sessions(repository: Repository) -> Iterator[SetupStep]:
    """What sessions have kept: without hooks nothing makes evidence of it. And the hooks' cache."""
    cache = repository.git_dir / "hkgit/judged"
    if cache.is_file():
        yield SetupStep(cache, Action.REMOVED, "the state of the hooks")
    for home in list_homes(repository):
        names = sorted(each.parent.name for each in home.glob(f"*/{STATE_FILE}"))
        if home.is_dir():
            note = f"the state of {', '.join(names)}" if names else ""
            yield SetupStep(home, Action.REMOVED, note)


def _find_hooks(repository: Repository) -> git_hooks.HooksDirectory:
    return git_hooks.find_hooks_directory(repository, repository.work_tree or repository.git_dir)


def _expect_checkout(repository: Repository) -> Path:
    if repository.work_tree is None:
        what = "is a bare repository, where no commits are made"
        fix = "Run this in a clone of it; to judge what is pushed here, give --server."
        raise GitRefused(str(repository.git_dir), what, fix)
    return repository.work_tree
