"""The changes of a file as line hunks of the base, from its splices instead of a diff.

Hunks are bytes over lines that all have an end (see `document.terminate`), so putting them into
the base again is a total function: `apply_hunks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.applying.draft import Draft
from hkgit.text.diff import LineChange, LineMap, count_equal
from hkgit.text.document import Document, find_line_end, split_raw, terminate, unterminate
from hkgit.values import cached_property, dataclass

CONTEXT = 3  # How many lines before and after a hunk are hashed, so that it can be found elsewhere


@dataclass(frozen=True)
class Hunk:
    """Lines `start_line..end_line` of the base give way to `new`; `edits` account for it."""

    start_line: int
    end_line: int
    new: bytes
    edits: tuple[int, ...]

    @cached_property
    def new_lines(self) -> tuple[bytes, ...]:
        """The text of the new lines; only at the top of a file a byte order mark is none."""
        if self.start_line == 1:
            return Document(self.new).lines
        return tuple(raw[: len(raw) - len(find_line_end(raw))] for raw in split_raw(self.new))


def net_hunks(draft: Draft) -> tuple[Hunk, ...]:
    """Convert a draft's splices to hunks: whole lines, touching ones joined, equal ends trimmed."""
    return trim_hunks(draft.base, _list_whole_lines(draft))


def trim_hunks(base: Document, hunks: Iterable[Hunk]) -> tuple[Hunk, ...]:
    """Leave out of hunks the lines at their borders that they leave as they are."""
    trimmed = (_trim(base, hunk) for hunk in hunks)
    return tuple(hunk for hunk in trimmed if hunk.new or hunk.end_line >= hunk.start_line)


def make_hunks(changes: Iterable[LineChange], new: Sequence[bytes]) -> Iterator[Hunk]:
    """Make hunks of changes to these lines, which have their ends; all are of one edit."""
    for each in changes:
        text = b"".join(new[each.new_start : each.new_end])
        yield Hunk(each.old_start + 1, each.old_end, text, (1,))


def apply_hunks(base: Document, hunks: Iterable[Hunk], *, is_terminated: bool) -> bytes:
    """Put hunks into a base, and return its bytes with or without an end on the last line.

    Raises IndexError when a hunk lies outside the base or hunks are out of order.
    """
    document = terminate(base)
    parts = []
    done = 0
    line = 1
    for hunk in hunks:
        if not line <= hunk.start_line <= hunk.end_line + 1 <= document.line_count + 1:
            raise IndexError(f"lines {hunk.start_line}-{hunk.end_line}")
        start, stop = document.span(hunk.start_line, hunk.end_line)
        parts += [document.data[done:start], hunk.new]
        done, line = stop, hunk.end_line + 1
    data = b"".join([*parts, document.data[done:]])
    return data if is_terminated else unterminate(data)


def map_lines(hunks: Iterable[Hunk]) -> LineMap:
    """Map the lines of a base to those of the text that its hunks make of it."""
    changes: list[LineChange] = []
    shift = 0
    for hunk in hunks:
        start = hunk.start_line - 1
        stop = start + shift + len(hunk.new_lines)
        changes.append(LineChange(start, hunk.end_line, start + shift, stop))
        shift = stop - hunk.end_line
    return LineMap(changes)


def _list_whole_lines(draft: Draft) -> Iterator[Hunk]:
    """Walk the pieces; a hunk stays open until both sides are at the beginning of a line.

    And beyond that where the next piece is in the line that begins there.
    """
    base = draft.base
    start: int | None = None
    new = b""
    edits: tuple[int, ...] = ()
    limits = [*(piece.start for piece in draft.pieces[1:]), len(base.data)]
    for piece, limit in zip(draft.pieces, limits, strict=False):
        if start is None:
            start = base.offsets[max(base.line_at(piece.start), 1) - 1]
            new = base.data[start : piece.start]
        new += piece.new
        edits += piece.edits
        stop = limit
        if piece.end < limit:
            # The first beginning of a line at which both sides are complete.
            line = base.line_at(piece.end)
            is_border = base.offsets[line - 1] == piece.end and (not new or new.endswith(b"\n"))
            stop = piece.end if is_border else base.offsets[line]
        if stop < base.offsets[max(base.line_at(limit), 1) - 1]:
            yield _hunk(base, start, stop, new + base.data[piece.end : stop], edits)
            start, new, edits = None, b"", ()
        else:
            new += base.data[piece.end : limit]
    if start is not None:
        yield _hunk(base, start, len(base.data), new, edits)


def _hunk(base: Document, start: int, stop: int, new: bytes, edits: tuple[int, ...]) -> Hunk:
    return Hunk(base.line_at(start), base.line_at(stop) - 1, new, tuple(dict.fromkeys(edits)))


def _trim(base: Document, hunk: Hunk) -> Hunk:
    old = base.raw_lines[hunk.start_line - 1 : hunk.end_line]
    new = split_raw(hunk.new)
    head = count_equal(old, new)
    tail = count_equal(old[head:][::-1], new[head:][::-1])
    return Hunk(
        hunk.start_line + head,
        hunk.end_line - tail,
        b"".join(new[head : len(new) - tail]),
        hunk.edits,
    )
