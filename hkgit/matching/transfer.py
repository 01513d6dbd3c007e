"""transfer.py: which bytes change at a place, once it is found.

A three-way merge: base is the old text, ours the file's place, theirs the new text. Only what
the author changed is written; everything else stays as the file has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from hkgit.document import Document, Splice
from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied
from hkgit.matching.align import Targets, align
from hkgit.matching.exact import is_whole
from hkgit.matching.lines import View, Wanted, keys, view_of
from hkgit.matching.merge import Merge
from hkgit.matching.places import Located, Place
from hkgit.matching.quoted import in_whole_lines, shifted, with_margin


def transfer(document: Document, edit: Edit, located: Located) -> tuple[Splice, ...]:
    """The splices that carry an edit out at its places, in order.

    Raises Conflict where it cannot be told what the author's change means there, AlreadyApplied
    where nothing is left to change.
    """
    view, wanted = view_of(document), Wanted.of(edit, located.repairs)
    if len(located.places) > 1:
        return tuple(_literal(view, wanted, place, edit.path) for place in located.places)
    parts = _parts(view, wanted, located)
    merges = [_merge(view, piece, place, located.tier, edit.path) for piece, place in parts]
    splices = [splice for merge in merges for splice in merge.splices()]
    changed = [s for s in splices if document.data[s.start : s.end] != s.new]
    if not changed or all(merge.is_made() for merge in merges):
        where = f"{edit.path}:{document.told(document.line_at(located.places[0].start))}"
        raise AlreadyApplied(
            where, "the file says already what the edit wants", "Leave the edit out."
        )
    return tuple(changed)


def _literal(view: View, wanted: Wanted, place: Place, path: str) -> Splice:
    """One of several exact places: the new text, with the indentation and line ends there."""
    document = view.document
    first, last = document.lines_of(place.start, place.end)
    lines = shifted(view, wanted.old, wanted.new_lines, place, path)
    end, new = place.end, b"\n".join(lines)
    if wanted.old.endswith(b"\n"):
        new += b"\n" if wanted.new_lines else b""
    elif not new and is_whole(document, place):
        end = document.span(first, last)[1]
    return Splice(place.start, end, new.replace(b"\n", document.end_of(last)))


def _parts(view: View, wanted: Wanted, located: Located) -> Iterable[tuple[Wanted, Place]]:
    """The old and new texts to be merged, each with its place."""
    if located.tier == "elided":
        from hkgit.matching.elided import pieces

        return pieces(view, wanted)
    return [(wanted, place) for place in located.places]


def _merge(view: View, wanted: Wanted, place: Place, tier: str, path: str) -> Merge:
    """The merge of an edit at its place."""
    if tier in ("fuzzy", "line-block"):
        from hkgit.matching.candidates import candidates
        from hkgit.matching.fuzzy import place_of

        found = candidates(view, wanted)
        targets = next(c.targets for c in found if place_of(view, c) == place)
    else:
        first, last = view.document.lines_of(place.start, place.end)
        wanted = in_whole_lines(view, wanted, place, path)
        targets = _targets(view, wanted, first - 1, last)
        wanted, targets = _without_blank_ends(wanted, targets)
    return Merge(view, path, with_margin(view, wanted, targets, path), targets)


def _targets(view: View, wanted: Wanted, first: int, after: int) -> Targets:
    """Which line is which at a place that says the same as the old text."""
    if list(wanted.old_lines) == list(view.lines[first:after]):
        return tuple(range(first, after))
    lines, old = keys(view, wanted)
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


def _without_blank_ends(wanted: Wanted, targets: Targets) -> tuple[Wanted, Targets]:
    """The edit without the blank lines above and below that the file has not."""
    top = _outer_blanks(wanted.old_lines, wanted.new_lines, targets)
    bottom = _outer_blanks(wanted.old_lines[::-1], wanted.new_lines[::-1], targets[::-1])
    if not top and not bottom:
        return wanted, targets
    old, new = (
        lines[top : len(lines) - bottom] for lines in (wanted.old_lines, wanted.new_lines)
    )
    texts = (b"".join(line + b"\n" for line in lines) for lines in (old, new))
    return Wanted(*texts), targets[top : len(targets) - bottom]


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
