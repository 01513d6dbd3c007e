"""Calls that have begun and not ended.

On a busy machine an agent stops a hook that takes too long. The edit is made all the same, so a
note that is left says which one nobody has recorded.

Hooks of other sessions read it too: they tell from it what may have changed a file meanwhile.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.events import Editing, Shell, UnshownShell, UntoldEdit
from hkgit.edits import REGULAR
from hkgit.evidence.entry import digest
from hkgit.sessions.blobs import find_open_notes, keep_json
from hkgit.sessions.homes import say_waiting
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

LASTS = 600.0
"""Seconds after which a call that has not reported its end is taken to have ended, or failed.

A person may have been asked for leave within them.
"""


@dataclass(frozen=True, slots=True)
class OpenEdit:
    """An edit of which the hook after it has not told; it began `age` seconds ago."""

    edit: Editing
    directory: Path
    age: float
    note: Path


def note_open_edit(folder: Path, edit: Editing, directory: Path) -> None:
    """Note in a session that an edit is about to be made. Raises OSError."""
    place = _place(folder, edit)
    place.parent.mkdir(parents=True, exist_ok=True)
    fields = {"text": edit.text, "dialect": edit.dialect, "directory": str(directory)}
    place.write_text(json.dumps(fields))
    say_waiting(folder.parent)


def forget_open_edit(folder: Path, edit: Editing) -> None:
    """Forget an edit that the hook after it has told of."""
    _place(folder, edit).unlink(missing_ok=True)


def find_open_edits(folder: Path) -> Iterator[OpenEdit]:
    """Yield the edits of a session that are open, in the order in which they were begun."""
    begun = sorted((each.stat().st_mtime, each) for each in find_open_notes(folder))
    for since, place in begun:
        try:
            fields = json.loads(place.read_text())
            edit = Editing(fields["text"], fields["dialect"])
            yield OpenEdit(edit, Path(fields["directory"]), time.time() - since, place)
        except (OSError, ValueError, LookupError, TypeError):
            place.unlink(missing_ok=True)


def _place(folder: Path, edit: Editing) -> Path:
    return folder / "aside" / f"open-{digest(edit.text.encode('utf-8', 'replace'))[:32]}.json"


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


ABSENT, BEYOND = "", "beyond"
"""The stamps of a file that is not there, and of one that is not looked at."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was: what tells it from any later one, and its content, if that is kept.

    `since` is when it was so, in milliseconds since 1970; 0 for when the command began. `lost`
    names the session that found it changed until then, and could not tell by whom.
    """

    stamp: str
    mode: int = REGULAR
    version: str | None = None
    since: int = 0
    lost: str = ""


@dataclass(frozen=True, slots=True)
class ShellSnapshot:
    """A checkout before a command: its commit, and the files that differ from the commit's.

    `begun` is when it began, in milliseconds since 1970: when its file was written.
    """

    head: str | None
    files: Mapping[str, KeptFile]
    command: str = ""
    begun: int = 0


def find_running(session: Path) -> list[Path]:
    """Find the snapshots of commands that have not reported their end, the latest last."""
    found = session.glob("aside/shell-*.json")
    return sorted(found, key=lambda place: place.stat().st_mtime_ns)


def stamp(place: Path) -> str:
    """Tell a file from any later one at its place."""
    try:
        status = place.lstat()
    except OSError:
        return ABSENT
    return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_mode}"


def tell_time() -> int:
    """Return the time now, in milliseconds since 1970."""
    return time.time_ns() // 10**6


def save_snapshot(place: Path, snapshot: ShellSnapshot) -> None:
    """Keep a snapshot. Raises OSError."""
    files = {
        path: [each.stamp, each.mode, each.version, each.since, each.lost]
        for path, each in snapshot.files.items()
    }
    keep_json(place, {"head": snapshot.head, "command": snapshot.command, "files": files})


def load_snapshot(place: Path) -> ShellSnapshot | None:
    """Read a snapshot; None where there is none, or it is damaged."""
    try:
        fields = json.loads(place.read_text())
        files = {path: KeptFile(*each) for path, each in fields["files"].items()}
        begun = place.stat().st_mtime_ns // 10**6
        return ShellSnapshot(fields["head"], files, str(fields.get("command", "")), begun)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def renew_snapshots(session: Path, files: Mapping[str, KeptFile]) -> None:
    """Let a session's commands that still run begin with these files."""
    for place in find_running(session):
        if (snapshot := load_snapshot(place)) is not None:
            times = place.stat()
            kept = {**snapshot.files, **files}
            save_snapshot(place, ShellSnapshot(snapshot.head, kept, snapshot.command))
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def has_command(folder: Path, paths: Sequence[str]) -> bool:
    """Whether a command of a session runs that may change files, and names one of these."""
    commands = (snapshot.command for snapshot in list_running_commands(folder))
    names = [path.rpartition("/")[2] for path in paths]
    return any(name in command for command in commands for name in names)


def list_running_commands(folder: Path) -> Iterator[ShellSnapshot]:
    """Yield how a session's commands that still run, and may change files, have found them."""
    if not (places := find_running(folder)):
        return
    # Most sessions run no command.
    from hkgit.agents.shell_words import is_harmless

    since = (time.time() - LASTS) * 1000
    for place in places:
        snapshot = load_snapshot(place)
        if snapshot and snapshot.begun > since and not is_harmless(snapshot.command):
            yield snapshot
