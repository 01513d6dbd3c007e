"""What a logged call found and left, as its log or its words tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from hkgit.applying.file_diff import compare_files
from hkgit.applying.net import tell_changes
from hkgit.edits import (
    CreateFile,
    DeleteFile,
    File,
    RenameFile,
    Spec,
    WriteFile,
    encode_text,
    new_text_of,
    old_text_of,
)
from hkgit.errors import InvalidInput, Unverifiable
from hkgit.evidence.entry import RecordedFile
from hkgit.git.repository import Repository
from hkgit.text.diff import find_common
from hkgit.text.document import BOM
from hkgit.workflows.log_steps import LineHunk, LoggedEdit, Told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.log_steps import Texts


def find_after(told: Told, before: Texts, words: Texts) -> Texts | None:
    """Find what a call has left, with the line ends that the file has; None where nothing tells.

    `words` is what its words make of its files, where they make anything. Raises InvalidInput where
    what is told does not fit the files as they were.
    """
    after = {
        path: None if data is None else with_ends(data, before.get(path))
        for path, data in (told.after or {}).items()
    }
    for path, hunks in (told.hunks or {}).items():
        if path in after:
            continue
        data, made = before.get(path), words.get(path)
        is_moved = path not in (told.before or {}) and not do_hunks_fit(data, hunks)
        if made is not None and is_moved and told.is_final:  # others have moved its lines
            after[path] = made
        else:
            after[path] = apply_hunks(data, hunks, made)
    return after or None


def may_be_made_on(edit: LoggedEdit, path: str, data: bytes) -> bool:
    """Whether a call may have been made on a version: its old texts are there, unless chained."""
    hunks = (edit.told.hunks or {}).get(path)
    if hunks is not None:
        return do_hunks_fit(data, hunks)
    text = show_text(data)
    for each in edit.spec.edits if edit.spec is not None else ():
        if each.path == path:
            if show_text(encode_text(old_text_of(each))) not in text:
                return False
            text += show_text(encode_text(new_text_of(each)))
    return True


def needs_text(edit: LoggedEdit, path: str) -> bool:
    """Whether a call could be made on one text of a file and not on another."""
    if edit.spec is None:
        told = edit.told
        return path in (told.hunks or {}) or (told.after or {}).get(path) is not None
    kinds = {type(each) for each in edit.spec.edits if each.path == path}
    return not kinds or not kinds <= {WriteFile, DeleteFile, RenameFile}


def makes_file(edit: LoggedEdit, path: str, *, is_here: bool) -> bool:
    """Whether a call makes a new file."""
    edits = () if edit.spec is None else edit.spec.edits
    if any(isinstance(each, CreateFile) for each in edits if each.path == path):
        return True
    is_named = any(each.path == path for each in edits) or path in (edit.told.hunks or {})
    return not is_named and not is_here


def make_difference(before: Texts, after: Texts) -> Spec:
    """Render what a call has changed as a diff. Raises InvalidInput where that is nothing."""
    old, new = (partial(_find_file, texts) for texts in (before, after))
    changes = compare_files(old, new, after)
    if not changes:
        raise InvalidInput(", ".join(after), "the call changed nothing")
    return tell_changes(changes)


def _find_file(texts: Texts, path: str) -> File | None:
    data = texts.get(path)
    return None if data is None else File(data)


def name_change(change: RecordedFile) -> tuple[str, str | None, str | None]:
    """Name a change of a file: its path, and what it said before and after by SHA-256."""
    before, after = (None if x is None else x.sha256 for x in (change.before, change.after))
    return change.name, before, after


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
