"""merging.py: merge an edit with the lines at its place where those differ from its old text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from hkgit.matching.lines import EditLines, FileLines, list_keys
from hkgit.matching.places import Located, Place
from hkgit.matching.search.align import Targets, align
from hkgit.matching.transfers.merge import Merge
from hkgit.matching.transfers.quoted import add_margin, end_blank_lines


def merge_places(view: FileLines, wanted: EditLines, located: Located, path: str) -> list[Merge]:
    """Build the merge of an edit at each of its places; raise Conflict."""
    return [
        _merge(view, piece, place, located.tier, path)
        for piece, place in _parts(view, wanted, located)
    ]


def _parts(
    view: FileLines, wanted: EditLines, located: Located
) -> Iterable[tuple[EditLines, Place]]:
    """The old and new texts to be merged, each with its place."""
    if located.tier == "elided":
        from hkgit.matching.tiers.elided import find_pieces

        return find_pieces(view, wanted)
    return [(wanted, place) for place in located.places]


def _merge(view: FileLines, wanted: EditLines, place: Place, tier: str, path: str) -> Merge:
    """The merge of an edit at its place."""
    if tier in ("fuzzy", "line-block"):
        targets = place.targets
    else:
        first, last = view.document.lines_of(place.start, place.end)
        wanted = end_blank_lines(wanted, view.document.data[place.start : place.end])
        targets = _targets(view, wanted, first - 1, last)
        wanted, targets = _without_blank_ends(wanted, targets)
    return Merge(view, path, add_margin(view, wanted, targets, path), targets)


def _targets(view: FileLines, wanted: EditLines, first: int, after: int) -> Targets:
    """Which line is which at a place that says the same as the old text."""
    if list(wanted.old_lines) == list(view.lines[first:after]):
        return tuple(range(first, after))
    lines, old = list_keys(view, wanted)
    numbers = [n for n in range(first, after) if lines[n]]
    says = [i for i, key in enumerate(old) if key]
    if not says or [lines[n] for n in numbers] != [old[i] for i in says]:
        return align(old, lines[first:after], first)
    targets: list[int | None] = [None] * len(old)
    for i, number in zip(says, numbers, strict=True):
        targets[i] = number
    _fill_blank(targets, range(says[0] - 1, -1, -1), lines, -1)
    _fill_blank(targets, range(says[0] + 1, len(old)), lines, 1)
    return tuple(targets)


def _without_blank_ends(wanted: EditLines, targets: Targets) -> tuple[EditLines, Targets]:
    """The edit without the blank lines above and below that the file has not."""
    top = _outer_blanks(wanted.old_lines, wanted.new_lines, targets)
    bottom = _outer_blanks(wanted.old_lines[::-1], wanted.new_lines[::-1], targets[::-1])
    if not top and not bottom:
        return wanted, targets
    old, new = (lines[top : len(lines) - bottom] for lines in (wanted.old_lines, wanted.new_lines))
    old_text, new_text = (b"".join(line + b"\n" for line in lines) for lines in (old, new))
    return EditLines(old_text, new_text), targets[top : len(targets) - bottom]


def _outer_blanks(old: Sequence[bytes], new: Sequence[bytes], targets: Targets) -> int:
    """How many blank lines both texts begin with that the file has not.

    None where the old text has more of them than the new one: some are to be removed.
    """
    blanks = [len(list(takewhile(lambda line: not line.strip(), lines))) for lines in (old, new)]
    absent = len(list(takewhile(lambda target: target is None, targets)))
    return 0 if blanks[0] > blanks[1] else min(blanks[0], absent)


def _fill_blank(
    targets: list[int | None], rows: Iterable[int], lines: Sequence[bytes], step: int
) -> None:
    """Give blank old lines the blank lines next to the counterparts of their neighbours."""
    for i in rows:
        near = targets[i - step]
        if targets[i] is None and near is not None and 0 <= near + step < len(lines):
            targets[i] = None if lines[near + step] else near + step
