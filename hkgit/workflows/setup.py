"""Set up a repository for `hkgit init`, and undo it: first a plan, then its steps.

A framework (pre-commit, prek) has files of its own where it runs hooks, and runs `NAME.legacy`
before these, as it does with any hook that it finds when it is installed. So what sessions edited
is recorded before the framework's other hooks see the index, and no configuration has to say it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from hkgit.applying.files import write_files
from hkgit.edits import EXECUTABLE, REGULAR, File, MappingSnapshot, decode_text
from hkgit.errors import GitRefused
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, LEDGER
from hkgit.gate.entrypoints.hook_scripts import (
    ALL_HOOKS,
    SERVER_HOOKS,
    find_script,
    is_own,
    render_script,
)
from hkgit.gate.policy.model import BUILT_IN
from hkgit.gate.trusted_policy import CONFIG, PYPROJECT, read_policy
from hkgit.git.facts import calls_gate
from hkgit.git.repository import Repository
from hkgit.sessions.homes import LOCAL, STATE_FILE
from hkgit.sessions.session_states import list_homes
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.values import dataclass


def install(repository: Repository, hooks: Sequence[str]) -> list[SetupStep]:
    """Give a repository a policy and the hooks that hold it to the gate; done twice, it is done.

    Raises InvalidInput when its policy cannot be read, GitRefused when it cannot be written.
    """
    root = _expect_checkout(repository)
    steps, config = [*plan_policy(root)], find_framework(root)
    if config is not None and "pre-commit" in hooks:
        steps.append(keep_file(config, "runs hkgit gate already"))
        hooks = [name for name in hooks if name != "pre-commit"]
    steps += _plan_hooks(repository, hooks)
    carry_out(steps)
    return steps


def install_on_server(repository: Repository) -> list[SetupStep]:
    """Let a repository that is pushed to judge what it gets. Raises GitRefused."""
    steps = _plan_hooks(repository, SERVER_HOOKS)
    carry_out(steps)
    return steps


def remove(repository: Repository) -> list[SetupStep]:
    """Take away what was installed and nobody has changed since, and the state of sessions.

    Raises GitRefused.
    """
    root = repository.work_tree
    steps = [] if root is None else [*_list_policy(root)]
    steps += [*_list_hooks(repository), *_list_sessions(repository)]
    carry_out(steps)
    places = () if root is None else (root / LOCAL, (root / CONFIG).parent)
    for directory in (repository.git_dir / "hkgit", *places):
        with suppress(OSError):
            directory.rmdir()
    return steps


def list_remaining(repository: Repository, steps: Sequence[SetupStep]) -> Iterator[str]:
    """List what is left to a person after `install`."""
    root, git_dir = _expect_checkout(repository).resolve(), repository.git_dir.resolve()
    written = [step.path.resolve() for step in steps if step.action is Action.WROTE]
    if any(each.is_relative_to(root) and not each.is_relative_to(git_dir) for each in written):
        yield "commit these files: the gate reads the policy from HEAD"


def _list_sessions(repository: Repository) -> Iterator[SetupStep]:
    """What sessions have kept: without hooks nothing makes evidence of it. And the hooks' cache."""
    cache = repository.git_dir / "hkgit/judged"
    if cache.is_file():
        yield SetupStep(cache, Action.REMOVED, "the state of the hooks")
    for home in list_homes(repository):
        if home.is_dir():
            names = sorted(each.parent.name for each in home.glob(f"*/{STATE_FILE}"))
            note = f"the state of {', '.join(names)}" if names else ""
            yield SetupStep(home, Action.REMOVED, note)


def _expect_checkout(repository: Repository) -> Path:
    if repository.work_tree is None:
        what = "is a bare repository, where no commits are made"
        fix = "Run this in a clone of it; to judge what is pushed here, give --server."
        raise GitRefused(str(repository.git_dir), what, fix)
    return repository.work_tree


# Steps


class Action(StrEnum):
    """How the set-up changes a file; `blocked` needs a person to do something."""

    WROTE = "wrote"
    REMOVED = "removed"
    KEPT = "kept"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class SetupStep:
    """One file, by its absolute path; `content` only where it is written."""

    path: Path
    action: Action
    note: str = ""
    content: bytes = b""
    executable: bool = False


def keep_file(path: Path, note: str) -> SetupStep:
    """Make the step of a file that stays as it is."""
    return SetupStep(path, Action.KEPT, note)


def read(path: Path) -> bytes | None:
    """Read the bytes of a file, None where there is none; what is no file has none.

    Raises GitRefused when the system does not let it be read.
    """
    try:
        if path.is_file():
            return path.read_bytes()
        return b"" if path.is_symlink() or path.exists() else None
    except OSError as error:
        raise GitRefused(str(path), f"cannot be read: {error.strerror}") from error


def carry_out(steps: Iterable[SetupStep]) -> None:
    """Write and remove the files. Raises GitRefused when the system does not let one be."""
    for step in steps:
        if step.action is Action.WROTE:
            _write(step)
        elif step.action is Action.REMOVED:
            _remove(step.path)


def _remove(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        write_files(path.parent, {path.name: None})
        return
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise GitRefused(str(path), f"cannot be removed: {error.strerror}") from error


def _write(step: SetupStep) -> None:
    place = step.path.resolve()
    mode = EXECUTABLE if step.executable else REGULAR
    write_files(place.parent, {place.name: File(step.content, mode)})
    if step.executable:
        place.chmod(place.stat().st_mode | 0o111)


# Policy

POLICY = add_stamp(Path(__file__).with_name("policy.toml").read_text("utf-8")).encode()
"""Every default, explained."""


def plan_policy(root: Path) -> Iterator[SetupStep]:
    """Plan the policy, unless there is one, and the attributes of the ledger.

    Raises InvalidInput when the policy that is there cannot be read.
    """
    yield _install_policy(root)
    attributes = root / ATTRIBUTES_PATH
    content = read(attributes)
    if content is None:
        yield SetupStep(attributes, Action.WROTE, "git keeps the ledger byte for byte", ATTRIBUTES)
    elif _normalize(content) == ATTRIBUTES:
        yield keep_file(attributes, "as it should be")
    else:
        shown = ATTRIBUTES.decode().strip()
        yield SetupStep(attributes, Action.BLOCKED, f"it should contain only this line: {shown}")


def _install_policy(root: Path) -> SetupStep:
    files = {name: read(root / name) for name in (PYPROJECT, CONFIG)}
    found = {name: File(content) for name, content in files.items() if content is not None}
    source = read_policy(MappingSnapshot(found)).source
    content = files[CONFIG] or b""
    if source == CONFIG and is_stamped(decode_text(content)) and _normalize(content) != POLICY:
        return SetupStep(root / CONFIG, Action.WROTE, "renewed: another hkgit wrote it", POLICY)
    if source != BUILT_IN:
        return keep_file(root / source, "the policy is here already")
    if CONFIG in found:
        return keep_file(root / CONFIG, "has no [gate], so the built-in policy applies")
    return SetupStep(root / CONFIG, Action.WROTE, "the policy: every default, explained", POLICY)


def _list_policy(root: Path) -> Iterator[SetupStep]:
    """Plan to remove what `plan_policy` wrote, where it is still so and nothing needs it."""
    policy, attributes = root / CONFIG, root / ATTRIBUTES_PATH
    if is_stamped(decode_text(read(policy) or b"")):
        yield SetupStep(policy, Action.REMOVED)
    elif policy.exists():
        yield keep_file(policy, "it is yours, not what hkgit wrote")
    if not attributes.exists():
        return
    if (root / LEDGER).exists():
        yield keep_file(attributes, "the ledger needs it")
    elif _normalize(read(attributes) or b"") == ATTRIBUTES:
        yield SetupStep(attributes, Action.REMOVED)
    else:
        yield keep_file(attributes, "it is yours, not what hkgit wrote")


def _normalize(content: bytes) -> bytes:
    """A file that hkgit wrote as git stores it: a checkout with core.autocrlf has CRLF."""
    return content.replace(b"\r\n", b"\n")


# Hooks
_FOREIGN = {
    "pre-commit": (
        Action.BLOCKED,
        "add this line to it: hkgit record --staged; hkgit gate --quiet --staged || exit 1",
    ),
    "commit-msg": (
        Action.BLOCKED,
        'add this line to it: hkgit gate --quiet --message-file "$1" || exit 1',
    ),
    "prepare-commit-msg": (
        Action.KEPT,
        'where sessions edit, add this line: hkgit record --message-file "$1"',
    ),
    "post-commit": (Action.KEPT, "where sessions edit, add this line: hkgit record --committed"),
} | dict.fromkeys(
    SERVER_HOOKS,
    (Action.BLOCKED, "pass its input to `hkgit gate --quiet --pre-receive` as well"),
)
"""What becomes of a hook that is not hkgit's, and what a person adds to it. The other hooks read
their input, which can be read only once; no line can be right for them."""

_UNGUARDED = (Action.KEPT, "so the server or CI judges what is pushed, not this clone")

_USES = re.compile(rb"^[^#\n]*\bid[ \t]*[:=][ \t]*['\"]?hkgit-gate", re.MULTILINE)


@dataclass(frozen=True)
class _HooksDirectory:
    """Where git looks for this repository's hooks.

    `python` is the interpreter to record, None where the hooks are part of the work tree and so
    go to other machines. `is_shared` says that other repositories run these hooks too.
    """

    path: Path
    python: Path | None
    is_shared: bool


def _find_hooks(repository: Repository) -> _HooksDirectory:
    """Find the directory that git names, with core.hooksPath and linked worktrees in mind."""
    root = repository.work_tree or repository.git_dir
    path = root / repository.git("rev-parse", "--git-path", "hooks").text
    is_private = path.resolve().is_relative_to(repository.common_dir.resolve())
    is_tracked = not is_private and path.resolve().is_relative_to(root.resolve())
    asked = repository.git("config", "--show-scope", "--get", "core.hooksPath", check=False)
    is_global = asked.text.partition("\t")[0] in ("global", "system")
    is_shared = is_global and not is_private and not is_tracked
    return _HooksDirectory(path, None if is_tracked else Path(sys.executable), is_shared)


def _plan_hooks(repository: Repository, hooks: Sequence[str]) -> list[SetupStep]:
    """Plan the hooks, beside those of others, which are never touched."""
    directory = _find_hooks(repository)
    return [_plan_hook(directory, name) for name in hooks]


def find_runner(content: bytes) -> str | None:
    """Find the framework that has written a hook; None where it is no framework's."""
    found = re.search(rb"File generated by (pre-commit|prek)\b", content)
    return None if found is None else found[1].decode()


def find_framework(root: Path) -> Path | None:
    """Find the configuration of a framework that runs hooks of hkgit's; None where none does."""
    for path in (root / "prek.toml", root / ".pre-commit-config.yaml"):
        content = read(path) or b""
        if _USES.search(content) is not None or calls_gate(content):
            return path
    return None


def _plan_hook(directory: _HooksDirectory, name: str) -> SetupStep:
    path = find_script(directory.path / name)
    if find_runner(read(directory.path / name) or b"") is not None:
        path = directory.path / f"{name}.legacy"
    content = read(path)
    wanted = render_script(directory.python)
    if content == wanted and os.access(path, os.X_OK):
        return keep_file(path, "installed already")
    if content is None and not directory.is_shared:
        return SetupStep(path, Action.WROTE, content=wanted, executable=True)
    if content is not None and not path.is_symlink() and is_own(content):
        return SetupStep(path, Action.WROTE, "renewed", content=wanted, executable=True)
    if content is not None and calls_gate(content):
        return keep_file(path, "it is yours, and calls hkgit gate")
    whose = "every repository of yours uses it" if directory.is_shared else "it is not hkgit's"
    action, what = _FOREIGN.get(name, _UNGUARDED)
    return SetupStep(path, action, f"{whose}; {what}")


def _list_hooks(repository: Repository) -> Iterator[SetupStep]:
    """Plan to remove the hooks that are hkgit's own, also those that a framework has moved.

    Those in git's own place too, of a repository that had no husky when they were written.
    """
    folders = (_find_hooks(repository).path, repository.common_dir / "hooks")
    for folder in {each.resolve(): each for each in folders}.values():
        places = (folder / f"{name}{end}" for name in ALL_HOOKS for end in ("", ".legacy"))
        for path in map(find_script, places):
            content = b"" if path.is_symlink() else read(path) or b""
            if is_own(content):
                yield SetupStep(path, Action.REMOVED)
            elif calls_gate(content):
                what = "it is yours, not what hkgit wrote; it still calls hkgit gate"
                yield keep_file(path, what)
