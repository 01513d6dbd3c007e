"""transfer.py: which bytes change at a place, once it is found.

A three-way merge: base is the old text, ours the file's place, theirs the new text. Only what
the author changed is written; everything else stays as the file has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hkgit.document import Document, Splice
from hkgit.edits import Edit
from hkgit.errors import Conflict
from hkgit.matching.diff import Change, changes, common
from hkgit.matching.exact import is_whole
from hkgit.matching.indent import Indentation, learn
from hkgit.matching.lines import Wanted, indent_of, split_lines, squeeze
from hkgit.matching.places import Located, Place
from hkgit.matching.tokens import merge_line


def transfer(document: Document, edit: Edit, located: Located) -> tuple[Splice, ...]:
    """The splices that carry an edit out at its places, in order.

    Raises Conflict where the file and the author changed the same words.
    """
    wanted = Wanted.of(edit)
    merges = [_merge_of(document, wanted, place, edit.path) for place in located.places]
    return tuple(splice for merge in merges for splice in merge.splices())


@dataclass(frozen=True)
class _Merge:
    """A merge of lines: `base` to `theirs`, carried out in the file's lines from `first` on.

    `targets[i]` is the line of the file, counted from 0, where line `i` of the base stands.
    """

    document: Document
    path: str
    base: Sequence[bytes]
    theirs: Sequence[bytes]
    targets: Sequence[int | None]
    indentation: Indentation

    def splices(self) -> list[Splice]:
        return [self._splice(change) for change in changes(self.base, self.theirs)]

    def _splice(self, change: Change) -> Splice:
        first, after = self._range(change)
        lines = self._lines(change, first, after)
        ends = [self.document.end_of(n + 1) for n in range(first, after)]
        near = ends[-1] if ends else self.document.end_of(max(first, 1))
        text = b"".join(
            line + (ends[k] if k < len(ends) else near) for k, line in enumerate(lines)
        )
        offsets = self.document.offsets
        return Splice(offsets[first], offsets[after], text)

    def _range(self, change: Change) -> tuple[int, int]:
        """The file's lines, counted from 0 and half open, that a change replaces."""
        found = [t for t in self.targets[change.old_start : change.old_end] if t is not None]
        if found:
            return found[0], found[-1] + 1
        above = self.targets[change.old_start - 1] if change.old_start else None
        if above is not None:
            return above + 1, above + 1
        below = self.targets[change.old_end] if change.old_end < len(self.base) else None
        if below is None:
            raise Conflict(self.path, "no line of the file shows where the new lines belong")
        return below, below

    def _lines(self, change: Change, first: int, after: int) -> list[bytes]:
        """The text of the lines that a change puts in the file."""
        base = self.base[change.old_start : change.old_end]
        theirs = self.theirs[change.new_start : change.new_end]
        partner = {j: i for i, j in _partners(base, theirs)}
        lines = []
        for j, line in enumerate(theirs):
            target = self.targets[change.old_start + partner[j]] if j in partner else None
            if target is None:
                lines.append(self.indentation.line(line))
            else:
                lines.append(self._merged(base[partner[j]], target, line))
        return lines

    def _merged(self, base: bytes, target: int, theirs: bytes) -> bytes:
        ours = self.document.lines[target]
        if ours == base:
            return theirs
        kept = indent_of(base) == indent_of(theirs)
        lead = indent_of(ours) if kept else self.indentation.of(indent_of(theirs))
        text = merge_line(*(t.lstrip(b" \t") for t in (base, ours, theirs)))
        if text is None:
            raise Conflict(
                f"{self.path}:{target + 1}",
                f"the file says {ours.strip()!r} where the edit says {base.strip()!r}",
                "Read the line again and write the edit against what it says now.",
            )
        return lead + text


def _merge_of(document: Document, wanted: Wanted, place: Place, path: str) -> _Merge:
    first, last = document.lines_of(place.start, place.end)
    ours = document.lines[first - 1 : last]
    base, theirs = wanted.old_lines, wanted.new_lines
    data = document.data
    if not is_whole(document, place) or (not theirs and b"\n" not in wanted.old):
        before = data[document.offsets[first - 1] : place.start]
        rest = data[place.end : document.offsets[last]]
        base = split_lines(before + wanted.old + rest)
        theirs = split_lines(before + wanted.new + rest)
    targets: list[int | None] = [None] * len(base)
    for i, j in _aligned(base, ours):
        targets[i] = first - 1 + j
    pairs = [(base[i], document.lines[t]) for i, t in enumerate(targets) if t is not None]
    return _Merge(document, path, base, theirs, targets, learn(pairs, [*base, *theirs]))


def _aligned(base: Sequence[bytes], ours: Sequence[bytes]) -> list[tuple[int, int]]:
    """Which line of the base is which of the file's."""
    if len(base) == len(ours):
        return [(i, i) for i in range(len(base))]
    return common([squeeze(line) for line in base], [squeeze(line) for line in ours])


def _partners(base: Sequence[bytes], theirs: Sequence[bytes]) -> list[tuple[int, int]]:
    """Which new line rewrites which old one."""
    if len(base) == len(theirs):
        return [(i, i) for i in range(len(base))]
    return common([squeeze(line) for line in base], [squeeze(line) for line in theirs])
