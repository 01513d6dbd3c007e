"""The roots of a client, and whose calls it makes.

A server is told what is asked for alone; the hook before the call is told by which conversation or
sub-agent. Codex says it beside each call.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from hkgit.agents.json_fields import table
from hkgit.agents.tools import session_name
from hkgit.errors import InvalidInput
from hkgit.git.state_files import find_files
from hkgit.sessions.homes import find_checkout, list_candidates, make_home
from hkgit.text.hashes import sha256
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass


@dataclass(frozen=True)
class Root:
    """A checkout, and the directory below it (or it) that may be read and changed."""

    root: Path
    within: Path

    @classmethod
    def around(cls, directory: Path) -> Root:
        """Find the checkout that holds a directory; the directory itself where there is none."""
        return cls(find_checkout(directory), directory.resolve())

    def expect_inside(self, paths: Iterable[str]) -> None:
        """Raise InvalidInput for a path from the root that leads out of what is allowed."""
        for path in paths:
            place = PurePosixPath(self.root.as_posix(), path)
            if self.within.parts and not place.is_relative_to(self.within.as_posix()):
                what = "is outside the roots that the client allows"
                raise InvalidInput(path, what, f"Name a file below {self.within}.")


def places(start: Path, roots: Sequence[str] | None) -> list[Root]:
    """List where to work: each of the client's roots (file URIs) that is a directory, in order.

    Without any, the checkout around `start`: all of it; and this in place of a root that is a
    directory above it. Raises InvalidInput where the client names roots, but none of them is a
    directory here.
    """
    home = find_checkout(start)
    if not roots:
        return [Root(home, home)]
    found = [*filter(None, map(_find_directory, roots))]
    if not found:
        what = f"none of them is a directory here: {', '.join(roots)}"
        raise InvalidInput("the client's roots", what, "Offer the root of a checkout.")
    return list(
        dict.fromkeys(
            Root(home, home) if root.resolve() in home.parents else Root.around(root)
            for root in found
        )
    )


def choose_root(offered: Sequence[Root], asked: str | None) -> Root:
    """Choose the place that a call asks for; the first one by default. Raises InvalidInput."""
    if asked is None:
        return offered[0]
    wanted = Path(asked).resolve() if "\0" not in asked else None
    for place in offered:
        if wanted in (place.within, place.root):
            return place
    known = ", ".join(str(place.within) for place in offered)
    raise InvalidInput("argument root", "is not one of the roots", f"Known: {known}.")


def _find_directory(uri: str) -> Path | None:
    """Find the directory that a root names; None for one that is not here, or out of reach."""
    from urllib.request import url2pathname  # it loads all that speaks HTTP

    with suppress(ValueError, OSError):
        parts = urlsplit(uri)
        path = Path(url2pathname(parts.path))
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and path.is_dir():
            return path
    return None


def session_of_call(meta: JsonObject) -> str | None:
    """Name the session of a call from the `_meta` of its request, as Codex's has it."""
    turn = table(meta.get("x-codex-turn-metadata"))
    conversation, thread = turn.get("session_id"), turn.get("thread_id")
    if not isinstance(conversation, str):
        return None
    # A sub-agent has a thread of its own.
    return session_name("codex", conversation, None if thread == conversation else thread)


FOLDER = ".callers"
"""Beside the sessions of a checkout; no session can have this name."""

_LONGEST_WAIT = 3600
"""Seconds for which a call may wait for a person's leave; notes that are older are removed."""


def note_caller(root: Path, arguments: Mapping[str, object], session: str) -> None:
    """Note that this session makes a call; nothing where that cannot be written."""
    for home in list_candidates(root):
        with suppress(OSError):
            make_home(home)
            (home / FOLDER).mkdir(exist_ok=True)
            _remove_old(home / FOLDER)
            (home / FOLDER / _name_call(arguments)).write_text(session, "utf-8")
            return


def take_caller(root: Path, arguments: Mapping[str, object]) -> str | None:
    """Find the session that makes a call, if that was noted, and forget the note.

    Of two that ask for the same at once it does not matter which is which.
    """
    for home in list_candidates(root):
        with suppress(OSError, UnicodeDecodeError):
            note = home / FOLDER / _name_call(arguments)
            session = note.read_text("utf-8")
            note.unlink()
            return session
    return None


def _name_call(arguments: Mapping[str, object]) -> str:
    return sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()


def _remove_old(folder: Path) -> None:
    since = time.time() - _LONGEST_WAIT
    for note in find_files(folder, "*"):
        with suppress(OSError):
            if note.stat().st_mtime < since:
                note.unlink()
