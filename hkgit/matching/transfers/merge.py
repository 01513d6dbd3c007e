"""merge.py: apply an author's changes to the lines of the file."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from functools import cached_property

from hkgit.errors import Conflict
from hkgit.matching.lines import INDENT, EditLines, FileLines, indent_of, list_keys, make_key
from hkgit.matching.search.align import Targets, align
from hkgit.matching.transfers.by_lines import LineIndents
from hkgit.matching.transfers.indent import Indentation, learn
from hkgit.matching.transfers.landing import Lines, find_landings
from hkgit.matching.transfers.tokens import merge_line
from hkgit.text.diff import LineChange
from hkgit.text.document import Splice
from hkgit.values import dataclass

NEAR = 200
"""So many lines above and below a place show the file's unit of indentation."""

EDITED = 450
"""From this similarity on, per mille, a new line is an edited form of an old one."""


@dataclass(frozen=True)
class Merge:
    """The changes of `wanted`, made where `targets` says that the old lines stand."""

    view: FileLines
    path: str
    wanted: EditLines
    targets: Targets

    def splices(self) -> list[Splice]:
        """Compute one splice a change; raise Conflict where it is unclear what to write."""
        found = find_landings(self.wanted, self.targets, self.view.lines)
        return [
            self._splice(change, lines)
            for change, lines in zip(self.wanted.changes, found, strict=True)
        ]

    def is_made(self) -> bool:
        """Whether the file has all the new lines already, just as the author has them."""
        theirs, ours = self.wanted.new_lines, self.view.lines
        found = find_landings(self.wanted, self.targets, ours)
        return all(
            lines is not None
            and tuple(ours[lines[0] : lines[1]]) == theirs[change.new_start : change.new_end]
            for change, lines in zip(self.wanted.changes, found, strict=True)
        )

    def _splice(self, change: LineChange, found: Lines | None) -> Splice:
        document = self.view.document
        if found is None:
            raise self._refuse_unplaced(change)
        first, after = found
        start, end = document.offsets[first], document.offsets[after]
        if self._is_there(change, first):
            return Splice(start, start, b"")
        lines = self._lines(change)
        ends = [document.end_of(n + 1) for n in range(first, after)]
        near = ends[-1] if ends else document.end_of(max(first, 1))
        ends += [near] * (len(lines) - len(ends))
        return Splice(start, end, b"".join(map(bytes.__add__, lines, ends)))

    def _refuse_unplaced(self, change: LineChange) -> Conflict:
        above = [t for t in self.targets[: change.old_end] if t is not None]
        return Conflict(
            f"{self.path}:{above[-1] + 1 if above else 1}",
            "the file has lines here that the old text does not know, so it cannot be told on "
            "which side of them the new lines belong",
            "Read the place again and quote the lines on both sides of the change.",
        )

    def _is_there(self, change: LineChange, at: int) -> bool:
        """Whether blank lines alone are added, between lines with as many in between already."""
        old, theirs, ours = self.wanted.old_lines, self.wanted.new_lines, self.view.lines
        added = theirs[change.new_start : change.new_end]
        sides = old[: change.old_start], old[change.old_end :]
        is_inside = all(any(line.strip() for line in side) for side in sides)
        if change.old_start < change.old_end or not is_inside or any(map(bytes.strip, added)):
            return False
        return _blanks_around(ours, at) >= _blanks_around(theirs, change.new_end)

    def _lines(self, change: LineChange) -> list[bytes]:
        """The text of the lines that a change puts in the file."""
        partners = self._partners(change)
        theirs = self.wanted.new_lines[change.new_start : change.new_end]
        return [
            self._edit_line(partners[j], line, change.new_start + j)
            if j in partners
            else self._write_line(line, change.new_start + j)
            for j, line in enumerate(theirs)
        ]

    def _partners(self, change: LineChange) -> dict[int, int]:
        """Which new line of a change is an edited form of which old one.

        Empty where the file spells the old lines as the author does, for then nothing of its
        spelling can be lost.
        """
        rows = range(change.old_start, change.old_end)
        if not any(i in self._spelt for i in rows):
            return {}
        old = [make_key(self.wanted.old_lines[i]) for i in rows]
        new = [make_key(line) for line in self.wanted.new_lines[change.new_start : change.new_end]]
        pairs = enumerate(align(old, new, alike=EDITED))
        return {j: rows[i] for i, j in pairs if j is not None and rows[i] in self._spelt}

    @cached_property
    def _spelt(self) -> dict[int, bytes]:
        """The old lines that the file spells otherwise, each with the file's spelling."""
        pairs = ((i, self.view.lines[t]) for i, t in enumerate(self.targets) if t is not None)
        return {i: line for i, line in pairs if line != self.wanted.old_lines[i]}

    def _edit_line(self, row: int, theirs: bytes, number: int) -> bytes:
        """A new line that is an edited form of an old one, as far as it can in its spelling."""
        base, ours = self.wanted.old_lines[row], self._spelt[row]
        kept = indent_of(base) == indent_of(theirs)
        lead = indent_of(ours) if kept else self._indent(indent_of(theirs), number)
        trail = _trail(ours if _trail(base) == _trail(theirs) else theirs)
        merged = merge_line(*map(_strip_margins, (base, ours, theirs)))
        # The space before a first word that is gone would be indentation.
        return lead + _strip_margins(merged) + trail

    def _write_line(self, line: bytes, number: int) -> bytes:
        """A new line with the file's indentation; blank lines stay as they are.

        A line that the author only moves keeps the file's spelling.
        """
        if not line.strip():
            return line
        # What stays where it was is not moved: a further line like it is the author's own.
        old, gone = self.wanted.old_lines, self.wanted.removed & self._spelt.keys()
        moved = (self._spelt[i] for i in sorted(gone) if old[i].strip() == line.strip())
        words = next((ours for ours in moved if make_key(ours) == make_key(line)), line)
        return self._indent(indent_of(line), number) + words.lstrip(INDENT)

    def _indent(self, indent: bytes, number: int) -> bytes:
        """The file's indentation for new line `number`.

        That is what the nearest line has which both sides have and the author indents alike; where
        two are as near, they have to agree. Without one it follows from the other lines.
        """
        by_line = self._by_lines.of(number)
        if by_line is not None:
            return by_line
        kept = self._kept.get(indent, [])
        at = bisect(kept, (number, b""))
        close = kept[max(at - 1, 0) : at + 1]
        near = min((abs(n - number) for n, _ in close), default=0)
        beside = {here for n, here in close if abs(n - number) == near}
        found = self._indentation.of(indent) if not beside else None
        if len(beside) == 1:
            [found] = beside
        if found is None:
            raise Conflict(
                self.path,
                "the edit is indented otherwise than the file, and it cannot be told how its "
                "new lines are to be indented",
                "Quote the lines with the indentation that they have in the file.",
            )
        return found

    @cached_property
    def _by_lines(self) -> LineIndents:
        return LineIndents(self.path, self.wanted, self.targets, self.view.lines)

    @cached_property
    def _indentation(self) -> Indentation:
        lines, old = list_keys(self.view, self.wanted)
        rows = [(i, t) for i, t in enumerate(self.targets) if t is not None and lines[t] == old[i]]
        if not any(indent_of(self.wanted.old_lines[i]) for i, _ in rows):
            rows = [(i, t) for i, t in enumerate(self.targets) if t is not None]
        if self._keeps_margins(rows):
            rows = [(i, t) for i, t in rows if i not in self.wanted.removed]
        pairs = [(self.wanted.old_lines[i], self.view.lines[t]) for i, t in rows]
        middle = rows[0][1] if rows else 0
        near = self.view.lines[max(middle - NEAR, 0) : middle + NEAR]
        return learn(pairs, [*self.wanted.old_lines, *self.wanted.new_lines], near)

    @cached_property
    def _kept(self) -> dict[bytes, list[tuple[int, bytes]]]:
        """By the author's indentation, the places of old lines in the new text and the file's.

        Those are the lines that stay, and those that a new one replaces.
        """
        kept: dict[bytes, list[tuple[int, bytes]]] = {}
        lines, old = list_keys(self.view, self.wanted)
        shift, rest = 0, list(self.wanted.changes)
        for i, target in enumerate(self.targets):
            while rest and i >= rest[0].old_end:
                change = rest.pop(0)
                shift = change.new_end - change.old_end
            if rest and i >= rest[0].old_start:
                shift = min(rest[0].new_start - rest[0].old_start, rest[0].new_end - 1 - i)
            if target is not None and old[i] and lines[target] == old[i]:
                here = i + shift, indent_of(self.view.lines[target])
                kept.setdefault(indent_of(self.wanted.old_lines[i]), []).append(here)
        return kept

    def _keeps_margins(self, rows: Sequence[tuple[int, int]]) -> bool:
        """Whether the context is indented as the author has it; then other blanks are a change."""
        margins = {
            (indent_of(self.wanted.old_lines[i]), indent_of(self.view.lines[t]))
            for i, t in rows
            if i not in self.wanted.removed and self.wanted.old_lines[i].strip()
        }
        return any(a for a, _ in margins) and all(a == b for a, b in margins)


def _blanks_around(lines: Sequence[bytes], at: int) -> int:
    """How many blank lines end right above line `at` and begin with it, counted from 0."""
    top = bottom = at
    while top and not lines[top - 1].strip():
        top -= 1
    while bottom < len(lines) and not lines[bottom].strip():
        bottom += 1
    return bottom - top


def _strip_margins(line: bytes) -> bytes:
    """Take the indentation of a line, and the blanks at its end, off."""
    return line.lstrip(INDENT).rstrip()


def _trail(line: bytes) -> bytes:
    """The blanks that a line ends with."""
    return line[len(line.rstrip()) :]
