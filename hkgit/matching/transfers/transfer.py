"""transfer.py: which bytes change at a place, once it is found.

A three-way merge: base is the old text, ours the file's place, theirs the new text. Only what
the author changed is written; everything else stays as the file has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile

from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied
from hkgit.matching.lines import EditLines, FileLines, keys, view_of
from hkgit.matching.places import Located, Place
from hkgit.matching.search.align import Targets, align
from hkgit.matching.tiers.exact import in_other_ends
from hkgit.matching.transfers.merge import Merge
from hkgit.matching.transfers.quoted import in_whole_lines, with_margin
from hkgit.text.diff import changes
from hkgit.text.document import Document, Splice, split_raw

LINE_END = re.compile(rb"\r?\n")


def transfer(document: Document, edit: Edit, located: Located) -> tuple[Splice, ...]:
    """The splices that carry an edit out at its places, in order.

    Raises Conflict where it cannot be told what the author's change means there, AlreadyApplied
    where nothing is left to change.
    """
    view, wanted = view_of(document), EditLines.of(edit, located.repairs)
    literal = _as_it_stands(document, wanted, located)
    if literal is not None:
        splices = list(_literal(document, literal, located.places))
        is_made = False
    else:
        merges = [
            _merge(view, piece, place, located.tier, edit.path)
            for piece, place in _parts(view, wanted, located)
        ]
        splices = [splice for merge in merges for splice in merge.splices()]
        is_made = all(merge.is_made() for merge in merges)
    changed = tuple(s for s in splices if document.data[s.start : s.end] != s.new)
    if not changed or is_made:
        where = f"{edit.path}:{document.told(document.line_at(located.places[0].start))}"
        raise AlreadyApplied(
            where, "the file says already what the edit wants", "Leave the edit out."
        )
    return changed


def _as_it_stands(document: Document, wanted: EditLines, located: Located) -> EditLines | None:
    """The edit with the old text that stands at all its places, but for line ends; else None."""
    if located.tier == "exact":
        return wanted
    other = in_other_ends(wanted) if located.tier == "whitespace" else None
    if other is None:
        return None
    is_there = all(document.data.startswith(other.old, place.start) for place in located.places)
    return other if is_there else None


def _literal(document: Document, wanted: EditLines, places: Sequence[Place]) -> Iterator[Splice]:
    """The new text byte for byte at every place, but for line ends: those are the file's.

    Lines that both texts have stay out of the splices, so that edits may share context.
    """
    changed: dict[bytes, list[Splice]] = {}
    for place in places:
        end = document.end_of(document.line_at(place.start))
        if end not in changed:
            changed[end] = _differences(wanted.old, LINE_END.sub(end, wanted.new))
        for part in changed[end]:
            yield Splice(place.start + part.start, place.start + part.end, part.new)


def _differences(old: bytes, new: bytes) -> list[Splice]:
    """The lines in which two texts differ, as splices of the first."""
    before, after = split_raw(old), split_raw(new)
    starts = list(accumulate(map(len, before), initial=0))
    return [
        Splice(starts[c.old_start], starts[c.old_end], b"".join(after[c.new_start : c.new_end]))
        for c in changes(before, after)
    ]


def _parts(
    view: FileLines, wanted: EditLines, located: Located
) -> Iterable[tuple[EditLines, Place]]:
    """The old and new texts to be merged, each with its place."""
    if located.tier == "elided":
        from hkgit.matching.tiers.elided import pieces

        return pieces(view, wanted)
    return [(wanted, place) for place in located.places]


def _merge(view: FileLines, wanted: EditLines, place: Place, tier: str, path: str) -> Merge:
    """The merge of an edit at its place."""
    if tier in ("fuzzy", "line-block"):
        from hkgit.matching.search.candidates import candidates
        from hkgit.matching.tiers.fuzzy import place_of

        found = candidates(view, wanted)
        targets = next(c.targets for c in found if place_of(view, c) == place)
    else:
        first, last = view.document.lines_of(place.start, place.end)
        wanted = in_whole_lines(view, wanted, place, path)
        targets = _targets(view, wanted, first - 1, last)
        wanted, targets = _without_blank_ends(wanted, targets)
    return Merge(view, path, with_margin(view, wanted, targets, path), targets)


def _targets(view: FileLines, wanted: EditLines, first: int, after: int) -> Targets:
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
