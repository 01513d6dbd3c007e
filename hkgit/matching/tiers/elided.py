"""elided.py: the tier for texts in which a placeholder line stands for lines that stay.

`...`, or a remark like `# ... existing code ...`: paired, each piece in the file once, in order;
anything looser would be a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place
from hkgit.matching.tiers.elisions import is_elision
from hkgit.matching.tiers.exact import exact
from hkgit.matching.tiers.unicode import unicode
from hkgit.matching.tiers.whitespace import whitespace

SIMILARITY = 950

Piece = tuple[EditLines, Place]


def elided(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find the stretch from the first to the last piece of the old text."""
    found = find_pieces(view, wanted)
    return (Place(found[0][1].start, found[-1][1].end, SIMILARITY),) if found else ()


def find_pieces(view: FileLines, wanted: EditLines) -> Sequence[Piece]:
    """Find the only place of each piece between the dots; nothing where one has none or several."""
    old, new = _parts(wanted.old_lines), _parts(wanted.new_lines)
    if len(old) < 2 or len(old) != len(new) or _are_swapped(wanted):
        return ()
    found: list[Piece] = []
    for before, after in zip(old, new, strict=True):
        if not before and not after:
            continue
        piece = EditLines(_join_pieces(before), _join_pieces(after), whole_lines=True)
        place = _only(view, piece)
        if place is None or (found and place.start < found[-1][1].end):
            return ()
        found.append((piece, place))
    return found


def _parts(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The lines between those that stand for others."""
    parts: list[list[bytes]] = [[]]
    for line in lines:
        if is_elision(line.strip()):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _are_swapped(wanted: EditLines) -> bool:
    """Whether a remark of the new text is that of another stretch of the old one."""
    old, new = (
        [line.strip() for line in lines if is_elision(line.strip())]
        for lines in (wanted.old_lines, wanted.new_lines)
    )
    return any(now != then and now in old for then, now in zip(old, new, strict=True))


def _join_pieces(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _only(view: FileLines, piece: EditLines) -> Place | None:
    """Where a piece stands, if it stands once."""
    if not piece.old.strip():
        return None
    for find in (exact, whitespace, unicode):
        places = find(view, piece)
        if places:
            return places[0] if len(places) == 1 else None
    return None
