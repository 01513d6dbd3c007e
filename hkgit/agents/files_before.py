"""Keep files as they are before an agent's tool changes them, one copy for each call.

An agent may call several tools at once: of calls that change one file the first leaves behind
what the next begins with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hkgit.agents.begun_calls import note_begun
from hkgit.agents.events import Did, Editing, UntoldEdit
from hkgit.agents.specs import find_commands, find_touched_paths, words_of
from hkgit.edits import File, encode_text
from hkgit.errors import Stale
from hkgit.sessions.blobs import Blobs
from hkgit.sessions.file_lines import Checkout
from hkgit.text.hashes import digest, sha256

_UNSEEN = "Only a call that is seen before and after it is made can be recorded."

_WAIT = 5.0
"""So many seconds a hook waits for another: agents wait for it in turn."""


class PutAside:
    """Files put aside in a session's folder, by path and by the words of the call."""

    def __init__(self, folder: Path, blobs: Blobs) -> None:
        self._folder = folder / "aside"
        self._blobs = blobs

    def put(self, path: str, words: str, file: File | None) -> None:
        """Keep a file, None for none, until the call with those words has been made."""
        kept = None if file is None else [file.mode, self._blobs.put(file.data)]
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{name_text(path)}-{name_text(words)}.json").write_text(json.dumps(kept))

    def get(self, path: str, words: str) -> File | None:
        """Return the file as it was before a call. Raises Stale where it was not put aside."""
        try:
            place = self._find(path, words)
        except StopIteration as error:
            raise Stale(path, "was not saved before the call", _UNSEEN) from error
        return read_copy(place, path, self._blobs)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let hooks of calls that were made at once take in their edits one after the other.

        Those of all sessions: they may have changed one file. One that takes too long is not
        waited for.
        """
        from hkgit.git.transaction.locks import remove, wait_for  # before a call nothing is locked

        place = self._folder.parents[1] / "recording.lock"
        descriptor = wait_for(place, _WAIT)
        try:
            yield
        finally:
            if descriptor is not None:
                remove(place, descriptor)

    def is_for(self, path: str, words: str) -> bool:
        """Whether a file was put aside for that very call, or for one that does not say its words.

        Other copies of it may be of calls that were never made.
        """
        names = (f"{name_text(path)}-{name_text(each)}.json" for each in (words, ""))
        return any((self._folder / name).exists() for name in names)

    def drop(self, path: str, words: str) -> None:
        """Forget a file: its call has been made."""
        with suppress(OSError, StopIteration):
            self._find(path, words).unlink()

    def note_unknown(self, path: str) -> None:
        """Note that a file was changed until now, and that it is not known by which call.

        Other sessions' calls that began before that may not take it for theirs.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{name_text(path)}.unknown").touch()

    def find_time(self, path: str, words: str) -> float:
        """Return when a file was put aside for a call, in seconds since 1970; 0 where it was not.

        What other sessions have recorded until then is in that copy.
        """
        try:
            return self._find(path, words).stat().st_mtime
        except (OSError, StopIteration):
            return 0.0

    def renew(self, path: str, file: File | None, before: File | None) -> None:
        """Let the calls that are still to come begin with what this one has left.

        Those of other sessions too, where they began with what this one has changed: else they
        would take its work for theirs. What they hold that is older is known to be older.
        """
        for place in self._folder.parents[1].glob(f"*/aside/{name_text(path)}-*.json"):
            session = place.parents[1]
            is_own = session == self._folder.parent
            blobs = self._blobs if is_own else Blobs.of_session(session)
            with suppress(OSError):
                if is_own or _is_copy(place, before):
                    kept = None if file is None else [file.mode, blobs.put(file.data)]
                    place.write_text(json.dumps(kept))

    def _find(self, path: str, words: str) -> Path:
        """Find the copy for the call with those words; else any other copy of the file."""
        names = (f"{name_text(path)}-{name_text(each)}.json" for each in (words, ""))
        known = (place for name in names if (place := self._folder / name).exists())
        return next(known, None) or next(self._list(path))

    def _list(self, path: str) -> Iterator[Path]:
        return iter(sorted(self._folder.glob(f"{name_text(path)}-*.json")))


def begin_call(root: Path, folder: Path, did: Did, directory: Path) -> None:
    """Keep what a call is about to change, in the folder of its session. Raises HkgitError."""
    commands = find_commands(did)
    if commands:
        from hkgit.agents.shown_readings import is_harmless  # an edit runs none

        if not all(map(is_harmless, commands)):
            from hkgit.agents.shell_changes import ShellSnapshots

            ShellSnapshots(root, folder).keep("\n".join(commands))
    aside, checkout = PutAside(folder, Blobs.of_session(folder)), Checkout(root)
    for path in find_touched_paths(did, root, directory):
        aside.put(path, words_of(did), checkout.get(path))
    if isinstance(did, Editing | UntoldEdit):
        note_begun(folder, did, directory)


def read_copy(place: Path, path: str, blobs: Blobs) -> File | None:
    """Read what was put aside at a place. Raises Stale where it is not there."""
    try:
        kept = json.loads(place.read_text())
    except (OSError, ValueError) as error:
        raise Stale(path, "was not saved before the call", _UNSEEN) from error
    if kept is None:
        return None
    data = blobs.get(kept[1])
    if data is None:
        raise Stale(path, "is not stored as it was before the call", "Nothing is recorded.")
    return File(data, kept[0])


def _is_copy(place: Path, file: File | None) -> bool:
    """Whether a copy that was put aside is of a file as it is."""
    try:
        kept = json.loads(place.read_text())
    except ValueError:
        return False
    return kept is None if file is None else kept == [file.mode, digest(file.data)]


def name_text(words: str) -> str:
    """Name a path, or the words of a call, as they are named in what is put aside."""
    return sha256(encode_text(words)).hexdigest()[:32]
