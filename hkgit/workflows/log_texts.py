"""What a log says of files: their texts and versions.

Claude Code does so in its diffs. A line of the file, or of the text that the words of the call
make, tells what a shown line was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from hkgit.errors import InvalidInput, Unverifiable
from hkgit.git.repository import Repository
from hkgit.text.diff import find_common
from hkgit.text.document import BOM

_LEADING = re.compile(rb"^\t+", re.MULTILINE)
_INDENT = re.compile(rb"[\t ]*")


def show_tabs(text: bytes) -> bytes:
    """Write a text with two blanks for each tab that its lines begin with."""
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
        raise InvalidInput("the log", "its diff does not fit the words of the call")
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
        raise InvalidInput("the log", "its diff does not tell tabs from blanks")
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
