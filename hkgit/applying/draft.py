"""A file being edited, which remembers which edit wrote each byte.

A piece table: the pieces tile the base from its first byte to its last, each either base bytes
kept as they are or bytes that edits wrote in place of a stretch of the base (an empty stretch
for an insertion). So splices compose, and any stretch of the present text can be traced back.
See Crowley, "Data Structures for Text Sequences" (1998), for the structure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from operator import attrgetter

from hkgit.text.document import Document, Lines, read_document, terminate, unterminate
from hkgit.values import cached_property, dataclass


@dataclass(frozen=True)
class Piece:
    """Base bytes `start:end`, kept where `new` is None, else replaced by it by `edits`.

    `growth` says how many line ends more `new` has than what it replaces.
    """

    start: int
    end: int
    new: bytes | None = None
    edits: tuple[int, ...] = ()
    growth: int = 0

    @property
    def size(self) -> int:
        return self.end - self.start if self.new is None else len(self.new)


@dataclass(frozen=True)
class Draft:
    """The present state of one file; `replace` gives the next one."""

    base: Document
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Start a draft of some bytes, in which nothing has changed yet."""
        return cls.over(terminate(read_document(data)))

    @classmethod
    def over(cls, document: Document) -> Draft:
        """Start a draft of a document whose last line has an end."""
        return cls(document, (Piece(0, len(document.data)),))

    @cached_property
    def document(self) -> Document:
        """The present text, its last line with an end."""
        if self.is_untouched:
            return self.base
        parts = (self.base.data[p.start : p.end] if p.new is None else p.new for p in self.pieces)
        return Document(b"".join(parts))

    @property
    def is_untouched(self) -> bool:
        """Whether no edit has written into the base."""
        return all(piece.new is None for piece in self.pieces)

    def replace(self, start: int, end: int, new: bytes, edit: int) -> Draft:
        """Swap present bytes `start:end` for `new`; written bytes it cuts into join it."""
        before, cut, after = self._split_pieces(start, end)
        head, tail = b"", b""
        edits = [edit]
        if cut:
            offset = sum(piece.size for piece in before)
            size = sum(piece.size for piece in cut)
            if cut[0].new is not None:
                head = cut[0].new[: max(start - offset, 0)]
            if cut[-1].new is not None:
                tail = cut[-1].new[len(cut[-1].new) - (offset + size - end) :]
            edits = [*(number for piece in cut for number in piece.edits), edit]
            first, last = cut[0].start, cut[-1].end
        else:
            first = last = before[-1].end if before else 0
        written = self._write_piece(first, last, head + new + tail, tuple(dict.fromkeys(edits)))
        return Draft(self.base, (*before, written, *after))

    def _write_piece(self, start: int, end: int, new: bytes, edits: tuple[int, ...]) -> Piece:
        growth = new.count(b"\n") - self.base.data.count(b"\n", start, end)
        return Piece(start=start, end=end, new=new, edits=edits, growth=growth)

    def _split_pieces(self, start: int, end: int) -> tuple[list[Piece], list[Piece], list[Piece]]:
        """The pieces before, inside and after a stretch; kept pieces are cut to fit."""
        before: list[Piece] = []
        inside: list[Piece] = []
        after: list[Piece] = []
        offset = 0
        for piece in self.pieces:
            stop = offset + piece.size
            if stop <= start:
                before.append(piece)
            elif offset >= end:
                after.append(piece)
            elif piece.new is not None:
                inside.append(piece)
            else:
                low = piece.start + max(start - offset, 0)
                high = piece.end - max(stop - end, 0)
                before += [Piece(piece.start, low)] if low > piece.start else []
                inside += [Piece(low, high)] if high > low else []
                after += [Piece(high, piece.end)] if high < piece.end else []
            offset = stop
        return before, inside, after

    def base_lines(self, start: int, end: int) -> Lines:
        """Return the base lines of which present bytes `start:end` cover at least one byte.

        Bytes that edits wrote count for nothing; where there are no others the answer is the
        empty range at that point of the base.
        """
        before, inside, _ = self._split_pieces(start, end)
        kept = [piece for piece in inside if piece.new is None and piece.size > 0]
        if kept:
            return self.base.lines_of(kept[0].start, kept[-1].end)
        point = inside[0].start if inside else (before[-1].end if before else 0)
        return self.base.lines_of(point, point)

    def writers(self, start: int, end: int) -> tuple[int, ...]:
        """List the edits that wrote any of the present bytes `start:end`."""
        _, inside, _ = self._split_pieces(start, end)
        return tuple(dict.fromkeys(number for piece in inside for number in piece.edits))

    def write(self, start: int, end: int, new: bytes, edit: int) -> Draft | None:
        """Swap base bytes `start:end` for `new`; None where another edit wrote into them.

        Insertions at one point keep their order, behind what was written up to that point and
        before what was written from there on.
        """
        # The pieces tile the base, so those that a stretch meets are neighbours.
        low = bisect_left(self.pieces, start, key=_end)
        high = bisect_right(self.pieces, end, key=_start)
        before: list[Piece] = []
        after: list[Piece] = []
        for piece in self.pieces[low:high]:
            if piece.new is not None:
                if piece.start < end and start < piece.end:
                    return None
                (before if piece.end <= start else after).append(piece)
                continue
            below, above = min(piece.end, start), max(piece.start, end)
            before += [Piece(piece.start, below)] if below > piece.start else []
            after += [Piece(above, piece.end)] if above < piece.end else []
        near = (*before, self._write_piece(start, end, new, (edit,)), *after)
        return Draft(self.base, (*self.pieces[:low], *near, *self.pieces[high:]))

    def lines_now(self, start: int, end: int) -> Lines:
        """Return the present lines of base bytes `start:end` whose ends no edit wrote over."""
        first, last = self.base.lines_of(start, end)
        shift = self._shift(start)
        return first + shift, last + (self._shift(end - 1) if end > start else shift)

    def _shift(self, offset: int) -> int:
        """How many lines more than in the base are above a point of it, insertions at it too."""
        above = islice(self.pieces, bisect_right(self.pieces, offset, key=_end))
        return sum(map(_growth, above))

    def origins(self) -> dict[int, int]:
        """Map each present line that no edit wrote into to the line of the base that it is."""
        lines: dict[int, int] = {}
        offset = 0
        for piece in self.pieces:
            if piece.new is None and piece.size:
                first, last = self.base.lines_of(piece.start, piece.end)
                now, _ = self.document.lines_of(offset, offset + piece.size)
                for number in range(first, last + 1):
                    start, stop = self.base.span(number, number)
                    if piece.start <= start and stop <= piece.end:
                        lines[now + number - first] = number
            offset += piece.size
        return lines

    def result(self, *, is_terminated: bool) -> bytes:
        """Return the file's new bytes, with an end on its last line or not."""
        data = self.document.data
        return data if is_terminated else unterminate(data)


_start = attrgetter("start")
_end = attrgetter("end")
_growth = attrgetter("growth")
