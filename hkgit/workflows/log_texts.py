"""Texts and diffs in logs, turned into edits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from hkgit.text.diff import find_common
from hkgit.text.document import BOM
from hkgit.values import replace
from hkgit.workflows.log_steps import LoggedHunk

_LEADING = re.compile(rb"^\t+", re.MULTILINE)
_INDENT = re.compile(rb"[\t ]*")


def show_tabs(text: bytes) -> bytes:
    """Write a text with two spaces for each tab that its lines begin with."""
    return _LEADING.sub(lambda tabs: b"  " * len(tabs[0]), text)


def restore_tabs(shown: bytes, before: bytes, words: bytes | None) -> bytes:
    """Restore what a text was that is shown so: with the tabs of what was there before.

    `words` is the text as the words of the call make it, which may quote otherwise than what was
    written. Raises InvalidInput where a line may have been one or the other.
    """
    if words is not None and show_tabs(words) == shown:
        return words
    lines = shown.split(b"\n")
    meant = words.split(b"\n") if words is not None else []
    if len(meant) == len(lines):
        return b"\n".join(
            _restore_line(line, guide) for line, guide in zip(lines, meant, strict=True)
        )
    old = before.split(b"\n")
    kept = {j: old[i] for i, j in find_common([*map(show_tabs, old)], lines)}
    known = _list_shown(old)
    return b"\n".join(
        kept[at] if at in kept else _find_line(line, known, before) for at, line in enumerate(lines)
    )


def _restore_line(line: bytes, guide: bytes) -> bytes:
    """Restore a line with the indentation of its guide. Raises InvalidInput where that differs."""
    indent = _INDENT.match(guide)
    assert indent is not None, "the pattern matches everything"
    rest = line.removeprefix(show_tabs(indent[0]))
    if show_tabs(indent[0]) + rest != line:
        raise InvalidInput("the log", "its diff does not match the arguments of the call")
    return indent[0] + rest


def _list_shown(lines: Sequence[bytes]) -> dict[bytes, set[bytes]]:
    known: dict[bytes, set[bytes]] = {}
    for line in lines:
        known.setdefault(show_tabs(line), set()).add(line)
    return known


def _find_line(line: bytes, known: Mapping[bytes, set[bytes]], before: bytes) -> bytes:
    """Find the line of a file that is shown so; in a file indented by tabs alone, make one."""
    there = known.get(line, set())
    if len(there) == 1 or not line.startswith(b" "):
        return next(iter(there), line)
    count = len(line) - len(line.lstrip(b" "))
    if there or count % 2 or re.search(rb"^ ", before, re.MULTILINE):
        raise InvalidInput("the log", "its diff does not distinguish tabs from spaces")
    return b"\t" * (count // 2) + line[count:]


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


def apply_hunks(
    data: bytes | None, hunks: Sequence[LoggedHunk], words: bytes | None = None
) -> bytes:
    """Apply hunks to a file, with its own line ends. Raises InvalidInput where they do not fit.

    A log may show tabs as whitespace (Claude Code does); `words` is what the words of the call make
    of the file, where they tell it.
    """
    text = show_text(data or b"")
    meant = None if words is None else show_text(words)
    shown = show_tabs(text)
    if any(each.has_tabs for each in hunks) or (shown == text and words is None):
        made = _apply(text, hunks)
    else:
        made = restore_tabs(_apply(shown, hunks), text, meant)
    return with_ends(made, data)


def _apply(text: bytes, hunks: Sequence[LoggedHunk]) -> bytes:
    """Apply hunks to a text.

    A log may show hunks without the indentation that all their lines share (OpenCode does); it is
    taken from the text then.
    """
    lines = text.split(b"\n")
    is_ended = lines[-1] == b""
    if is_ended:
        lines.pop()
    indent = _find_indent(lines, hunks)
    for each in reversed(hunks):
        hunk = _drop_end(each, len(lines)) if is_ended else each
        start = _find_start(hunk)
        stop = start + len(hunk.old)
        if not _is_at(lines, hunk, indent):
            raise InvalidInput("the log", "its diff does not match the file as it was")
        is_last = stop >= len(lines)
        lines[start:stop] = _make_new_lines(lines[start:stop], hunk, indent)
        is_told = is_last and hunk.is_ended is not None
        is_ended = bool(hunk.is_ended) if is_told else is_ended
    return b"\n".join(lines) + (b"\n" if lines and is_ended else b"")


def _drop_end(hunk: LoggedHunk, count: int) -> LoggedHunk:
    """A hunk without the empty line that some programs (Copilot) see after the last end."""
    is_beyond = _find_start(hunk) + len(hunk.old) == count + 1 and hunk.old[-1:] == (b"",)
    if not is_beyond:
        return hunk
    is_ended = hunk.new[-1:] == (b"",)
    new = hunk.new[:-1] if is_ended else hunk.new
    return replace(hunk, old=hunk.old[:-1], new=new, is_ended=is_ended)


def do_hunks_fit(data: bytes | None, hunks: Sequence[LoggedHunk]) -> bool:
    """Whether a file has the old lines of all hunks at their numbers."""
    text = show_text(data or b"")
    try:
        _apply(text if any(each.has_tabs for each in hunks) else show_tabs(text), hunks)
    except InvalidInput:
        return False
    return True


def _find_start(hunk: LoggedHunk) -> int:
    """The index of its first line; a hunk that only adds names the line above."""
    return hunk.start_line if not hunk.old and hunk.start_line else max(hunk.start_line - 1, 0)


def _is_at(lines: Sequence[bytes], hunk: LoggedHunk, indent: bytes) -> bool:
    start = min(_find_start(hunk), len(lines))
    there = lines[start : start + len(hunk.old)]
    return len(there) == len(hunk.old) and all(
        _is_line(line, old, indent) for line, old in zip(there, hunk.old, strict=True)
    )


def _is_line(line: bytes, old: bytes, indent: bytes) -> bool:
    return line == indent + old or (not old.strip() and line[len(indent) :] == old)


def _find_indent(lines: Sequence[bytes], hunks: Sequence[LoggedHunk]) -> bytes:
    """Find the indentation that the lines of a file have more than those of the hunks."""
    for hunk in hunks:
        for line, old in zip(lines[_find_start(hunk) :], hunk.old, strict=False):
            if old.strip():
                extra = line[: len(line) - len(old)] if line.endswith(old) else b""
                return extra if not extra.strip() else b""
    return b""


def _make_new_lines(there: Sequence[bytes], hunk: LoggedHunk, indent: bytes) -> list[bytes]:
    """The lines that a hunk leaves; blank ones as the file had them, where it had them."""
    if not indent:
        return [*hunk.new]
    blank = {old: line for line, old in zip(there, hunk.old, strict=True) if not old.strip()}
    return [indent + new if new.strip() else blank.get(new, new) for new in hunk.new]
