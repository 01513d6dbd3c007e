"""Where a recorded hunk is in a file that has moved on. Frozen.

Verdicts of old commits hang on these answers, so they never change, whatever becomes of the
matching ladder, which plays no part here. A hunk goes by hashes alone: that of its old text, and
those of up to `CONTEXT` lines on either side. It is where its old text is and at least one
side with it, and it must be there alone. That side is full: fewer lines than `CONTEXT` were all
there were, so they must reach the border of the file. An empty side says nothing, unless both are
empty: then the old text is the whole file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from hkgit.applying.hunk import CONTEXT, Hunk, apply_hunks
from hkgit.edits import encode_text
from hkgit.evidence.entry import RecordedHunk
from hkgit.text.document import Document, hash_lines
from hkgit.values import dataclass


class HunkNotPlaced(LookupError):
    """A hunk has no place in a file, or more than one."""

    def __init__(self, hunk: RecordedHunk, places: Sequence[int]) -> None:
        super().__init__(hunk, places)
        self.hunk = hunk
        self.places = places


def reanchor_file(base: bytes, hunks: Sequence[RecordedHunk], *, final_newline: bool) -> bytes:
    """Put every hunk into a file at its only place. Raises HunkNotPlaced (see `anchor_hunks`).

    A hunk that reaches the end of the file says whether the last line has an end, by
    `final_newline`; else that stays as it is.
    """
    moved = anchor_hunks(base, hunks)
    document = Document(base)
    reaches_end = bool(moved) and moved[-1].end_line == document.line_count
    is_terminated = final_newline if reaches_end else document.is_terminated
    return apply_hunks(document, moved, is_terminated=is_terminated)


def anchor_hunks(base: bytes, hunks: Sequence[RecordedHunk]) -> tuple[Hunk, ...]:
    """Place hunks in the lines of another base, in their order and never touching.

    Raises HunkNotPlaced for a hunk that has not just one place.
    """
    text = _Text(Document(base))
    moved: list[Hunk] = []
    for hunk in hunks:
        places = text.places(hunk)
        # Recorded hunks have a line between them, or they were one.
        if len(places) != 1 or (moved and places[0] <= moved[-1].end_line + 1):
            raise HunkNotPlaced(hunk, places)
        last = places[0] + hunk.end_line - hunk.start_line
        moved.append(Hunk(places[0], last, encode_text(hunk.new_text), hunk.edits))
    return tuple(moved)


@dataclass(frozen=True)
class _Text:
    document: Document

    def places(self, hunk: RecordedHunk) -> list[int]:
        """The lines at which the old text and a side of the context are; not one if not full.

        A side that is short counts against another place wherever it is, so that a copy of
        the target never takes its place. Two places are as bad as more, and are all that is told.
        """
        size = hunk.end_line - hunk.start_line + 1
        beside = sorted(set(self._beside(hunk, size)))
        stands = (first for first in beside if self._stands(hunk, first, first + size - 1))
        found = list(islice(stands, 2))
        is_full = len(found) != 1 or self._has_full_side(hunk, found[0], found[0] + size - 1)
        return found if is_full else []

    @cached_property
    def _hashes(self) -> list[str]:
        return [hash_lines([line]) for line in self.document.lines]

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The lines of each hash, counted from 1."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, each in enumerate(self._hashes, 1):
            numbers[each].append(number)
        return numbers

    def _beside(self, hunk: RecordedHunk, size: int) -> Iterator[int]:
        """The lines where a hunk may begin: next to the nearest line of its context."""
        if hunk.before:
            yield from (number + 1 for number in self._numbers.get(hunk.before[-1], ()))
        if hunk.after:
            yield from (number - size for number in self._numbers.get(hunk.after[0], ()))
        if not hunk.before and not hunk.after:
            yield 1

    def _stands(self, hunk: RecordedHunk, first: int, last: int) -> bool:
        if not 1 <= first <= last + 1 <= len(self._hashes) + 1:
            return False
        has_side = self._is_above(hunk, first) or self._is_below(hunk, last)
        is_bare = not hunk.before and not hunk.after
        return (has_side or is_bare) and self.document.range_hash(first, last) == hunk.old_hash

    def _has_full_side(self, hunk: RecordedHunk, first: int, last: int) -> bool:
        top, end = first - 1 == len(hunk.before), last + len(hunk.after) == len(self._hashes)
        if not hunk.before and not hunk.after:
            return top and end
        above = self._is_above(hunk, first) and (len(hunk.before) >= CONTEXT or top)
        below = self._is_below(hunk, last) and (len(hunk.after) >= CONTEXT or end)
        return above or below

    def _is_above(self, hunk: RecordedHunk, first: int) -> bool:
        start = first - 1 - len(hunk.before)
        is_said = start >= 0 and hunk.before != ()
        return is_said and self._hashes[start : first - 1] == [*hunk.before]

    def _is_below(self, hunk: RecordedHunk, last: int) -> bool:
        stop = last + len(hunk.after)
        return hunk.after != () and self._hashes[last:stop] == [*hunk.after]
