"""losing.py: what one side of a merge said of a file in conflict, and the merge does not say.

The entry of a merge is made on the file of the first parent, so it shows nothing of what the
other side has changed there. Line by line that must be kept; where both sides have changed the
same lines, the entry may decide, if it writes in that very place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from hkgit.edits import EXECUTABLE, REGULAR, File
from hkgit.git.merging import Contested
from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, has_too_many_lines
from hkgit.values import dataclass

Stretch = tuple[int, int]
"""Lines `first..last` of the other side's file, counted from 1."""


def find_lost(file: Contested, result: File | None, known: Collection[bytes]) -> Iterator[Stretch]:
    """Find where the result has lost what the other side (`theirs`) wrote.

    That is the whole file where it is absent on a side, or no text. `known` are the lines that the
    merge's entries show.
    """
    if result == file.theirs:
        return
    theirs = file.theirs
    if theirs is None or not all(map(_is_text, (file.base, file.ours, theirs, result))):
        yield 1, 1 if theirs is None else max(Document(theirs.data).line_count, 1)
        return
    is_moded = file.base is None or theirs.mode == file.base.mode
    if result is not None and result.mode != theirs.mode and not is_moded:
        yield 1, 1
    sides = (file.base, file.ours, theirs, result)
    yield from _Lines(*(_lines(each) for each in sides)).find_lost_lines(Counter(known))


def _is_text(file: File | None) -> bool:
    if file is None:
        return True
    return file.mode in (REGULAR, EXECUTABLE) and not has_too_many_lines(file.data)


def _lines(file: File | None) -> Sequence[bytes]:
    return () if file is None else Document(file.data).lines


@dataclass(frozen=True, slots=True)
class _Lines:
    base: Sequence[bytes]
    ours: Sequence[bytes]
    theirs: Sequence[bytes]
    result: Sequence[bytes]

    def find_lost_lines(self, known: Counter[bytes]) -> Iterator[Stretch]:
        ours, resolution = find_changes(self.base, self.ours), find_changes(self.ours, self.result)
        cuts = find_changes(self.theirs, self.result)
        for change in find_changes(self.base, self.theirs):
            if any(self._loses(change, cut, ours, resolution, known) for cut in cuts):
                yield change.new_start + 1, max(change.new_end, change.new_start + 1)

    def _loses(
        self,
        change: LineChange,
        cut: LineChange,
        ours: Sequence[LineChange],
        resolution: Sequence[LineChange],
        known: Counter[bytes],
    ) -> bool:
        """Whether the result undoes a change of the other side here, and no edit says so."""
        if change.new_start == change.new_end:
            return self._restores(change, cut, resolution)
        first, end = max(change.new_start, cut.old_start), min(change.new_end, cut.old_end)
        if first >= end:
            return False
        if not Counter(self.theirs[first:end]) - known:
            return False
        is_shared = any(_touch(each, change.old_start, change.old_end) for each in ours)
        is_in_place = change.new_end - change.new_start <= change.old_end - change.old_start
        return not (
            is_shared and is_in_place and _is_resolved(resolution, *_opposite(cut, first, end))
        )

    def _restores(
        self, change: LineChange, cut: LineChange, resolution: Sequence[LineChange]
    ) -> bool:
        """Whether lines that the other side took away are there again, and no edit writes them."""
        if not cut.old_start <= change.new_start <= cut.old_end:
            return False
        gone = set(self.base[change.old_start : change.old_end])
        back = [at for at in range(cut.new_start, cut.new_end) if self.result[at] in gone]
        return any(not _is_resolved(resolution, at, at + 1) for at in back)


def _opposite(cut: LineChange, first: int, end: int) -> tuple[int, int]:
    """The lines of the result that stand for some lines of a stretch that differs."""
    if cut.old_end - cut.old_start != cut.new_end - cut.new_start:
        return cut.new_start, cut.new_end
    shift = cut.new_start - cut.old_start
    return first + shift, end + shift


def _touch(change: LineChange, start: int, end: int) -> bool:
    return change.old_start <= end and start <= change.old_end


def _is_resolved(resolution: Sequence[LineChange], start: int, end: int) -> bool:
    """Whether edits write all these lines; of no lines, whether they write or cut beside them."""
    if start == end:
        return any(each.new_start <= start <= each.new_end for each in resolution)
    return all(
        any(each.new_start <= at < each.new_end for each in resolution) for at in range(start, end)
    )
