"""unicode.py: the tier that ignores typography, such as curly quotes."""

from __future__ import annotations

from hkgit.matching.lines import EditLines, FileLines, folds
from hkgit.matching.places import Place
from hkgit.matching.tiers.whitespace import find_runs, place_of

SIMILARITY = 950


def unicode(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find whole lines that differ from the old ones in blanks, quotes, dashes and the like."""
    if not folds(view, wanted):
        return ()
    hits = find_runs(view.folded, wanted.folded)
    return tuple(place_of(view, wanted, rows, SIMILARITY) for rows in hits)
