"""Line numbers carried through the changes of a file."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.applying.draft import Lines
from hkgit.text.diff import find_common
from hkgit.text.document import Document
from hkgit.values import dataclass


@dataclass(frozen=True)
class LineMap:
    """Which line of the tip each line of the base has become; lines that changed have none."""

    lines: Mapping[int, int]

    @classmethod
    def between(cls, base: bytes, tip: bytes) -> LineMap:
        pairs = find_common(Document(base).lines, Document(tip).lines)
        return cls({i + 1: j + 1 for i, j in pairs})

    def carry(self, lines: Lines) -> Lines | None:
        """Map lines of the base to the tip; None when they changed or came apart."""
        first, last = lines
        if first > last:
            return self._point(last)
        moved = [self.lines.get(number) for number in range(first, last + 1)]
        start = moved[0]
        if start is None or moved != list(range(start, start + len(moved))):
            return None
        return start, start + len(moved) - 1

    def _point(self, above: int) -> Lines | None:
        """The point below a line; at the top of the file, the top."""
        moved = 0 if above == 0 else self.lines.get(above)
        return None if moved is None else (moved + 1, moved)
