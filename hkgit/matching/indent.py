"""Indent new lines in the file's own unit.

What the author's indentation means at a place is learnt from the lines that both sides have:
pairs of the author's indentation and the file's. An indentation that no pair shows is reckoned
from the nearest one that a pair shows. Where both sides have the same unit, what the author has
more or less is taken over as it is; else by whole units of either side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from hkgit.matching.view import indent_of
from hkgit.values import dataclass

TAB = 8
UNITS = (2, 3, 4, 8)
SMALLEST = min(UNITS)


@dataclass(frozen=True)
class Indentation:
    """A mapping of the author's indentations to the file's, and the unit of either side.

    The author's is empty where the author's lines do not show it.
    """

    known: Mapping[bytes, bytes]
    author_unit: bytes
    file_unit: bytes

    def of(self, indent: bytes) -> bytes | None:
        """Find the file's indentation for a line that the author indents by `indent`.

        None where it cannot be told.
        """
        if indent in self.known or not self.known:
            return self.known.get(indent, indent)
        if all(author == file for author, file in self.known.items()):
            return indent
        if self.author_unit in (self.file_unit, b""):
            return self._shift(indent)
        near = min(
            self.known,
            key=lambda k: (abs(measure_width(k) - measure_width(indent)), measure_width(k)),
        )
        here = self.known[near]
        levels, rest = _levels(indent, self.author_unit)
        near_levels, near_rest = _levels(near, self.author_unit)
        here_levels, here_rest = _levels(here, self.file_unit)
        is_spaces = b"\t" not in self.author_unit + self.file_unit
        if (is_spaces and near_levels != here_levels) or near_rest or here_rest:
            return None
        if b"\t" in rest and b"\t" not in self.file_unit:
            return None
        return self.file_unit * max(here_levels + levels - near_levels, 0) + rest

    def _shift(self, indent: bytes) -> bytes | None:
        """The indentation of the nearest pair, with what the author has more or less."""
        related = [k for k in self.known if indent.startswith(k) or k.startswith(indent)]
        if not related:
            return None
        near = min(related, key=lambda k: (abs(len(k) - len(indent)), k))
        here = self.known[near]
        if near and (b"\t" in near) != (b"\t" in here):
            return None
        if indent.startswith(near):
            return here + indent[len(near) :]
        return here[: max(len(here) + len(indent) - len(near), 0)]


def learn(
    pairs: Iterable[tuple[bytes, bytes]], author: Sequence[bytes], near: Sequence[bytes]
) -> Indentation:
    """Learn from pairs of lines (the author's, the file's) how indentations correspond.

    The units are those of all the author's lines and of the lines of the file near the place.
    """
    seen: dict[bytes, Counter[bytes]] = {}
    for old, here in pairs:
        if old.strip() and here.strip():
            seen.setdefault(indent_of(old), Counter())[indent_of(here)] += min(len(old.strip()), 9)
    known = {old: max(counts, key=lambda k: (counts[k], k)) for old, counts in seen.items()}
    file_unit = _unit(near) or _unit(author) or b"    "
    mixed = {a: f for a, f in known.items() if a and f and (b"\t" in a) != (b"\t" in file_unit)}
    shares = {_share(old, here, file_unit) for old, here in mixed.items()}
    # Where one side has tabs and the other spaces, the pairs show the author's unit.
    author_unit = min(shares) if len(shares) == 1 else _unit(author, file_unit)
    return Indentation(known=known, author_unit=author_unit, file_unit=file_unit)


def _share(author: bytes, file: bytes, file_unit: bytes) -> bytes:
    """What the author has for one unit of the file's; nothing where that is no whole share."""
    levels, rest = _levels(file, file_unit)
    is_whole = levels and not rest and len(author) % levels == 0
    return author[: len(author) // levels] if is_whole else b""


def _unit(lines: Iterable[bytes], expected: bytes = b"") -> bytes:
    """What one level of lines is indented by: a tab, some spaces, or nothing if none is deeper.

    The expected one where a line is that much deeper than the one above it.
    """
    indents = [indent_of(line) for line in lines if line.strip()]
    tabs = sum(1 for indent in indents if indent.startswith(b"\t"))
    if 2 * tabs > sum(map(bool, indents)):
        return b"\t"
    steps = Counter(len(b) - len(a) for a, b in pairwise(indents) if len(b) > len(a))
    units = [unit for unit in UNITS if steps[unit] and _divides(unit, indents)]
    if not units:
        return b""
    if len(expected) in units:
        return expected
    return b" " * max(units, key=lambda unit: (steps[unit], -unit))


def _divides(unit: int, indents: Sequence[bytes]) -> bool:
    """Whether most indentations are whole levels of so many spaces; of the widest unit all."""
    uneven = sum(1 for indent in indents if len(indent) % unit)
    return 4 * uneven <= len(indents) if unit < max(UNITS) else not uneven


def measure_width(indent: bytes) -> int:
    """Count the columns of an indentation."""
    return len(indent.expandtabs(TAB))


def _levels(indent: bytes, unit: bytes) -> tuple[int, bytes]:
    """How many units an indentation begins with, and what is left of it."""
    levels = 0
    while indent.startswith(unit):
        levels, indent = levels + 1, indent[len(unit) :]
    return levels, indent
