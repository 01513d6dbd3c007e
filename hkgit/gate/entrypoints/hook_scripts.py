"""The one script that every git hook of hkgit is, and how it is known again.

Some hooks judge; others record before them what sessions have edited, so that there is evidence.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from hkgit.edits import decode_text, encode_text
from hkgit.git.facts import AGENT_SHELLS, GOOSE_SESSION, calls_gate
from hkgit.git.repository import Repository
from hkgit.text.hashes import add_stamp, is_stamped

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push")
"""What a clone needs for evidence to be recorded, and judged before it leaves, by git's names."""

CLIENT_HOOKS = (*HOOKS, "reference-transaction")
"""What a clone may have."""

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
"""The hooks that `git commit` runs."""

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


def asks_hkgit(repository: Repository, *names: str) -> bool:
    """Whether one of these hooks of a clone, by default of any commit's, runs hkgit."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    # A hook that a framework runs before its own has another name.
    active = [directory / name for name in names or COMMIT_HOOKS if is_active(directory / name)]
    before = [each for hook in active if is_active(each := hook.with_name(f"{hook.name}.legacy"))]
    contents = (find_script(hook).read_bytes() for hook in (*active, *before))
    return any(is_own(each) or calls_gate(each) for each in contents)


def find_foreign_hooks(repository: Repository) -> tuple[str, ...]:
    """List the active hooks of `git commit` that are not hkgit's own: they need a full checkout."""
    directory = repository.hooks_path or repository.common_dir / "hooks"
    return tuple(name for name in COMMIT_HOOKS if _is_foreign(directory / name))


def _is_foreign(hook: Path) -> bool:
    return is_active(hook) and not is_own(find_script(hook).read_bytes())
