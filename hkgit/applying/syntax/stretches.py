"""stretches.py: find the lines around a change that parse by themselves.

Reading a whole file takes long; the statements around a change are as good: they begin where a
statement begins that is indented no deeper than anything that changed, and end where the next one
does. A stretch may be misjudged (it may lie in a string), so it only ever clears a change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_GOES_ON = rb"else|elif|elsif|except|finally|when|in|end|fi|done|then|do|esac|case|catch|default"
_STATEMENT = re.compile(rb"(?!(?:" + _GOES_ON + rb"|rescue|ensure|where)\b)[A-Za-z_@$]")
"""How a line begins that is no part of what stands above it."""

_OPENING = re.compile(rb"(?:async\s+def|def|class)\b")
"""The same of a line that is indented: there, others may be part of a bracket."""


def cut_stretch(before: bytes, after: bytes, *, may_nest: bool) -> tuple[bytes, bytes, int]:
    """Cut out the stretch around all that changed: before, after, and the lines above it.

    If it may nest, as in Python, an indented one has a line put above it that opens a block.
    """
    old, new = before.split(b"\n"), after.split(b"\n")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    changed = (*old[head : len(old) - tail], *new[head : len(new) - tail])
    margin = min(map(_depth, filter(bytes.strip, changed)), default=0) if may_nest else 0
    start = _start(new[:head], margin)
    depth = _depth(new[start]) if start < head else 0
    kept = _end(new[len(new) - tail :], depth)
    opener = [b"if 1:"] if depth else []
    stretches = (
        b"\n".join([*opener, *lines[start : len(lines) - tail + kept], b""]) for lines in (old, new)
    )
    return next(stretches), next(stretches), start - len(opener)


def _common(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """How many lines at the beginning are equal."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    return low


def _start(above: Sequence[bytes], margin: int) -> int:
    """The nearest line above at which a stretch can begin; the first of the file where none is."""
    for at in range(len(above) - 1, -1, -1):
        depth = _depth(above[at])
        begins = _STATEMENT if depth == 0 else _OPENING
        if depth <= margin and begins.match(above[at], depth):
            return at
    return 0


def _end(below: Sequence[bytes], depth: int) -> int:
    """How many of the lines below belong to the stretch."""
    for at, line in enumerate(below):
        if _depth(line) <= depth and _STATEMENT.match(line, _depth(line)):
            return at
    return len(below)


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
