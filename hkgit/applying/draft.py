"""A file being edited, which remembers which edit wrote each byte.

A piece table: the base, and, in order, the pieces that edits wrote in place of a stretch of it (an
empty stretch for an insertion). So splices compose, and any stretch of the present text can be
traced back. See Crowley, "Data Structures for Text Sequences" (1998), for the structure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter

from hkgit.text.document import Document, Lines, read_document, terminate, unterminate
from hkgit.values import cached_property, dataclass


@dataclass(frozen=True)
class Piece:
    """What `edits` wrote in place of base bytes `start:end`.

    `growth` says how many line ends more it has than what it replaces.
    """

    start: int
    end: int
    new: bytes
    edits: tuple[int, ...]
    growth: int


@dataclass(frozen=True)
class Draft:
    """The present state of one file, whose last line has an end; `replace` gives the next one."""

    base: Document
    pieces: tuple[Piece, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Start a draft of some bytes, in which nothing has changed yet."""
        return cls(terminate(read_document(data)))

    @cached_property
    def document(self) -> Document:
        """The present text."""
        if self.is_untouched:
            return self.base
        kept = [self.base.data[start:end] for start, end in self._list_kept(self.pieces)]
        new = (*(piece.new for piece in self.pieces), b"")
        return Document(b"".join(map(bytes.__add__, kept, new)))

    def _list_kept(
        self, pieces: Iterable[Piece], first: int = 0, last: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """The stretches of base bytes `first:last` before, between and after some pieces."""
        for piece in pieces:
            yield first, piece.start
            first = piece.end
        yield first, len(self.base.data) if last is None else last

    @property
    def is_untouched(self) -> bool:
        """Whether no edit has written into the base."""
        return not self.pieces

    def replace(self, start: int, end: int, new: bytes, edit: int) -> Draft:
        """Swap present bytes `start:end` for `new`; written bytes it cuts into join it."""
        low, high, first, last = self._cut(start, end)
        cut = self.pieces[low:high]
        if cut and cut[0].start < first:
            new = cut[0].new[: first - cut[0].start] + new
            first = cut[0].start
        if cut and cut[-1].end > last:
            new += cut[-1].new[len(cut[-1].new) - (cut[-1].end - last) :]
            last = cut[-1].end
        edits = [*(number for piece in cut for number in piece.edits), edit]
        return self._put(low, high, first, last, new, edits)

    def _cut(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Which pieces present bytes `start:end` meet, as a range of indices.

        And the two points of the base, which lie in a piece where a border cuts that one.
        """
        low = high = shift = shift_below = 0
        for index, piece in enumerate(self.pieces):
            offset = piece.start + shift_below
            if offset + len(piece.new) > start and offset >= end:
                break
            shift_below += len(piece.new) - (piece.end - piece.start)
            high = index + 1
            if offset + len(piece.new) <= start:
                low, shift = high, shift_below
        return low, high, start - shift, end - shift_below

    def _put(
        self, low: int, high: int, start: int, end: int, new: bytes, edits: Iterable[int]
    ) -> Draft:
        """The draft with what edits wrote in place of some pieces and the base between them."""
        growth = new.count(b"\n") - self.base.data.count(b"\n", start, end)
        written = Piece(
            start=start, end=end, new=new, edits=tuple(dict.fromkeys(edits)), growth=growth
        )
        return Draft(self.base, (*self.pieces[:low], written, *self.pieces[high:]))

    def base_lines(self, start: int, end: int) -> Lines:
        """Return the base lines of which present bytes `start:end` cover at least one byte.

        Bytes that edits wrote count for nothing; where there are no others the answer is the
        empty range at that point of the base.
        """
        low, high, first, last = self._cut(start, end)
        cut = self.pieces[low:high]
        kept = [(a, b) for a, b in self._list_kept(cut, first, last) if a < b]
        if kept:
            return self.base.lines_of(kept[0][0], kept[-1][1])
        point = cut[0].start if cut else first
        return self.base.lines_of(point, point)

    def writers(self, start: int, end: int) -> tuple[int, ...]:
        """List the edits that wrote any of the present bytes `start:end`."""
        low, high, _, _ = self._cut(start, end)
        return tuple(dict.fromkeys(n for piece in self.pieces[low:high] for n in piece.edits))

    def write(self, start: int, end: int, new: bytes, edit: int) -> Draft | None:
        """Swap base bytes `start:end` for `new`; None where another edit wrote into them.

        Insertions at one point keep their order, behind what was written up to that point and
        before what was written from there on.
        """
        low = bisect_left(self.pieces, start, key=_end)
        high = bisect_right(self.pieces, end, key=_start)
        for piece in self.pieces[low:high]:
            if piece.start < end and start < piece.end:
                return None
            low += piece.end <= start
        return self._put(low, low, start, end, new, [edit])

    def lines_now(self, start: int, end: int) -> Lines:
        """Return the present lines of base bytes `start:end` whose ends no edit wrote over."""
        first, last = self.base.lines_of(start, end)
        shift = self._shift(start)
        return first + shift, last + (self._shift(end - 1) if end > start else shift)

    def _shift(self, offset: int) -> int:
        """How many lines more than in the base are above a point of it, insertions at it too."""
        return sum(map(_growth, self.pieces[: bisect_right(self.pieces, offset, key=_end)]))

    def result(self, *, is_terminated: bool) -> bytes:
        """Return the file's new bytes, with an end on its last line or not."""
        data = self.document.data
        return data if is_terminated else unterminate(data)


_start = attrgetter("start")
_end = attrgetter("end")
_growth = attrgetter("growth")
