"""indent.py: the indentation of new lines, in the file's own unit.

What the author's indentation means at a place is learnt from the lines that both sides have:
pairs of the author's indentation and the file's. An indentation that no pair shows is reckoned
from the nearest one that a pair shows, by whole steps of both units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from hkgit.matching.lines import indent_of

TAB = 8


@dataclass(frozen=True, slots=True)
class Indentation:
    """A mapping of the author's indentations to the file's."""

    known: dict[bytes, bytes]
    author_step: int
    file_step: bytes

    def of(self, indent: bytes) -> bytes:
        """The file's indentation for a line that the author indents by `indent`."""
        if indent in self.known:
            return self.known[indent]
        if not self.known:
            return indent
        size = width(indent)
        near = min(self.known, key=lambda k: (abs(width(k) - size), width(k)))
        return self._stepped(self.known[near], indent, near)

    def _stepped(self, base: bytes, indent: bytes, near: bytes) -> bytes:
        """`base` moved by as many steps as lie between `near` and `indent`."""
        if base == near:
            return indent
        steps, rest = divmod(width(indent) - width(near), self.author_step)
        if steps >= 0:
            return base + self.file_step * steps + b" " * rest
        return base[: max(len(base) - len(self.file_step) * -steps, 0)] + b" " * rest

    def line(self, line: bytes) -> bytes:
        """A line of the author's with the file's indentation; blank lines stay as they are."""
        text = line.lstrip(b" \t")
        return self.of(indent_of(line)) + text if text else line


def learn(pairs: Iterable[tuple[bytes, bytes]], author: Sequence[bytes]) -> Indentation:
    """The mapping that pairs of lines (the author's, the file's) show.

    `author` are all the author's lines, from which the step of the author is taken.
    """
    seen: dict[bytes, Counter[bytes]] = {}
    for old, here in pairs:
        if old.strip() and here.strip():
            seen.setdefault(indent_of(old), Counter())[indent_of(here)] += 1
    known = {old: max(counts, key=lambda k: (counts[k], k)) for old, counts in seen.items()}
    step = _step(map(width, map(indent_of, filter(bytes.strip, author))))
    tabs = any(indent.startswith(b"\t") for indent in known.values())
    unit = _step(map(width, known.values())) or step
    return Indentation(known, step or 4, b"\t" if tabs else b" " * (unit or 4))


def width(indent: bytes) -> int:
    """The columns of an indentation."""
    return len(indent.expandtabs(TAB))


def _step(widths: Iterable[int]) -> int:
    """The greatest step that explains the differences of widths; 0 where there is none."""
    ordered = sorted(set(widths))
    step = 0
    for size in ordered[1:]:
        step = gcd(step, size - ordered[0])
    return step
