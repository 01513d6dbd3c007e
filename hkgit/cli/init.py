"""`hkgit init`: give a repository a policy and the hooks that hold it to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from hkgit import agents
from hkgit.agents.setup import installer
from hkgit.agents.setup.installer import find_folder, list_user_wide
from hkgit.agents.setup.settings import USER
from hkgit.cli.answer import Answer
from hkgit.cli.common import open_repository
from hkgit.cli.options import choice_option, declare, option
from hkgit.errors import GitRefused
from hkgit.gate.entrypoints.hook_scripts import CLIENT_HOOKS, HOOKS, asks_hkgit
from hkgit.git.repository import Repository
from hkgit.workflows import setup
from hkgit.workflows.setup import Action, SetupStep


@declare
def command(
    *,
    remove: bool = option("Remove what this command wrote."),
    hooks: tuple[str, ...] = option(
        "Install only this hook (repeatable); by default all but reference-transaction.",
        "--hook",
        type=click.Choice(CLIENT_HOOKS),
    ),
    server: bool = option("Judge what is pushed to this repository."),
    agent: str | None = option(
        "Connect this coding agent: write its settings, nothing else.",
        type=click.Choice(agents.HOOKED + agents.PLAIN),
    ),
    mode: str = choice_option(
        agents.MODES, "With --agent: record the agent's own edits, or steer it to hkgit's tools."
    ),
    user: bool = option(
        "With --agent: write hooks to your user settings, for all repositories that use hkgit."
    ),
) -> Answer:
    """Install the gate's hooks and a policy with every default explained.

    Hooks of pre-commit and prek stay, and run hkgit's before their own.
    Existing files are left as they are.
    """
    if remove and hooks:
        raise click.UsageError("--remove removes everything: give it without --hook.")
    if server and hooks:
        raise click.UsageError("--server installs one hook, pre-receive: give it without --hook.")
    if agent is not None and (hooks or server):
        raise click.UsageError("--agent writes only the agent's settings.")
    if user:
        steps, left = _connect_user(agent, mode, remove=remove), list[str]()
    elif agent is not None:
        steps, left = _connect(open_repository(), agent, mode, remove=remove)
    else:
        steps, left = _set_up(open_repository(), hooks, remove=remove, server=server)
    is_blocked = any(step.action is Action.BLOCKED for step in steps)
    listed = [
        {"path": _display_path(step.path), "action": str(step.action), "note": step.note}
        for step in steps
    ]
    return Answer(
        {"status": "blocked" if is_blocked else "done", "steps": listed, "next": left},
        _lines(steps, left),
        GitRefused.exit_code if is_blocked else 0,
        is_info=not is_blocked,
    )


def _connect_user(agent: str | None, mode: str, *, remove: bool) -> list[SetupStep]:
    """Hooks in the settings of whoever asks, whatever the directory."""
    if agent is None or agent not in list_user_wide():
        known = ", ".join(list_user_wide())
        raise click.UsageError(f"--user needs --agent with one of these: {known}.")
    if mode != agents.MODES[0]:
        raise click.UsageError("--user only records; --mode steer needs the settings of a project.")
    folder = find_folder(agent, os.environ)
    if remove:
        return installer.remove(folder, agent, [USER])
    return installer.install(folder, agent, USER)


def _connect(
    repository: Repository, agent: str, mode: str, *, remove: bool
) -> tuple[list[SetupStep], list[str]]:
    """The agent's settings of a checkout, and what is left to a person."""
    root = repository.work_tree
    if root is None:
        what = "is a bare repository, where no agent works"
        raise GitRefused(str(repository.git_dir), what, "Run this in a clone of it.")
    if remove:
        return installer.remove(root, agent), []
    left = installer.list_remaining_steps(agent, has_git_hooks=asks_hkgit(repository))
    return installer.install(root, agent, mode), list(left)


def _set_up(
    repository: Repository, hooks: Sequence[str], *, remove: bool, server: bool
) -> tuple[list[SetupStep], list[str]]:
    """The hooks of git and the policy, and what is left to a person."""
    if remove:
        return setup.remove(repository), []
    if server:
        return setup.install_on_server(repository), []
    chosen = [name for name in CLIENT_HOOKS if name in (hooks or HOOKS)]
    steps = setup.install(repository, chosen)
    return steps, list(setup.list_remaining(repository, steps))


def _lines(steps: Sequence[SetupStep], left: Sequence[str]) -> Iterator[str]:
    for step in steps:
        note = f": {step.note}" if step.note else ""
        yield f"{step.action:8}{_display_path(step.path)}{note}"
    for each in left:
        yield f"next    {each}"
    if not steps:
        yield "nothing to do"


def _display_path(path: Path) -> str:
    """A path as seen from where the user is, if it is below."""
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
