"""everywhere.py: find all places for `replace_all` where none has the old text exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hkgit.edits import Edit
from hkgit.matching.lines import EditLines, FileLines, occurrences
from hkgit.matching.places import Place
from hkgit.matching.refusals.hints import tell_unlike
from hkgit.matching.search.candidates import AlignedPlace, candidates
from hkgit.matching.tiers.unicode import unicode
from hkgit.matching.tiers.whitespace import whitespace
from hkgit.text.counting import count_noun

MOST_SHOWN = 5
"""So many lines a note names at most."""


def tell_left_over(view: FileLines, wanted: EditLines, places: Sequence[Place]) -> tuple[str, ...]:
    """A note on places that are the old text but for blanks or typography, and so stay."""
    if wanted.old.split() == [wanted.old] and wanted.old.isascii():
        return ()
    for tier, how in ((whitespace, "blanks"), (unicode, "typography")):
        near = _apart_from(places, sorted(tier(view, wanted)))
        if near:
            lines = [str(view.document.told(view.document.line_at(p.start))) for p in near]
            shown = ", ".join([*lines[:MOST_SHOWN], *(["..."] if lines[MOST_SHOWN:] else [])])
            verb = "differs" if len(near) == 1 else "differ"
            return (f"{count_noun(len(near), 'place')} that {verb} in {how} stayed: line {shown}",)
    return ()


def _apart_from(places: Sequence[Place], others: Sequence[Place]) -> list[Place]:
    """Those of others that share no byte with any of some places; both are in order."""
    ends = [place.end for place in places]
    below = ((each, bisect_right(ends, each.start)) for each in others)
    return [each for each, at in below if at == len(ends) or places[at].start >= each.end]


def find_alike(
    view: FileLines, wanted: EditLines, edit: Edit, threshold: int
) -> tuple[AlignedPlace, ...]:
    """The candidates of at least that similarity, where the file says the same at all of them.

    None where there is no candidate. Raises NoMatch where the file says different things at them,
    or where lines that change are not as the edit has them.
    """
    found = [each for each in candidates(view, wanted) if each.similarity >= threshold]
    if not found:
        return ()
    if not all(map(_is_placed, found)):
        raise tell_unlike(view, wanted, found, edit)
    text = _text(view, found[0])
    is_alike = all(_text(view, each) == text for each in found)
    if not is_alike or len(occurrences(view.document.data, text, len(found) + 1)) != len(found):
        raise tell_unlike(view, wanted, found, edit)
    return tuple(sorted(found, key=lambda each: each.lines))


def _is_placed(candidate: AlignedPlace) -> bool:
    """Whether the edit can be made at a candidate."""
    return candidate.is_fit and None not in candidate.landings


def _text(view: FileLines, candidate: AlignedPlace) -> bytes:
    first, last = candidate.lines
    return view.document.data[slice(*view.document.span(first + 1, last + 1))]
