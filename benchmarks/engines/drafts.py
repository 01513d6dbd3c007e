"""drafts.py: an edit and its file side by side, row by row, so that a mistake is one changed word.

A row holds what the file really says and what the edit says of it. Everything that a case needs
(the file, the old and new text, the right result) is read off the rows, so the ground truth
cannot drift away from the mistake that was put in. Line ends other than `\\n` and a byte order
mark are part of the text of a real line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum

from benchmarks.engines.corpus import Hunk

KEPT, GONE, ADDED = " ", "-", "+"


class Verdict(Enum):
    """What an engine owes a case."""

    LAND = "must land"
    EITHER = "may land or refuse"
    REFUSE = "must refuse"


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `real` is None where the file has no such line, `said` where the edit has none.

    Of an added row, `real` is the line as it should come to stand in the file.
    """

    kind: str
    real: str | None
    said: str | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A case in the making.

    `wrap` does to the old text, and mostly to the new one, what no row can say: a fence, an
    escape. `fold` names
    what a right result may do differently from the ideal one (see `grading.FOLDS`): on changed
    rows only, or on every row of the place. `applied`: the file has the change already.
    `takes_literal`: plain replacement of an old text that the file has once is right too.
    `neighbours` are hunks of other files of the project, of the same kind.
    """

    above: tuple[str, ...]
    rows: tuple[Row, ...]
    below: tuple[str, ...]
    hunk: Hunk
    verdict: Verdict = Verdict.LAND
    file_is_terminated: bool = True
    edit_is_terminated: bool = True
    wrap: Callable[[str], str] | None = None
    wraps_new: bool = True
    fold: str = "bytes"
    folds_context: bool = False
    applied: bool = False
    takes_literal: bool = True
    neighbours: Sequence[Hunk] = ()

    def rows_of(self, kinds: str) -> list[int]:
        """The indices of the rows of these kinds."""
        return [i for i, row in enumerate(self.rows) if row.kind in kinds]

    def with_row(self, index: int, *rows: Row) -> Draft:
        """The same draft with other rows, or none, for one row."""
        return replace(self, rows=(*self.rows[:index], *rows, *self.rows[index + 1 :]))

    def misquoting(self, index: int, said: str | None) -> Draft:
        """The same draft, which says something else of one row."""
        return self.with_row(index, replace(self.rows[index], said=said))

    def saying(self, change: Callable[[str], str], kinds: str = " -+") -> Draft:
        """The same draft with other words in the edit."""
        rows = (
            replace(row, said=change(row.said))
            if row.said is not None and row.kind in kinds
            else row
            for row in self.rows
        )
        return replace(self, rows=tuple(rows))

    def being(self, change: Callable[[str], str]) -> Draft:
        """The same draft about a file whose every line is changed."""
        rows = (
            row if row.real is None else replace(row, real=change(row.real)) for row in self.rows
        )
        above, below = tuple(map(change, self.above)), tuple(map(change, self.below))
        return replace(self, above=above, rows=tuple(rows), below=below)

    @property
    def old(self) -> str:
        """The old text as the edit gives it."""
        text = self._text(row.said for row in self.rows if row.kind != ADDED)
        return text if self.wrap is None else self.wrap(text)

    @property
    def new(self) -> str:
        """The new text as the edit gives it."""
        text = self._text(row.said for row in self.rows if row.kind != GONE)
        return self.wrap(text) if self.wrap is not None and self.wraps_new else text

    def _text(self, lines: Iterable[str | None]) -> str:
        said = [line for line in lines if line is not None]
        return "\n".join(said) + ("\n" if said and self.edit_is_terminated else "")

    @property
    def before(self) -> bytes:
        """The file as the edit finds it."""
        return self._file(GONE if self.applied else ADDED)

    @property
    def ideal(self) -> bytes:
        """The file as it should be left."""
        return self._file(GONE)

    def _file(self, without: str) -> bytes:
        middle = (row.real for row in self.rows if row.kind != without)
        lines = [*self.above, *(line for line in middle if line is not None), *self.below]
        text = "".join(line + "\n" for line in lines)
        if not self.file_is_terminated:
            text = text.removesuffix("\n").removesuffix("\r")
        return text.encode()

    def bounds(self, *, context: bool) -> tuple[int, int]:
        """How many bytes of a result are fixed, before and after the place or the changed rows."""
        changed = [i for i, row in enumerate(self.rows) if row.kind != KEPT]
        first, last = (0, len(self.rows)) if context else (changed[0], changed[-1] + 1)
        top = [*self.above, *(row.real for row in self.rows[:first])]
        bottom = [*(row.real for row in self.rows[last:]), *self.below]
        return _size(top), max(_size(bottom) - (not self.file_is_terminated), 0)


def _size(lines: Iterable[str | None]) -> int:
    return sum(len(line.encode()) + 1 for line in lines if line is not None)


def drafted(hunk: Hunk, above: int, below: int) -> Draft:
    """A faultless edit of a hunk with so many lines of context."""
    first, last = max(hunk.start - above, 0), min(hunk.end + below, len(hunk.lines))
    kept = [Row(KEPT, line, line) for line in hunk.lines]
    return Draft(
        above=hunk.lines[:first],
        rows=(*kept[first : hunk.start], *_changed(hunk), *kept[hunk.end : last]),
        below=hunk.lines[last:],
        hunk=hunk,
    )


def _changed(hunk: Hunk) -> list[Row]:
    """The rows of the change itself; a line that stays in the middle of it is a kept one."""
    old, new = hunk.lines[hunk.start : hunk.end], hunk.new
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [Row(KEPT, line, line) for line in old[i1:i2]]
        else:
            rows += [Row(GONE, line, line) for line in old[i1:i2]]
            rows += [Row(ADDED, line, line) for line in new[j1:j2]]
    return rows
