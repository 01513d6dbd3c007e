"""Name hkgit in commands so that the shell of who is told of them finds it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

_COMMAND = (
    r"(?<![\w./-])hkgit (?=(?:-C|adopt|apply|doctor|edit|init|read|record|redo|session|undo)\b)"
)
_EVERYWHERE = tuple(map(Path, ("/bin", "/usr/bin", "/usr/local/bin")))
"""Where a login shell looks, whatever the PATH was of who started it."""


def name_program(text: str, *, is_other_shell: bool = False) -> str:
    """Name hkgit by its path in the commands of a text where its name alone is not found.

    `is_other_shell`: they are run in another shell than this process, as by an agent that starts
    a login shell: that leaves a virtual environment. Who pushes to a server, or reads the log of a
    job, has a machine of their own.
    """
    if "hkgit " not in text or "GIT_QUARANTINE_PATH" in os.environ or "CI" in os.environ:
        return text
    found = _find_on_path()
    if found is not None and (not is_other_shell or found.parent in _EVERYWHERE):
        return text
    own = Path(sys.executable).with_name("hkgit")
    path = own if own.is_file() else found
    name = f"{shlex.quote(sys.executable)} -m hkgit" if path is None else shlex.quote(str(path))
    return re.sub(_COMMAND, lambda _: f"{name} ", text)


def _find_on_path() -> Path | None:
    places = (Path(folder, "hkgit") for folder in os.get_exec_path())
    return next((each for each in places if os.access(each, os.X_OK) and each.is_file()), None)
