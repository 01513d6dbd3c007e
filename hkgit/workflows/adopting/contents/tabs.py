"""tabs.py: tabs at the beginnings of lines, of which some logs show each as two blanks.

Claude Code does so in its diffs. A line of the file, or of the text that the words of the call
make, tells what a shown line was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hkgit.errors import InvalidInput
from hkgit.text.diff import find_common

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
