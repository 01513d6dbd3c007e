"""The one script that every git hook of hkgit is, and how it is known again.

Some hooks judge; others record before them what sessions have edited, so that there is evidence.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.edits import decode_text, encode_text
from hkgit.git.facts import AGENT_SHELLS, GOOSE_SESSION, calls_gate
from hkgit.git.repository import Repository
from hkgit.text.hashes import add_stamp, is_stamped
from hkgit.values import dataclass

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
"""The hooks that `git commit` runs."""

HOOKS = (*COMMIT_HOOKS, "pre-push")
"""What a clone needs for evidence to be recorded, and judged before it leaves, by git's names."""

CLIENT_HOOKS = (*HOOKS, "reference-transaction")
"""What a clone may have."""

SERVER_HOOKS = ("pre-receive",)

ALL_HOOKS = (*CLIENT_HOOKS, *SERVER_HOOKS)

_UNRECORDED = "python=''"
_RECORDED = r"(?m)^python=.*$"


def render_script(python: Path | None = None) -> bytes:
    """Write the hook: it runs the hkgit on PATH, or else the `python` recorded in it."""
    text = Path(__file__).with_name("hook.sh").read_text("utf-8")
    # Whether goose's variable means its shell, Python finds out.
    shells = "".join(f"${{{name}-}}" for name in (*AGENT_SHELLS, GOOSE_SESSION))
    script = add_stamp(text.replace("@SHELLS@", shells))
    if python is not None:
        script = script.replace(_UNRECORDED, f"python={shlex.quote(python.as_posix())}", 1)
    return encode_text(script)


def is_own(content: bytes) -> bool:
    """Whether a hook is as some hkgit wrote it, with whichever interpreter in it."""
    return is_stamped(re.sub(_RECORDED, _UNRECORDED, decode_text(content), count=1))


def is_active(hook: Path) -> bool:
    """Whether git would run a hook."""
    return hook.is_file() and os.access(hook, os.X_OK) and find_script(hook).is_file()


def find_script(hook: Path) -> Path:
    """Find the file that says what a hook does.

    Of husky's own hooks (`.husky/_`), which are made again by each `npm install`, it is the file of
    that name above them, part of the repository: they run nothing else.
    """
    is_huskys = hook.parent.name == "_" and (hook.parent / "h").is_file() and hook.is_file()
    return hook.parent.parent / hook.name if is_huskys else hook


OWN, CALLING, FOREIGN = "hkgit", "calls hkgit", "foreign"


@dataclass(frozen=True)
class InstalledHook:
    """An active hook, the file that says what it does, and whose that is: one of the above."""

    name: str
    path: Path
    owner: str


def list_hooks(repository: Repository, names: Iterable[str] = ALL_HOOKS) -> Iterator[InstalledHook]:
    """List the active ones of some hooks; what a framework runs before its own is `NAME.legacy`."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    for name in names:
        if is_active(directory / name):
            path = find_script(directory / name)
            content = path.read_bytes()
            owner = OWN if is_own(content) else CALLING if calls_gate(content) else FOREIGN
            yield InstalledHook(name, path, owner)


def asks_hkgit(repository: Repository, *names: str) -> bool:
    """Whether one of these hooks of a clone, by default of any commit's, runs hkgit."""
    hooks = [*list_hooks(repository, names or COMMIT_HOOKS)]
    before = list_hooks(repository, [f"{each.name}.legacy" for each in hooks])
    return any(each.owner != FOREIGN for each in (*hooks, *before))
