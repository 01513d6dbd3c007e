"""elided.py: the tier for old and new texts in which `...` stands for lines kept as they are.

Bare, paired, each piece in the file once, in order; anything looser would be a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.matching.exact import exact
from hkgit.matching.lines import DOTS, View, Wanted
from hkgit.matching.places import Place
from hkgit.matching.unicode import unicode
from hkgit.matching.whitespace import whitespace

SIMILARITY = 950

Piece = tuple[Wanted, Place]


def elided(view: View, wanted: Wanted) -> tuple[Place, ...]:
    """The stretch from the first to the last piece of the old text."""
    found = pieces(view, wanted)
    return (Place(found[0][1].start, found[-1][1].end, SIMILARITY),) if found else ()


def pieces(view: View, wanted: Wanted) -> Sequence[Piece]:
    """The pieces between the dots, each with its only place; none where that is not so."""
    old, new = _parts(wanted.old_lines), _parts(wanted.new_lines)
    if len(old) < 2 or len(old) != len(new):
        return ()
    found: list[Piece] = []
    for before, after in zip(old, new, strict=True):
        if not before and not after:
            continue
        piece = Wanted(_joined(before), _joined(after))
        place = _only(view, piece)
        if place is None or (found and place.start < found[-1][1].end):
            return ()
        found.append((piece, place))
    return found


def _parts(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The lines between those that are three dots and nothing else."""
    parts: list[list[bytes]] = [[]]
    for line in lines:
        if line.strip() in DOTS:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _only(view: View, piece: Wanted) -> Place | None:
    """Where a piece stands, if it stands once."""
    if not piece.old.strip():
        return None
    for find in (exact, whitespace, unicode):
        places = find(view, piece)
        if places:
            return places[0] if len(places) == 1 else None
    return None
