"""Calls that have begun and not ended.

On a busy machine an agent stops a hook that takes too long. The edit is made all the same, so a
note that is left says which one nobody has recorded.

Hooks of other sessions read it too: they tell from it what may have changed a file meanwhile.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.events import Editing, Shell, UnshownShell, UntoldEdit
from hkgit.agents.setup.settings import HOOK_SECONDS
from hkgit.edits import REGULAR, File
from hkgit.git.state_files import find_files
from hkgit.sessions.blobs import Blobs, find_open_notes, keep_json, load_written, save_written
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import say_waiting
from hkgit.text.hashes import digest
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

LASTS = 600.0
"""Seconds after which a call that has not reported its end is taken to have ended, or failed.

A person may have been asked for leave within them.
"""


Begun = Editing | UntoldEdit | UnshownShell
"""What may begin and not be told to end: an edit, one of which nothing is told, or a command."""


@dataclass(frozen=True)
class BegunCall:
    """A call of which no hook has told what came of it; it began `age` seconds ago."""

    did: Begun
    directory: Path
    age: float
    note: Path


def note_begun(folder: Path, did: Begun, directory: Path) -> None:
    """Note in a session what has begun and is not told to be over. Raises OSError."""
    if isinstance(did, UnshownShell):
        kept = {"command": did.shell.command, "call": did.call}
    else:
        edit = did.edit if isinstance(did, UntoldEdit) else did
        kept = {"text": edit.text, "dialect": edit.dialect}
    place, is_untold = _place(folder, did), isinstance(did, UntoldEdit)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(kept | {"directory": str(directory), "is_untold": is_untold}))
    say_waiting(folder.parent)


OVERDUE = HOOK_SECONDS + 2.0
"""Seconds after which no hook reports an edit any more, unless a person is asked before it."""


def has_overdue(folder: Path) -> bool:
    """Whether a session has an edit of which a hook was stopped that would have told of it."""
    since = time.time() - OVERDUE
    return any(each.stat().st_mtime <= since for each in find_open_notes(folder))


def note_written(folder: Path, path: str, file: File) -> None:
    """Remember what an edit has left of a file, for the moments after it."""
    version = Blobs.of_session(folder).put(file.data)
    save_written(folder, load_written(folder) | {path: (version, file.mode, time.time())})


def has_open_work(root: Path, folder: Path) -> bool:
    """Whether an earlier call of a session has left what is to be taken in."""
    if find_open_notes(folder) or find_files(folder / "aside", "waiting-*.json"):
        return True
    checkout = Checkout(root)
    for path, (version, mode, _) in load_written(folder).items():
        file = checkout.get(path)
        if file is None or (file.mode, digest(file.data)) != (mode, version):
            return True
    return False


def forget_begun(folder: Path, did: Begun) -> None:
    """Forget a call that the hook after it has told of."""
    _place(folder, did).unlink(missing_ok=True)


def list_begun(folder: Path) -> Iterator[BegunCall]:
    """Yield the calls of a session that no hook has told to be over, in their order."""
    places = [*find_open_notes(folder), *find_files(folder / "aside", "waiting-*.json")]
    for since, place in sorted((each.stat().st_mtime, each) for each in places):
        try:
            fields = json.loads(place.read_text())
            did = _read_begun(fields)
            yield BegunCall(did, Path(fields["directory"]), time.time() - since, place)
        except (OSError, ValueError, LookupError, TypeError):
            place.unlink(missing_ok=True)


def _read_begun(fields: JsonObject) -> Begun:
    if "command" in fields:
        return UnshownShell(Shell(fields["command"], ""), fields["call"])
    edit = Editing(fields["text"], fields["dialect"])
    return UntoldEdit(edit) if fields["is_untold"] else edit


def _place(folder: Path, did: Begun) -> Path:
    """Where the note of a call lies; a commit settles those whose hook was stopped (`open`)."""
    match did:
        case Editing(text):
            return folder / "aside" / f"open-{_name(text)}.json"
        case UntoldEdit(Editing(text)) | UnshownShell(call=text):
            return folder / "aside" / f"waiting-{_name(text)}.json"


def _name(words: str) -> str:
    return digest(words.encode("utf-8", "replace"))[:32]


ABSENT, BEYOND = "", "beyond"
"""The stamps of a file that is not there, and of one that is not looked at."""


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    from hkgit.agents.shown_readings import is_harmless

    since = (time.time() - LASTS) * 1000
    for place in places:
        snapshot = load_snapshot(place)
        if snapshot and snapshot.begun > since and not is_harmless(snapshot.command):
            yield snapshot
