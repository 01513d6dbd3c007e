"""fuzzy.py: the tier that wants windows of lines, most of which are those of the old text."""

from __future__ import annotations

from collections import Counter

from hkgit.matching.lines import View, Wanted
from hkgit.matching.places import Place
from hkgit.matching.whitespace import line_place

SEEDS = 500


def fuzzy(view: View, wanted: Wanted) -> tuple[Place, ...]:
    """Windows as long as the old text in which every line to be removed stands."""
    places = []
    for first in _offsets(view, wanted):
        if 0 <= first <= len(view.squeezed) - len(wanted.squeezed):
            similarity = _similarity(view, wanted, first)
            if similarity is not None:
                last = first + len(wanted.squeezed) - 1
                places.append(line_place(view, first, last, similarity))
    return tuple(places)


def _offsets(view: View, wanted: Wanted) -> list[int]:
    """The first lines of windows that share most lines with the old text."""
    spots: dict[bytes, list[int]] = {line: [] for line in wanted.squeezed if len(line) > 2}
    for number, line in enumerate(view.squeezed):
        if line in spots:
            spots[line].append(number)
    votes = Counter(
        number - index
        for index, line in enumerate(wanted.squeezed)
        for number in spots.get(line, ())[:SEEDS]
    )
    return [offset for offset, _ in votes.most_common(20)]


def _similarity(view: View, wanted: Wanted, first: int) -> int | None:
    """How alike a window is, per mille; None where a line to be removed is another one."""
    from rapidfuzz.distance import Indel

    total = same = 0
    for index, old in enumerate(wanted.squeezed):
        here = view.squeezed[first + index]
        if old != here and index in wanted.removed:
            return None
        length = len(old) + len(here)
        total += length
        same += length - Indel.distance(old.decode("latin-1"), here.decode("latin-1"))
    return 1000 * same // total if total else None
