"""by_lines.py: indent new lines like the lines that they replace.

That is so where an old text is indented otherwise than the file, and the frame of the author is
not that of the new text, or is none: the new text stands already as the file does, or the old
one was quoted without its indentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from hkgit.errors import Conflict
from hkgit.matching.lines import EditLines, indent_of
from hkgit.matching.search.align import Targets
from hkgit.matching.transfers.indent import measure_width
from hkgit.text.diff import LineChange
from hkgit.values import dataclass


@dataclass(frozen=True)
class LineIndents:
    """What the indentation of single lines shows of an edit whose lines stand at `targets`."""

    path: str
    wanted: EditLines
    targets: Targets
    lines: Sequence[bytes]

    def of(self, number: int) -> bytes | None:
        """Find the file's indentation for new line `number`; None where its line does not decide.

        Raises Conflict where two readings are as good, or none is.
        """
        theirs = indent_of(self.wanted.new_lines[number])
        if self._is_as_file:
            return theirs
        change = next(c for c in self.wanted.changes if c.new_start <= number < c.new_end)
        row = change.old_start + number - change.new_start
        if self._is_flat and _is_even(change) and row in self._known:
            return self._here(row)
        if self._is_flat or change in self._undecided:
            raise self._refuse()
        return None

    @cached_property
    def _undecided(self) -> frozenset[LineChange]:
        return frozenset(filter(self._is_undecided, self.wanted.changes))

    @cached_property
    def _is_as_file(self) -> bool:
        """Whether the old text is indented otherwise than the file, and the new one as the file.

        Lines that both texts have show the author's own frame for both.
        """
        kept = [i for i in self._known if i not in self.wanted.removed]
        if any(indent_of(self.wanted.old_lines[i]) != self._here(i) for i in kept):
            return False
        return self._stands_as_file([*self._known], self._drop_blank(self.wanted.new_lines))

    @cached_property
    def _is_flat(self) -> bool:
        """Whether the old lines are quoted at one depth, and stand in the file at several."""
        rows = self._known
        numbers = [t for t in self.targets if t is not None]
        is_whole = not any(
            line.strip() for a, b in pairwise(numbers) for line in self.lines[a + 1 : b]
        )
        author = {indent_of(self.wanted.old_lines[i]) for i in rows}
        return is_whole and len(author) == 1 and len({self._here(i) for i in rows}) > 1

    def _is_deeper(self, rows: Sequence[int], lines: Sequence[bytes]) -> bool:
        """Whether new lines are deeper than the old ones; at less depth the author may go on."""
        old = min(measure_width(indent_of(self.wanted.old_lines[i])) for i in rows)
        return min((measure_width(indent_of(line)) for line in lines), default=0) > old

    def _is_undecided(self, change: LineChange) -> bool:
        """Whether the new lines of a change may stand as the file does, or as the author's do."""
        rows = [i for i in self._known if change.old_start <= i < change.old_end]
        added = self.wanted.new_lines[change.new_start : change.new_end]
        if rows:
            lines = self._drop_blank(added)
            is_deeper = self._is_deeper(rows, lines)
            return is_deeper and self._stands_as_file(rows, lines)
        return self._is_sibling(added)

    def _stands_as_file(self, rows: Sequence[int], lines: Sequence[bytes]) -> bool:
        """Whether new lines are as deep as the file's, and the old ones are not."""
        old = _least(indent_of(self.wanted.old_lines[i]) for i in rows)
        here = _least(self._here(i) for i in rows)
        return old != here and _least(map(indent_of, lines)) == here

    def _is_sibling(self, added: Sequence[bytes]) -> bool:
        """Whether a paragraph is added that begins as a line of the old text does.

        And it stands as deep as that does in the file, though not as deep as it is quoted.
        """
        lines = self._drop_blank(added)
        if not lines or all(line.strip() for line in (added[0], added[-1])):
            return False
        return any(
            self.wanted.old_lines[i].split()[0] == lines[0].split()[0]
            and indent_of(lines[0]) == self._here(i) != indent_of(self.wanted.old_lines[i])
            for i in self._known
        )

    @cached_property
    def _known(self) -> dict[int, int]:
        """The old lines that say something and stand in the file, each with its line there."""
        old = self.wanted.old_lines
        return {i: t for i, t in enumerate(self.targets) if t is not None and old[i].strip()}

    def _here(self, row: int) -> bytes:
        """The file's indentation of an old line that stands in it."""
        return indent_of(self.lines[self._known[row]])

    def _drop_blank(self, lines: Iterable[bytes]) -> list[bytes]:
        return [line for line in lines if line.strip()]

    def _refuse(self) -> Conflict:
        return Conflict(
            f"{self.path}:{next(t for t in self.targets if t is not None) + 1}",
            "the edit is indented otherwise than the file, and it cannot be told how its "
            "new lines are to be indented",
            "Quote the lines with the indentation that they have in the file.",
        )


def _is_even(change: LineChange) -> bool:
    """Whether a change puts as many lines as it takes away."""
    return change.old_end - change.old_start == change.new_end - change.new_start


def _least(indents: Iterable[bytes]) -> bytes | None:
    """The least deep of some indentations."""
    return min(indents, key=measure_width, default=None)
