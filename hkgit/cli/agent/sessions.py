"""sessions.py: options and the root that commands on a checkout share."""

from __future__ import annotations

from pathlib import Path

from hkgit.cli.forms.form import Option
from hkgit.errors import GitRefused


def make_session_option(words: str) -> Option:
    """Make the option `--session`, which `$HKGIT_SESSION` can stand for, for a form."""
    return Option("session", ("--session",), words, "NAME", variable="HKGIT_SESSION")


SESSION_ROWS = (
    make_session_option("Use what this session has read, and keep the call."),
    Option("agent", ("--agent",), "Who edits, as name/version.", "NAME", default="unknown"),
)
"""The options that say who is at work in which session, for a form."""


def find_work_root() -> Path:
    """Find the work tree around the current directory, or return that directory itself.

    Found without opening the repository: no object of it is needed. Raises GitRefused in a bare
    repository, where every file is git's own.
    """
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            return place
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            fix = "Edit in a checkout, or commit to a branch: hkgit apply --branch NAME"
            raise GitRefused(str(place), "a bare repository has no working tree", fix)
    return here
