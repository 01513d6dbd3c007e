"""waiting.py: what an agent's hooks have left open: keep it until it is known how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from hkgit.agents.events import Editing, Shell, UnshownShell, UntoldEdit
from hkgit.text.json_nodes import JsonObject

_MOST = 50


def waiting_in(folder: Path) -> Path:
    """The file of a session that names what is left open."""
    return folder / "aside" / "waiting"


def add_waiting(folder: Path, did: UntoldEdit | UnshownShell, directory: Path) -> None:
    """Keep what is left open; of too much the oldest is dropped."""
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
    """End what is left open; what the functions answer False of stays so."""
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
    place = waiting_in(folder)
    if not waiting:
        place.unlink(missing_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_suffix(".new")
    new.write_text(json.dumps(waiting))
    new.replace(place)
