"""fuzzy.py: the two tiers that match most of the lines, and every line to be removed."""

from __future__ import annotations

from hkgit.matching.lines import EditLines, FileLines
from hkgit.matching.places import Place
from hkgit.matching.search.candidates import find_candidates


def fuzzy(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find windows of as many lines as the old text has, if the best candidate is one.

    Candidates with gaps are their rivals.
    """
    return find_candidates(view, wanted) if _is_straight(view, wanted) else ()


def line_block(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find stretches in which lines are missing, added or different."""
    return () if _is_straight(view, wanted) else find_candidates(view, wanted)


def _is_straight(view: FileLines, wanted: EditLines) -> bool:
    """Whether the best candidate has neither gaps nor additions."""
    fits = [candidate for candidate in find_candidates(view, wanted) if candidate.is_fit]
    return bool(fits) and fits[0].is_gapless
