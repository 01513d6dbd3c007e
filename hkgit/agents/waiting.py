"""waiting.py: keep calls that an agent's hooks have begun until it is known how they ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from hkgit.agents.events import Editing, Shell, UnshownShell, UntoldEdit
from hkgit.sessions.storage.small_files import keep_json
from hkgit.text.json_nodes import JsonObject

_MOST = 50


def waiting_in(folder: Path) -> Path:
    """Return the file of a session that lists the calls whose end is not known yet."""
    return folder / "aside" / "waiting"


def add_waiting(folder: Path, did: UntoldEdit | UnshownShell, directory: Path) -> None:
    """Add a call whose end is not known yet; drop the oldest beyond `_MOST`."""
    if isinstance(did, UntoldEdit):
        kept = {"text": did.edit.text, "dialect": did.edit.dialect}
    else:
        kept = {"command": did.shell.command, "call": did.call}
    _save(folder, [*_load(folder), kept | {"directory": str(directory)}][-_MOST:])


def settle_waiting(
    folder: Path,
    end_edit: Callable[[Editing, Path], bool],
    end_shell: Callable[[Shell, str, Path], bool],
) -> None:
    """Try to end each waiting call; those for which the function returns False stay."""
    waiting = _load(folder)
    left: list[JsonObject] = []
    for number, kept in enumerate(waiting):
        try:
            directory = Path(kept["directory"])
            if "text" in kept:
                is_over = end_edit(Editing(kept["text"], kept["dialect"]), directory)
            else:
                is_over = end_shell(Shell(kept["command"], ""), kept["call"], directory)
        except BaseException:
            _save(folder, [*left, *waiting[number + 1 :]])
            raise
        left += [] if is_over else [kept]
    if left != waiting:
        _save(folder, left)


def _load(folder: Path) -> list[JsonObject]:
    try:
        found = json.loads(waiting_in(folder).read_text())
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def _save(folder: Path, waiting: Sequence[JsonObject]) -> None:
    keep_json(waiting_in(folder), waiting)
