"""following.py: what files say while a transcript goes on, call after call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from hkgit.errors import InvalidInput
from hkgit.sessions.storage.blobs import Blobs
from hkgit.values import replace
from hkgit.workflows.adopting.contents.results import makes_file, may_be_made_on, needs_text
from hkgit.workflows.adopting.contents.texts import is_shown_as, with_ends
from hkgit.workflows.adopting.steps import LoggedEdit

Versions = Callable[[str], Iterator[bytes]]
"""Versions of a file that a repository has, those that are likeliest first."""


class FollowedFiles:
    """The files as the log tells them, else as its calls left them, else as a repository has them.

    Every version goes into `blobs`.
    """

    def __init__(self, versions: Versions, blobs: Blobs) -> None:
        self._versions = versions
        self._blobs = blobs
        self._files: dict[str, bytes | None] = {}
        self._history: dict[str, list[str]] = {}

    def read(self, path: str) -> bytes | None:
        """Read what a file says now, as far as that is known."""
        return self._files.get(path)

    def arrive(self, path: str, data: bytes | None) -> None:
        """Note what a file says from now on."""
        self._files[path] = data
        if data is not None:
            name = self._blobs.put(data)
            history = self._history.setdefault(path, [])
            if name not in history[-1:]:
                history.append(name)

    def lose(self, paths: Iterable[str]) -> None:
        """Forget files that a call has changed in a way that cannot be told."""
        for path in paths:
            self._files.pop(path, None)

    def list_past(self, path: str, count: int) -> Iterator[bytes]:
        """List the last versions of a file, the newest first."""
        for name in reversed(self._history.get(path, [])[-count:]):
            kept = self._blobs.get(name)
            if kept is not None:
                yield kept

    def list_known(self, path: str, count: int) -> Iterator[bytes]:
        """List versions that a file may have had: now, before, and in the repository."""
        now = self._files.get(path)
        yield from () if now is None else (now,)
        yield from self.list_past(path, count)
        yield from islice(self._versions(path), count)

    def restore(self, path: str, text: bytes) -> bytes:
        """Give a text of a log the line ends and the mark that its file has.

        Tools show files without a byte order mark, and lines without their carriage returns.
        """
        here = self._files.get(path)
        if here is None:
            here = next(self._versions(path), None)
        return here if here is not None and is_shown_as(here, text) else with_ends(text, here)

    def find_before(self, path: str, edit: LoggedEdit) -> bytes | None:
        """Find what a file said before a call. Raises InvalidInput where nothing tells it."""
        if edit.before is not None and path in edit.before:
            content = edit.before[path]
            return None if content is None else self.restore(path, content)
        is_here = path in self._files
        if not needs_text(edit, path):
            return self._files[path] if is_here else next(self._versions(path), None)
        if makes_file(edit, path, is_here=is_here):
            return None
        found = self._find_version(path, edit)
        if found is None and edit.replacements and edit.hunks:
            # Others have moved its lines: the words of the call still name its place.
            found = self._find_version(path, replace(edit, hunks=None))
        if found is None:
            raise make_unknown([path], "nothing tells what the file said before the call")
        return found

    def _find_version(self, path: str, edit: LoggedEdit) -> bytes | None:
        here = self._files.get(path)
        candidates = [] if here is None else [here]
        versions = (*candidates, *self._versions(path))
        return next((data for data in versions if may_be_made_on(edit, path, data)), None)


def make_unknown(paths: Sequence[str], what: str) -> InvalidInput:
    """Make the error of a call that cannot be replayed."""
    return InvalidInput(", ".join(paths), what)
