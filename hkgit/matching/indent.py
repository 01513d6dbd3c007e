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
from math import gcd

from hkgit.matching.quotation import indent_of
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
    grain: int = 0
    """The number of spaces of which all of the author's indentations are multiples."""

    def of(self, indent: bytes) -> bytes | None:
        """Find the file's indentation for a line that the author indents by `indent`.

        None where it cannot be told.
        """
        if indent in self.known or not self.known:
            return self.known.get(indent, indent)
        if all(author == file for author, file in self.known.items()):
            return indent
        scaled = self._scale(indent)
        if scaled is not None:
            return scaled
        if self.author_unit == self.file_unit or self._is_shift():
            return self._shift(indent)
        if not self.author_unit:
            return self._guess(indent)
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

    def _scale(self, indent: bytes) -> bytes | None:
        """The indentation times the ratio that several pairs show, if it is of whole levels."""
        deep = {a: f for a, f in self.known.items() if a and f}
        is_all = all(bool(a) == bool(f) for a, f in self.known.items())
        marks = {(a[:1], f[:1]) for a, f in deep.items()}
        shares = ((len(f), len(a), gcd(len(f), len(a))) for a, f in deep.items())
        ratios = {(over // common, under // common) for over, under, common in shares}
        if not is_all or len(self.known) < 2 or len(marks) != 1 or len(ratios) != 1:
            return None
        [(author, file)], [(over, under)] = marks, ratios
        sides = (b"".join((indent, *deep)).strip(author), b"".join(deep.values()).strip(file))
        is_even = author == b"\t" or len(indent) % gcd(*map(len, deep)) == 0
        is_even = is_even or self.grain * over >= SMALLEST * under
        if any(sides) or not is_even or len(indent) * over % under:
            return None
        return file * (len(indent) * over // under)

    def _is_shift(self) -> bool:
        """Whether the pairs alone show that all is moved by one and the same width."""
        moves = {len(file) - len(author) for author, file in self.known.items()}
        has_tabs = b"\t" in b"".join((*self.known, *self.known.values()))
        return len(self.known) > 1 and len(moves) == 1 and not has_tabs

    def _guess(self, indent: bytes) -> bytes | None:
        """The indentation where the author's unit is not known: a shift.

        None where that leaves no whole levels and other units on either side would.
        """
        shifted = self._shift(indent)
        shares = {_share(a, f, self.file_unit) for a, f in self.known.items() if a}
        share = min(shares) if len(shares) == 1 else b""
        is_scalable = bool(share) and not _levels(indent, share)[1]
        is_uneven = shifted is not None and _levels(shifted, self.file_unit)[1]
        return None if is_uneven and is_scalable else shifted

    def _shift(self, indent: bytes) -> bytes | None:
        """The indentation of the nearest pair, with what the author has more or less."""
        related = [k for k in self.known if indent.startswith(k) or k.startswith(indent)]
        if not related:
            return None
        near = min(related, key=lambda k: (abs(len(k) - len(indent)), k))
        here = self.known[near]
        if indent.startswith(near):
            more = indent[len(near) :]
            kinds = [set(each) for each in (near, here, more)]
            # What the author has more would be behind whitespace of the other kind.
            is_mixed = all(len(k) == 1 for k in kinds) and kinds[0] == kinds[2] != kinds[1]
            return None if is_mixed else here + more
        less = len(near) - len(indent)
        if (b"\t" in near) != (b"\t" in here):
            return None
        return here[: max(len(here) - less, 0)]


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
    deep = {old: counts for old, counts in seen.items() if old}
    same = sum(counts[old] for old, counts in deep.items())
    if 4 * same > 3 * sum(counts.total() for counts in deep.values()):
        # Most of what is indented at all is indented alike on both sides.
        known = {old: old for old in seen}
    file_unit = _unit(near) or _unit(author) or b"    "
    author_unit = _ratio(known, file_unit) or _unit(author, file_unit)
    grain = gcd(*(len(indent_of(line)) for line in author if line.strip()))
    return Indentation(known=known, author_unit=author_unit, file_unit=file_unit, grain=grain)


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
    # Else one by which nearly all that is indented more deeply is so.
    units = units or [u for u in UNITS if steps[u] > 2 and 4 * steps[u] > 3 * steps.total()]
    if not units:
        return b""
    if len(expected) in units:
        return expected
    return b" " * max(units, key=lambda unit: (steps[unit], -unit))


def _divides(unit: int, indents: Sequence[bytes]) -> bool:
    """Whether most indentations are whole levels of so many spaces; of the widest unit all."""
    uneven = sum(1 for indent in indents if len(indent) % unit)
    return 4 * uneven <= len(indents) if unit < max(UNITS) else not uneven


def _ratio(known: dict[bytes, bytes], file_unit: bytes) -> bytes:
    """The author's unit where the pairs show it, each by the share of a level.

    They do where one side has tabs and the other spaces, or where they agree at several depths
    (no indentation at all is one of them).
    """
    deep = {author: file for author, file in known.items() if author and file}
    units = {_share(author, file, file_unit) for author, file in deep.items()}
    is_mixed = any((b"\t" in author) != (b"\t" in file_unit) for author in deep)
    is_shown = len(units) == 1 and (is_mixed or len(deep) > 1 or known.get(b"") == b"")
    return min(units) if is_shown else b""


def _share(author: bytes, file: bytes, file_unit: bytes) -> bytes:
    """What the author has for one unit of the file's."""
    levels, rest = _levels(file, file_unit)
    is_whole = levels and not rest and len(author) % levels == 0
    return author[: len(author) // levels] if is_whole else b""


def measure_width(indent: bytes) -> int:
    """Count the columns of an indentation."""
    return len(indent.expandtabs(TAB))


def _levels(indent: bytes, unit: bytes) -> tuple[int, bytes]:
    """How many units an indentation begins with, and what is left of it."""
    levels = 0
    while indent.startswith(unit):
        levels, indent = levels + 1, indent[len(unit) :]
    return levels, indent
