"""applied.py: whether a file says already what an edit wants."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.matching.exact import is_whole
from hkgit.matching.fold import fold
from hkgit.matching.lines import View, Wanted, keys, squeeze
from hkgit.matching.places import Place
from hkgit.matching.whitespace import runs


def stands_at(view: View, wanted: Wanted, place: Place) -> bool:
    """Whether the new text, which holds the old one, stands around a place of the old one."""
    data, shift = view.document.data, wanted.new.find(wanted.old)
    while shift >= 0:
        start = place.start - shift
        if start >= 0 and data.startswith(wanted.new, start) and wanted.new.strip():
            return True
        shift = wanted.new.find(wanted.old, shift + 1)
    return is_whole(view.document, place) and _has_additions(view, wanted, place)


def _has_additions(view: View, wanted: Wanted, place: Place) -> bool:
    """Whether all the author does is to add lines that stand above and below already."""
    if not wanted.changes or any(c.old_start < c.old_end for c in wanted.changes):
        return False
    lines, _ = keys(view, wanted)
    first, last = view.document.lines_of(place.start, place.end)
    for change in wanted.changes:
        added = [key for key in _keys(wanted.new_lines[change.new_start : change.new_end]) if key]
        if change.old_start == len(wanted.old_lines):
            here = _says(lines[last : last + 2 * len(added) + 2])[: len(added)]
        elif change.old_start == 0:
            here = _says(lines[max(first - 3 - 2 * len(added), 0) : first - 1])[-len(added) :]
        else:
            return False
        if here != added or not any(_is_telling(key) for key in added):
            return False
    return True


def places_of_new(view: View, wanted: Wanted) -> list[Place]:
    """Where the new text stands as whole lines, up to blanks and typography, if it is telling."""
    new = _keys(wanted.new_lines)
    if not any(_is_telling(key) for key in new):
        return []
    lines, _ = keys(view, wanted)
    offsets = view.document.offsets
    return [Place(offsets[rows[0]], offsets[rows[-1] + 1]) for rows in runs(lines, new)]


def _keys(lines: Sequence[bytes]) -> list[bytes]:
    return [squeeze(line if line.isascii() else fold(line)) for line in lines]


def _says(lines: Sequence[bytes]) -> list[bytes]:
    return [line for line in lines if line]


def _is_telling(key: bytes) -> bool:
    """Whether a line says more than brackets do."""
    return any(byte >= 0x80 or chr(byte).isalnum() for byte in key)


