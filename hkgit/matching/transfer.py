"""transfer.py: which bytes change at a place, once it is found.

A three-way merge: base is the old text, ours the file's place, theirs the new text. Only what
the author changed is written; everything else stays as the file has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hkgit.document import Document, Splice
from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Conflict
from hkgit.matching.align import Targets, align
from hkgit.matching.candidates import candidates
from hkgit.matching.diff import Change
from hkgit.matching.elided import pieces
from hkgit.matching.fuzzy import place_of
from hkgit.matching.indent import Indentation, learn
from hkgit.matching.landing import Lines, landings
from hkgit.matching.lines import View, Wanted, indent_of, keys, view_of
from hkgit.matching.places import Located, Place
from hkgit.matching.quoted import in_whole_lines
from hkgit.matching.tokens import merge_line

NEAR = 200
"""So many lines above and below a place show the file's unit of indentation."""


def transfer(document: Document, edit: Edit, located: Located) -> tuple[Splice, ...]:
    """The splices that carry an edit out at its places, in order.

    Raises Conflict where it cannot be told what the author's change means there, AlreadyApplied
    where nothing is left to change.
    """
    view, wanted = view_of(document), Wanted.of(edit, located.repairs)
    splices: list[Splice] = []
    for piece, place in _parts(view, wanted, located):
        splices += _merge(view, piece, place, located.tier, edit.path).splices()
    if all(document.data[s.start : s.end] == s.new for s in splices):
        where = f"{edit.path}:{document.line_at(located.places[0].start)}"
        raise AlreadyApplied(where, "the file says already what the edit wants", "Leave it out.")
    return tuple(splices)


def _parts(view: View, wanted: Wanted, located: Located) -> Iterable[tuple[Wanted, Place]]:
    """The old and new texts to be merged, each with its place."""
    if located.tier == "elided":
        return pieces(view, wanted)
    return [(wanted, place) for place in located.places]


def _merge(view: View, wanted: Wanted, place: Place, tier: str, path: str) -> _Merge:
    """The merge of an edit at its place."""
    if tier in ("fuzzy", "line-block"):
        found = candidates(view, wanted)
        targets = next(c.targets for c in found if place_of(view, c) == place)
        return _Merge(view, path, wanted, targets)
    first, last = view.document.lines_of(place.start, place.end)
    whole = in_whole_lines(view, wanted, place, path)
    return _Merge(view, path, whole, _targets(view, whole, first - 1, last))


def _targets(view: View, wanted: Wanted, first: int, after: int) -> Targets:
    """Which line is which at a place that says the same as the old text."""
    if list(wanted.old_lines) == list(view.lines[first:after]):
        return tuple(range(first, after))
    lines, old = keys(view, wanted)
    numbers = [n for n in range(first, after) if lines[n]]
    says = [i for i, key in enumerate(old) if key]
    if [lines[n] for n in numbers] != [old[i] for i in says]:
        return align(old, lines, first, after)
    targets: list[int | None] = [None] * len(old)
    for i, number in zip(says, numbers, strict=True):
        targets[i] = number
    _fill_blank(targets, range(says[0] - 1, -1, -1), lines, -1)
    _fill_blank(targets, range(says[0] + 1, len(old)), lines, 1)
    return tuple(targets)


def _fill_blank(
    targets: list[int | None], rows: Iterable[int], lines: Sequence[bytes], step: int
) -> None:
    """Give blank old lines the blank lines next to the counterparts of their neighbours."""
    for i in rows:
        near = targets[i - step]
        if targets[i] is None and near is not None and 0 <= near + step < len(lines):
            targets[i] = None if lines[near + step] else near + step


@dataclass(frozen=True)
class _Merge:
    """The author's changes, carried out where `targets` says that the old lines stand."""

    view: View
    path: str
    wanted: Wanted
    targets: Targets

    def splices(self) -> list[Splice]:
        indentation = self._indentation()
        found = landings(self.wanted, self.targets, self.view.lines)
        return [
            self._splice(change, lines, indentation)
            for change, lines in zip(self.wanted.changes, found, strict=True)
        ]

    def _indentation(self) -> Indentation:
        base, theirs = self.wanted.old_lines, self.wanted.new_lines
        lines, old = keys(self.view, self.wanted)
        rows = [(i, t) for i, t in enumerate(self.targets) if t is not None and lines[t] == old[i]]
        if self._keeps_margins(rows):
            rows = [(i, t) for i, t in rows if i not in self.wanted.removed]
        pairs = [(base[i], self.view.lines[t]) for i, t in rows]
        middle = rows[0][1] if rows else 0
        near = self.view.lines[max(middle - NEAR, 0) : middle + NEAR]
        return learn(pairs, [*base, *theirs], near)

    def _keeps_margins(self, rows: Sequence[tuple[int, int]]) -> bool:
        """Whether the context is indented as the author has it; then other blanks are a change."""
        margins = {
            (indent_of(self.wanted.old_lines[i]), indent_of(self.view.lines[t]))
            for i, t in rows
            if i not in self.wanted.removed and self.wanted.old_lines[i].strip()
        }
        return any(a for a, _ in margins) and all(a == b for a, b in margins)

    def _splice(self, change: Change, found: Lines | None, indentation: Indentation) -> Splice:
        document = self.view.document
        if found is None:
            raise Conflict(
                f"{self.path}:{self._near(change)}",
                "the file has lines here that the old text does not know, so it cannot be told "
                "on which side of them the new lines belong",
                "Read the place again and quote the lines on both sides of the change.",
            )
        first, after = found
        if self._is_there(change, first):
            return Splice(document.offsets[first], document.offsets[first], b"")
        lines = self._lines(change, indentation)
        ends = [document.end_of(n + 1) for n in range(first, after)]
        near = ends[-1] if ends else document.end_of(max(first, 1))
        text = b"".join(line + (ends[k] if k < len(ends) else near) for k, line in enumerate(lines))
        return Splice(document.offsets[first], document.offsets[after], text)

    def _is_there(self, change: Change, at: int) -> bool:
        """Whether all that is added are blank lines, and the file has as many there already."""
        theirs = self.wanted.new_lines
        added = theirs[change.new_start : change.new_end]
        if change.old_start < change.old_end or any(line.strip() for line in added):
            return False
        asked = _blanks_above(theirs, change.new_end) + _blanks_below(theirs, change.new_end)
        here = _blanks_above(self.view.lines, at) + _blanks_below(self.view.lines, at)
        return here >= asked

    def _near(self, change: Change) -> int:
        """A line number to name where a change cannot be placed."""
        above = [t for t in self.targets[: change.old_end] if t is not None]
        return above[-1] + 1 if above else 1

    def _lines(self, change: Change, indentation: Indentation) -> list[bytes]:
        """The text of the lines that a change puts in the file."""
        partners = self._partners(change)
        theirs = self.wanted.new_lines[change.new_start : change.new_end]
        return [
            self._indented(line, indentation) if j not in partners
            else self._merged(partners[j], line, indentation)
            for j, line in enumerate(theirs)
        ]

    def _partners(self, change: Change) -> dict[int, int]:
        """Which new line of a change rewrites which old one, where the file spells it otherwise."""
        base = self.wanted.old_lines
        if all(
            t is None or self.view.lines[t] == base[i]
            for i, t in enumerate(self.targets[: change.old_end])
            if i >= change.old_start
        ):
            return {}
        old = self.wanted.folded[change.old_start : change.old_end]
        new = Wanted(b"\n".join(self.wanted.new_lines[change.new_start : change.new_end]), b"")
        pairs = enumerate(align(old, new.folded, 0, len(new.folded)))
        return {
            j: change.old_start + i
            for i, j in pairs
            if j is not None and self.targets[change.old_start + i] is not None
        }

    def _indented(self, line: bytes, indentation: Indentation) -> bytes:
        """A new line with the file's indentation; blank lines stay as they are."""
        indent = indent_of(line)
        text = line[len(indent) :]
        return self._indent(indent, indentation) + text if text else line

    def _indent(self, indent: bytes, indentation: Indentation) -> bytes:
        found = indentation.of(indent)
        if found is None:
            raise Conflict(
                self.path,
                "the edit is indented otherwise than the file, and it cannot be told how its "
                "new lines are to be indented",
                "Quote the lines with the indentation that they have in the file.",
            )
        return found

    def _merged(self, row: int, theirs: bytes, indentation: Indentation) -> bytes:
        """A new line that rewrites an old one, as far as it can be in the file's spelling."""
        base, target = self.wanted.old_lines[row], self.targets[row]
        ours = base if target is None else self.view.lines[target]
        kept = indent_of(base) == indent_of(theirs)
        lead = indent_of(ours) if kept else self._indent(indent_of(theirs), indentation)
        trail = _trail(ours if _trail(base) == _trail(theirs) else theirs)
        return lead + merge_line(base.strip(), ours.strip(), theirs.strip()) + trail


def _blanks_above(lines: Sequence[bytes], at: int) -> int:
    """How many blank lines end right above line `at`, counted from 0."""
    count = 0
    while count < at and not lines[at - 1 - count].strip():
        count += 1
    return count


def _blanks_below(lines: Sequence[bytes], at: int) -> int:
    """How many blank lines begin with line `at`, counted from 0."""
    count = 0
    while at + count < len(lines) and not lines[at + count].strip():
        count += 1
    return count


def _trail(line: bytes) -> bytes:
    """The blanks that a line ends with."""
    return line[len(line.rstrip()) :]
