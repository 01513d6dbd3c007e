"""fuzzy.py: the two tiers that match most of the lines, and every line to be removed."""

from __future__ import annotations

from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place
from hkgit.matching.search.candidates import AlignedPlace, find_candidates


def fuzzy(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find windows of as many lines as the old text has, if the best candidate is one."""
    return _places(view, wanted) if _is_straight(view, wanted) else ()


def line_block(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find stretches in which lines are missing, added or different."""
    return () if _is_straight(view, wanted) else _places(view, wanted)


def _is_straight(view: FileLines, wanted: EditLines) -> bool:
    """Whether the best candidate has neither gaps nor additions."""
    fits = [candidate for candidate in find_candidates(view, wanted) if candidate.is_fit]
    return bool(fits) and fits[0].is_gapless


def _places(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """The places of all candidates: those with gaps are rivals of those without."""
    return tuple(place_of(view, candidate) for candidate in find_candidates(view, wanted))


def place_of(view: FileLines, candidate: AlignedPlace) -> Place:
    """Convert a candidate to the place of the whole lines that it covers."""
    first, last = candidate.lines
    offsets = view.document.offsets
    return Place(
        start=offsets[first],
        end=offsets[last + 1],
        similarity=candidate.similarity,
        agreement=candidate.agreement,
        is_fit=candidate.is_fit,
        rows=candidate.rows,
        known=candidate.known,
    )
