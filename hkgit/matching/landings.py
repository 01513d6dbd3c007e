"""Map an author's change to lines of the file, given their alignment."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.matching.alignment import Targets
from hkgit.matching.view import EditLines, indent_of
from hkgit.text.diff import LineChange

Lines = tuple[int, int]  # Lines of the file, counted from 0 and half open


def find_landings(
    wanted: EditLines, targets: Targets, lines: Sequence[bytes]
) -> tuple[Lines | None, ...]:
    """Find, for each change of the author's, the lines of the file that it replaces.

    None where that cannot be told: new lines belong between the counterparts of the old lines
    around them, and where the file has lines in between that the author did not know, nobody can
    say on which side of those.
    """
    return tuple(_find_landing(wanted, change, targets, lines) for change in wanted.changes)


def _find_landing(
    wanted: EditLines, change: LineChange, targets: Targets, lines: Sequence[bytes]
) -> Lines | None:
    found = [t for t in targets[change.old_start : change.old_end] if t is not None]
    if found:
        return found[0], found[-1] + 1
    above = targets[change.old_start - 1] if change.old_start else None
    below = targets[change.old_end] if change.old_end < len(targets) else None
    is_inside = change.old_start > 0 and change.old_end < len(targets)
    if is_inside and (above is None or below is None):
        above, below = _nearest(change, targets)
    if above is None or below is None:
        at = below if above is None else above + 1
        return None if is_inside or at is None else (at, at)
    if any(line.strip() for line in lines[above + 1 : below]):
        return None
    added = wanted.new_lines[change.new_start : change.new_end]
    at = below if _leans_down(added, lines[above], lines[below]) else above + 1
    return at, at


def _leans_down(added: Sequence[bytes], above: bytes, below: bytes) -> bool:
    """Whether new lines belong rather below than above some blank lines."""
    if not added:
        return False
    starts, ends = not added[0].strip(), not added[-1].strip()
    if starts != ends:
        return ends
    indents = [indent_of(line) for line in added if line.strip()]
    return bool(indents) and indents[0] == indent_of(below) != indent_of(above)


def _nearest(change: LineChange, targets: Targets) -> tuple[int | None, int | None]:
    """The nearest counterparts above and below a change."""
    above = [t for t in targets[: change.old_start] if t is not None]
    below = [t for t in targets[change.old_end :] if t is not None]
    return above[-1] if above else None, below[0] if below else None


def is_whole(change: LineChange, targets: Targets, lines: Sequence[bytes]) -> bool:
    """Whether no line stands among those that a change removes which the author did not know."""
    found = [t for t in targets[change.old_start : change.old_end] if t is not None]
    inside = set(range(found[0], found[-1])).difference(found) if found else ()
    return not any(lines[t].strip() for t in inside)
