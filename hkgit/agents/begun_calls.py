"""Calls that have begun: one record of each, with what was in its files then.

Hooks of its session take in what came of it. On a busy machine an agent stops a hook that takes too
long, and makes the edit all the same: so a record that is left says what nobody has taken in. Hooks
of other sessions read it too: they tell from it what may have changed a file meanwhile.

A record is never changed: what was recorded since, the journals say.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path

from hkgit.agents.events import HOOK_SECONDS, Did, Editing, LateEdit, PendingToolEdit, Shell
from hkgit.agents.specs import find_commands, find_touched_paths
from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.errors import InvalidInput, Stale
from hkgit.git.state_files import find_files
from hkgit.sessions.blobs import Blobs, keep_json
from hkgit.sessions.file_lines import Checkout
from hkgit.sessions.homes import LOST, find_notes, list_candidates, say_waiting
from hkgit.text.hashes import digest
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.evidence.entry import FileMark

LASTS = 600.0
"""Seconds after which a call that has not reported its end is taken to have ended, or failed.

A person may have been asked for leave within them.
"""

OVERDUE = HOOK_SECONDS + 2.0
"""Seconds after which no hook reports an edit any more, unless a person is asked before it."""

_MOST = 20
"""So many calls of one kind are remembered: of some no hook tells the end."""

_LARGEST = 2**20
_MOST_FILES = 2000
"""What larger files hold, and more files, is not kept: a change of theirs is not recorded."""

PLAIN = (REGULAR, EXECUTABLE)
_STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all")
_FIELDS = {"1": 8, "u": 10, "?": 1}
"""How many fields are before the path, by the kind of a line of `git status`."""

ABSENT, BEYOND = "", "beyond"
"""The stamps of a file that is not there, and of one that is not looked at."""

UNKNOWN = ""
"""What a call has found of a file of which that is not kept."""

_LOST_FOR = 24 * 3600 * 1000
"""Milliseconds for which it is kept which files were lost: no call is open as long."""

Files = Mapping[str, File | None]
Begun = Editing | Shell | PendingToolEdit
"""What may begin: an edit, a command, or an edit of which nothing but its file is told."""

_SAVED: Mapping[type[Begun], Sequence[str]] = {
    Editing: ("text", "dialect", "is_untold"),
    Shell: ("command", "output", "call"),
    PendingToolEdit: ("path",),
}
"""What is kept of each."""


@dataclass(frozen=True)
class KeptFile:
    """A file as it was: what tells it from any later one, and its content, if that is kept."""

    stamp: str
    mode: int = REGULAR
    version: str | None = None

    @property
    def mark(self) -> FileMark | str | None:
        """What it was; None for no file."""
        if self.version is None:
            return None if self.stamp == ABSENT else UNKNOWN
        from hkgit.evidence.entry import FileMark  # before a call nothing is compared

        return FileMark(self.mode, self.version)


@dataclass(frozen=True)
class BegunCall:
    """A call that no hook has told to be over, and its record.

    It began at `begun`, in milliseconds since 1970, when the record was written. Of a command
    `files` are those that differed from the commit `head`. Without `did` they are how a call has
    left them, behind which a formatter may come.
    """

    place: Path
    did: Begun | None
    directory: Path
    begun: int
    files: Mapping[str, KeptFile]
    head: str | None = None

    @property
    def age(self) -> float:
        """How many seconds ago it began."""
        return time.time() - self.begun / 1000

    @property
    def folder(self) -> Path:
        """That of its session."""
        return self.place.parents[1]

    def restore(self, path: str) -> File | None:
        """Return a file as it was; None for none. Raises Stale where it is not known."""
        kept = self.files.get(path)
        if kept is None:
            fix = "Only a call that is seen before and after it is made can be recorded."
            raise Stale(path, "was not saved before the call", fix)
        return load_version(self.folder, path, kept.mark)

    def end(self) -> None:
        """Forget it: what came of it is taken in, as far as it can be."""
        self.place.unlink(missing_ok=True)


def load_version(folder: Path, path: str, version: FileMark | str | None) -> File | None:
    """Load a version of a file that a session keeps; None for no file. Raises Stale."""
    if version is None:
        return None
    file = None if isinstance(version, str) else Blobs.of_session(folder).file(version)
    if file is None:
        raise Stale(path, "is not stored as it was before the call", "Nothing is recorded.")
    return file


def begin_call(root: Path, folder: Path, did: Did, directory: Path) -> None:
    """Keep what a call is about to change, in the folder of its session. Raises HkgitError."""
    blobs, commands = Blobs.of_session(folder), find_commands(did)
    if commands:
        from hkgit.agents.shown_readings import is_harmless  # an edit runs none

        if not all(map(is_harmless, commands)):
            head, seen = _look(root, blobs)
            _begin(folder, Shell("\n".join(commands), ""), directory, seen, head)
    paths = find_touched_paths(did, root, directory)
    files = {path: keep_file(root, path, blobs) for path in paths}
    if isinstance(did, Editing):
        _begin(folder, did, directory, files)
        say_waiting(folder.parent)
    elif isinstance(did, PendingToolEdit | LateEdit):
        _begin(folder, PendingToolEdit(paths[0]), directory, files)


def note_unshown(folder: Path, did: Shell, directory: Path) -> None:
    """Note a command of which is not told yet what it has shown. Raises OSError."""
    _begin(folder, did, directory, {})
    say_waiting(folder.parent)


def note_left(root: Path, folder: Path, paths: Iterable[str]) -> None:
    """Note how a call has left files, as far as they are there. Raises HkgitError."""
    blobs = Blobs.of_session(folder)
    files = {path: keep_file(root, path, blobs) for path in paths}
    left = {path: each for path, each in files.items() if each.stamp != ABSENT}
    if left:
        _begin(folder, None, root, left)


def _begin(
    folder: Path,
    did: Begun | None,
    directory: Path,
    files: Mapping[str, KeptFile],
    head: str | None = None,
) -> None:
    place = _place(folder, did, files)
    alike = find_files(place.parent, f"{place.name.partition('-')[0]}-*.json")
    for each in sorted(alike, key=lambda each: each.stat().st_mtime)[:-_MOST]:
        each.unlink(missing_ok=True)
    kept = {path: [each.stamp, each.mode, each.version] for path, each in files.items()}
    said = {} if did is None else {name: getattr(did, name) for name in _SAVED[type(did)]}
    keep_json(place, said | {"directory": str(directory), "head": head, "files": kept})


def _place(folder: Path, did: Begun | None, files: Iterable[str]) -> Path:
    """Name the record of a call by its kind; a commit settles those that are `open` or `left`."""
    if did is None:
        kind, words = "left", "\n".join(files)
    elif isinstance(did, Editing):
        kind, words = "untold" if did.is_untold else "open", did.text
    elif isinstance(did, Shell):
        kind, words = ("shell", did.command) if did.call is None else ("unshown", did.call)
    else:
        kind, words = "file", did.path
    # JSON may hold half a character, which no encoding has.
    return folder / "aside" / f"{kind}-{digest(words.encode('utf-8', 'replace'))[:32]}.json"


def load_call(place: Path) -> BegunCall | None:
    """Read a record; None where there is none, or it is damaged."""
    try:
        fields = json.loads(place.read_text())
        files = {path: KeptFile(*each) for path, each in fields["files"].items()}
        begun = place.stat().st_mtime_ns // 10**6
        return BegunCall(
            place=place,
            did=_read_did(fields),
            directory=Path(fields["directory"]),
            begun=begun,
            files=files,
            head=fields["head"],
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _read_did(fields: JsonObject) -> Begun | None:
    for kind, names in _SAVED.items():
        if names[0] in fields:
            return kind(**{name: fields[name] for name in names})
    return None


def find_call(folder: Path, did: Begun, paths: Sequence[str] = ()) -> BegunCall | None:
    """Find what a session has kept for a call; also one of its only file, if its words say none."""
    found = load_call(_place(folder, did, ()))
    if found is None and len(paths) == 1:
        return load_call(_place(folder, PendingToolEdit(paths[0]), ()))
    return found


def find_command(folder: Path, did: Did) -> BegunCall | None:
    """Find what a session has kept for the commands of a call."""
    commands = find_commands(did)
    return find_call(folder, Shell("\n".join(commands), "")) if commands else None


def list_calls(folder: Path, *kinds: str) -> list[BegunCall]:
    """List the calls of a session, or those of some kinds, in the order in which they began."""
    places = (find_files(folder / "aside", f"{kind}-*.json") for kind in kinds or "*")
    calls = (load_call(place) for each in places for place in each)
    return sorted(filter(None, calls), key=lambda call: call.begun)


def list_rivals(folder: Path) -> list[BegunCall]:
    """List the calls of a session that may be changing files now."""
    calls = list_calls(folder, "open", "untold", "file", "shell")
    return [each for each in calls if each.age < LASTS]


def may_change(call: BegunCall, paths: Iterable[str]) -> bool:
    """Whether a call may change one of some files: as it says, or as its command names it."""
    if isinstance(call.did, Shell):
        return any(path.rpartition("/")[2] in call.did.command for path in paths)
    return any(path in call.files for path in paths)


def has_overdue(folder: Path) -> bool:
    """Whether a session has an edit of which a hook was stopped that would have told of it."""
    since = time.time() - OVERDUE
    return any(each.stat().st_mtime <= since for each in find_notes(folder, "open"))


def has_open_work(root: Path, folder: Path) -> bool:
    """Whether an earlier call of a session has left what is to be taken in."""
    if find_notes(folder, "open", "untold", "unshown"):
        return True
    left = (each for call in list_calls(folder, "left") for each in call.files.items())
    return any(stamp(root / path) != kept.stamp for path, kept in left)


def stamp(place: Path) -> str:
    """Tell a file from any later one at its place."""
    try:
        status = place.lstat()
    except OSError:
        return ABSENT
    return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_mode}"


def keep_file(root: Path, path: str, blobs: Blobs) -> KeptFile:
    """Keep a file as it is now. Raises InvalidInput where it is none that can be kept."""
    mark, file = stamp(root / path), Checkout(root).get(path)
    return KeptFile(ABSENT) if file is None else KeptFile(mark, file.mode, blobs.put(file.data))


def _look(root: Path, blobs: Blobs) -> tuple[str | None, dict[str, KeptFile]]:
    """Look at the checkout before a command: its commit, and the files that differ from it.

    Raises GitRefused.
    """
    head, paths = ask_status(root)
    files = dict.fromkeys(paths[_MOST_FILES:], KeptFile(BEYOND))
    return head, files | {path: _keep_seen(root, path, blobs) for path in paths[:_MOST_FILES]}


def _keep_seen(root: Path, path: str, blobs: Blobs) -> KeptFile:
    """Keep a file as it is now; of one that no edit takes only what tells it from a later one."""
    mark = stamp(root / path)
    if mark != ABSENT and int(mark.split(".")[1]) <= _LARGEST:
        with suppress(InvalidInput):
            kept = keep_file(root, path, blobs)
            if kept.mode in PLAIN:
                return kept
    return KeptFile(mark)


def ask_status(root: Path) -> tuple[str | None, list[str]]:
    """Find the commit that HEAD is, None before the first, and each path that differs from it."""
    from hkgit.git.facts import ask_git  # most calls run no command

    said = ask_git(*_STATUS, root=str(root))
    if not said:
        from hkgit.git.program import Git  # it says why

        said = os.fsdecode(Git(root)(*_STATUS).stdout)
    head, paths = None, []
    for line in said.split("\0"):
        kind, _, rest = line.partition(" ")
        if kind == "#" and rest.startswith("branch.oid "):
            named = rest.removeprefix("branch.oid ")
            head = None if named == "(initial)" else named
        elif kind in _FIELDS:
            paths.append(line.split(" ", _FIELDS[kind])[-1])
    return head, [path for path in paths if not path.endswith("/")]


def note_lost(folder: Path, paths: Iterable[str]) -> None:
    """Note files of which a session could not tell who has changed them. Raises OSError."""
    now = time.time_ns() // 10**6
    known = _load_lost(folder.parent).items()
    young = {path: each for path, each in known if each[0] > now - _LOST_FOR}
    keep_json(folder.parent / LOST, young | dict.fromkeys(paths, (now, folder.name)))


def find_lost(root: Path) -> dict[str, tuple[int, str]]:
    """Find the files that sessions have noted so: when, in ms since 1970, and which session."""
    found = [each for home in list_candidates(root) for each in _load_lost(home).items()]
    return dict(sorted(found, key=itemgetter(1)))  # the latest note of a file counts


def _load_lost(home: Path) -> dict[str, tuple[int, str]]:
    try:
        found = json.loads((home / LOST).read_text())
        return {path: (int(time), str(name)) for path, (time, name) in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


@contextmanager
def lock_hooks(folder: Path) -> Iterator[None]:
    """Let hooks of calls that were made at once take in their edits one after the other.

    Those of all sessions: they may have changed one file. Nobody waits longer than an agent lets a
    hook run; what one that is ended then would have taken in, the commit does.
    """
    from hkgit.git.transaction.locks import remove, wait_for  # before a call nothing is locked

    place = folder.parent / "recording.lock"
    descriptor = wait_for(place, HOOK_SECONDS)
    try:
        yield
    finally:
        if descriptor is not None:
            remove(place, descriptor)
