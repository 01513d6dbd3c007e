"""Ranges of lines: joined, and carried through the changes of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hkgit.text.diff import LineChange, find_changes
from hkgit.text.document import Document, Lines
from hkgit.values import dataclass


@dataclass(frozen=True)
class LineMap:
    """Where the lines of one text are in the next, by the changes between the two."""

    changes: Sequence[LineChange]

    @classmethod
    def between(cls, old: bytes, new: bytes) -> LineMap:
        return cls(find_changes(Document(old).lines, Document(new).lines))

    def keep(self, lines: Lines) -> Iterator[Lines]:
        """Yield the parts of a range that no change replaced or parted, where they are now."""
        first, last = lines
        shift = 0
        for change in self.changes:
            stop = min(change.old_start, last)
            if first <= stop:
                yield first + shift, stop + shift
            first = max(first, change.old_end + 1)
            shift = change.new_end - change.old_end
        if first <= last:
            yield first + shift, last + shift

    def carry(self, lines: Lines) -> Lines | None:
        """Map a range; None where its lines changed or came apart. A point stays below its line."""
        first, last = lines
        if first > last:
            above = self.carry((last, last)) if last else (0, 0)
            return None if above is None else (above[1] + 1, above[1])
        found = [*self.keep(lines)]
        is_whole = len(found) == 1 and found[0][1] - found[0][0] == last - first
        return found[0] if is_whole else None

    def follow(self, lines: Lines) -> Lines:
        """Map a range; lines that were replaced are where their replacement is, all of it."""
        return self._follow(lines[0], is_last=False), self._follow(lines[1], is_last=True)

    def _follow(self, number: int, *, is_last: bool) -> int:
        shift = 0
        for change in self.changes:
            if change.old_end < number:
                shift = change.new_end - change.old_end
            elif change.old_start < number:
                return change.new_end if is_last else change.new_start + 1
        return number + shift

    def learn(self, known: Iterable[Lines]) -> list[Lines]:
        """Map what the author of the changes knows: lines that stay, and all that are new."""
        kept = (part for lines in known for part in self.keep(lines))
        new = ((each.new_start + 1, each.new_end) for each in self.changes)
        return join_lines([*kept, *(lines for lines in new if lines[0] <= lines[1])])


def join_lines(lines: Iterable[Lines]) -> list[Lines]:
    """Sort ranges, and join those that touch or overlap. An empty range stays only if alone."""
    joined: list[Lines] = []
    for first, last in sorted(lines):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined
