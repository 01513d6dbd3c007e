"""opening.py: choose the backend of a repository: libgit2 where it can, else the git program."""

from __future__ import annotations

import os
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.git.backends.backend import Backend, Unopened

CHOICE = "HKGIT_GIT"
"""The environment variable that names the one who answers."""


def open_backend(start: Path, *, in_hook: bool, is_small: bool = False) -> Backend:
    """Open the repository around a directory; in a hook, the one that GIT_DIR names.

    Where little is read (`is_small`) that is the git program, unless libgit2 is asked for: to load
    libgit2 takes five starts of Python.

    Raises GitRefused where there is none, or none that can be read.
    """
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "libgit2", "program"):
        raise InvalidInput(CHOICE, f"cannot be {choice}", "Say libgit2 or program, or unset it.")
    if choice == "program" or (is_small and not choice):
        return _by_program(start, in_hook=in_hook)
    from hkgit.git.backends.libgit2 import (
        LibGit2,  # here: what needs no repository needs no libgit2
    )

    try:
        return LibGit2.open(start, in_hook=in_hook)
    except Unopened:
        if choice:
            raise
    return _by_program(start, in_hook=in_hook)


def _by_program(start: Path, *, in_hook: bool) -> Backend:
    from hkgit.git.backends.plumbing import Plumbing  # here: few need it

    return Plumbing.open(start, in_hook=in_hook)
