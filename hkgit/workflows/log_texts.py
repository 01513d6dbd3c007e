"""Texts and diffs in logs, turned into edits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from hkgit.sessions.told_changes import LineHunk
from hkgit.text.diff import find_common
from hkgit.text.document import BOM

_LEADING = re.compile(rb"^\t+", re.MULTILINE)


def show_tabs(text: bytes) -> bytes:
    """Write a text with two spaces for each tab that its lines begin with."""
    return _LEADING.sub(lambda tabs: b"  " * len(tabs[0]), text)


def restore_tabs(shown: bytes, before: bytes) -> bytes:
    """Restore what a text was that is shown so: with the tabs of what was there before.

    Raises InvalidInput where a new line may have been indented by either.
    """
    old, lines = before.split(b"\n"), shown.split(b"\n")
    kept = {j: old[i] for i, j in find_common([*map(show_tabs, old)], lines)}
    if any(at not in kept and line.startswith(b" ") for at, line in enumerate(lines)):
        raise InvalidInput("the log", "its diff does not distinguish tabs from spaces")
    return b"\n".join(kept.get(at, line) for at, line in enumerate(lines))


def show_text(data: bytes) -> bytes:
    """Write a text as tools show it."""
    return data.removeprefix(BOM).replace(b"\r\n", b"\n")


def is_shown_as(data: bytes | None, text: bytes) -> bool:
    """Whether a file reads like a text that a log holds."""
    return data is not None and (data == text or show_text(data) == show_text(text))


def with_ends(text: bytes, before: bytes | None) -> bytes:
    """Give a text the mark and line ends of what was there before."""
    if before is None:
        return text
    head = before.partition(b"\n")[0]
    if head.endswith(b"\r") and b"\r\n" not in text:
        text = text.replace(b"\n", b"\r\n")
    return BOM + text if before.startswith(BOM) and not text.startswith(BOM) else text


_VERSIONS = 30
"""So many versions of a file are looked up in its history."""


class FileVersions:
    """The versions of files: those before the changes, then those of the history, newest first."""

    def __init__(self, repository: Repository, trees: Sequence[str]) -> None:
        self._repository = repository
        self._trees = trees
        self._known = lru_cache(maxsize=None)(self._list)

    def __call__(self, path: str) -> Iterator[bytes]:
        for tree in self._trees:
            file = self._repository.snapshot(tree).get(path)
            if file is not None:
                yield file.data
        for blob in self._known(path):
            try:
                yield self._repository.blob(blob)
            except Unverifiable:
                return

    def _list(self, path: str) -> tuple[str, ...]:
        if self._repository.head().commit is None:
            return ()
        options = ("--no-renames", "--no-ext-diff", "--format=", "--raw", "--no-abbrev")
        limit = f"-{_VERSIONS}"
        listed = self._repository.git("log", limit, *options, "HEAD", "--", f":(top,literal){path}")
        blobs = (line.split()[3:1:-1] for line in listed.text.splitlines() if line[:1] == ":")
        named = (blob for pair in blobs for blob in pair if blob.strip("0"))
        return tuple(dict.fromkeys(named))


def apply_hunks(data: bytes | None, hunks: Sequence[LineHunk], words: bytes | None = None) -> bytes:
    """Apply hunks to a file, with its own line ends. Raises InvalidInput where they do not fit.

    A log may show tabs as spaces (Claude Code does); `words` is what the words of the call make of
    the file, where they make anything: that is it, if it is shown so.
    """
    text = show_text(data or b"")
    shown = show_tabs(text)
    if any(each.has_tabs for each in hunks) or shown == text:
        return with_ends(_apply(text, hunks), data)
    made = _apply(shown, hunks)
    if words is not None and show_tabs(show_text(words)) == made:
        return words
    return with_ends(restore_tabs(made, text), data)


def _apply(text: bytes, hunks: Sequence[LineHunk]) -> bytes:
    lines = text.split(b"\n")
    is_ended = lines[-1] == b""
    if is_ended:
        lines.pop()
    for hunk in reversed(hunks):
        # One that only adds names the line above.
        is_below = not hunk.old and hunk.start_line
        start = hunk.start_line if is_below else max(hunk.start_line - 1, 0)
        stop = start + len(hunk.old)
        if tuple(lines[start:stop]) != hunk.old:
            raise InvalidInput("the log", "its diff does not match the file as it was")
        is_ended = hunk.is_ended if stop >= len(lines) else is_ended
        lines[start:stop] = hunk.new
    return b"\n".join(lines) + (b"\n" if lines and is_ended else b"")


def do_hunks_fit(data: bytes | None, hunks: Sequence[LineHunk]) -> bool:
    """Whether a file has the old lines of all hunks at their numbers."""
    text = show_text(data or b"")
    try:
        _apply(text if any(each.has_tabs for each in hunks) else show_tabs(text), hunks)
    except InvalidInput:
        return False
    return True
