"""Plain git hooks, where no framework runs them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from hkgit.gate.entrypoints.hook_scripts import (
    ALL_HOOKS,
    SERVER_HOOKS,
    find_script,
    is_own,
    render_script,
)
from hkgit.git.facts import calls_gate
from hkgit.git.repository import Repository
from hkgit.values import dataclass
from hkgit.workflows import framework_hooks
from hkgit.workflows.setup_steps import Action, SetupStep, keep_file, read

_LINES = {
    "pre-commit": "hkgit record --staged; hkgit gate --quiet --staged || exit 1",
    "commit-msg": 'hkgit gate --quiet --message-file "$1" || exit 1',
}
"""What a person adds to a hook of their own. The other hooks read their input, which can be read
only once; no line can be right for them."""

_RECORDING = {
    "prepare-commit-msg": 'hkgit record --message-file "$1"',
    "post-commit": "hkgit record --committed",
}


@dataclass(frozen=True)
class HooksDirectory:
    """Where git looks for this repository's hooks.

    `python` is the interpreter to record, None where the hooks are part of the work tree and so
    go to other machines. `is_shared` says that other repositories run these hooks too.
    """

    path: Path
    python: Path | None
    is_shared: bool


def find_hooks_directory(repository: Repository, root: Path) -> HooksDirectory:
    """Find the directory that git names, with core.hooksPath and linked worktrees in mind."""
    path = root / repository.git("rev-parse", "--git-path", "hooks").text
    is_private = path.resolve().is_relative_to(repository.common_dir.resolve())
    is_tracked = not is_private and path.resolve().is_relative_to(root.resolve())
    asked = repository.git("config", "--show-scope", "--get", "core.hooksPath", check=False)
    is_global = asked.text.partition("\t")[0] in ("global", "system")
    is_shared = is_global and not is_private and not is_tracked
    return HooksDirectory(path, None if is_tracked else Path(sys.executable), is_shared)


def install(
    directory: HooksDirectory, hooks: Sequence[str], *, is_framed: bool = False
) -> Iterator[SetupStep]:
    """Plan the hooks, beside those of others, which are never touched.

    `is_framed` says that a framework is to run pre-commit.
    """
    for name in hooks:
        yield _install(directory, name, find_place(directory.path, name, is_framed=is_framed))


def find_place(directory: Path, name: str, *, is_framed: bool) -> Path:
    """Find where a hook of hkgit's is, or is to be.

    A framework has its own file of that name where it runs such hooks, and runs `NAME.legacy`
    before them, as it does with any hook that it finds when it is installed.
    """
    if is_framed and name == "pre-commit":
        return directory / framework_hooks.HOOK
    path = directory / name
    if framework_hooks.find_runner(read(path) or b"") is not None:
        return directory / f"{name}.legacy"
    return find_script(path)


def _install(directory: HooksDirectory, name: str, path: Path) -> SetupStep:
    content = read(path)
    wanted = render_script(directory.python)
    if content == wanted and os.access(path, os.X_OK):
        return keep_file(path, "installed already")
    if content is None and not directory.is_shared:
        return SetupStep(path=path, action=Action.WROTE, note="", content=wanted, executable=True)
    if content is not None and not path.is_symlink() and is_own(content):
        return SetupStep(
            path=path, action=Action.WROTE, note="renewed", content=wanted, executable=True
        )
    if content is not None and calls_gate(content):
        return keep_file(path, "it is yours, and calls hkgit gate")
    return _keep_foreign(path, name, directory)


def _keep_foreign(path: Path, name: str, directory: HooksDirectory) -> SetupStep:
    whose = "every repository of yours uses it" if directory.is_shared else "it is not hkgit's"
    if name in SERVER_HOOKS:
        what = f"{whose}; pass its input to `hkgit gate --quiet --pre-receive` as well"
        return SetupStep(path, Action.BLOCKED, what)
    if name in _RECORDING:
        return keep_file(path, f"{whose}; where sessions edit, add this line: {_RECORDING[name]}")
    if name not in _LINES:
        return keep_file(
            path, f"{whose}; so the server or CI judges what is pushed, not this clone"
        )
    return SetupStep(path, Action.BLOCKED, f"{whose}; add this line to it: {_LINES[name]}")


def remove(directory: HooksDirectory) -> Iterator[SetupStep]:
    """Plan to remove the hooks that are hkgit's own, also where pre-commit has moved them aside."""
    for name in ALL_HOOKS:
        places = (directory.path / f"{name}{suffix}" for suffix in ("", ".legacy", ".hkgit"))
        for path in map(find_script, places):
            content = None if path.is_symlink() else read(path)
            if content is not None and is_own(content):
                yield SetupStep(path, Action.REMOVED)
            elif content is not None and calls_gate(content):
                yield keep_file(
                    path, "it is yours, not what hkgit wrote; it still calls hkgit gate"
                )
