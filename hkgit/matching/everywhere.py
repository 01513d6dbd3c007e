"""Find the places of an edit that is meant for all of them: it is taken at its word."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hkgit.errors import Ambiguous
from hkgit.matching import advice, guards, repetition
from hkgit.matching.place import FULL, Located, Place, rate_confidence
from hkgit.matching.quotation import Quotation
from hkgit.matching.search import Search
from hkgit.matching.strict import find_literally, unicode, whitespace
from hkgit.text.escape import count_noun

_MOST_SHOWN = 5  # So many lines a note names at most


def locate_everywhere(search: Search) -> Located | None:
    """Find every place, byte for byte and inside words too; line ends may be others.

    None where there is none. Raises Ambiguous for another number of places than is expected, and
    where some have the new text around them already; AlreadyApplied where all have, or where there
    is no place and the new text is in the file.
    """
    tier, quote, places = find_literally(search.quote)
    if not places:
        applied = repetition.find_place_of_new(search.quote)
        if applied is None:
            return None
        raise advice.refuse_applied(search.quote, applied)
    expected = quote.edit.expected_count
    if expected not in (None, len(places)):
        raise Ambiguous(
            quote.edit.path,
            f"the old text is in {len(places)} places, not {expected}",
            "Say how many places are to change, or quote more lines.",
        )
    applied_at = [place for place in places if repetition.stands_literally(quote, place)]
    if len(applied_at) == len(places):
        raise advice.refuse_applied(quote, places[0])
    if applied_at:
        raise advice.refuse_half_applied(quote, applied_at, places)
    notes = guards.note_parts_of_words(quote, places) + _tell_left_over(quote, places)
    return Located(
        quote=quote,
        places=tuple(places),
        tier=tier,
        similarity=FULL,
        confidence=rate_confidence(tier, FULL),
        notes=notes,
    )


def _tell_left_over(quote: Quotation, places: Sequence[Place]) -> tuple[str, ...]:
    """A note on other places that are the old text but for whitespace or typography."""
    if quote.old.split() == [quote.old] and quote.old.isascii():
        return ()
    ends = [place.end for place in places]
    for find, how in ((whitespace, "blanks"), (unicode, "typography")):
        below = ((each, bisect_right(ends, each.start)) for each in find(quote))
        near = [each for each, at in below if at == len(ends) or places[at].start >= each.end]
        if near:
            shown = advice.list_starts(quote, near, _MOST_SHOWN)
            verb, line = ("differs", "line") if len(near) == 1 else ("differ", "lines")
            places_left = f"{count_noun(len(near), 'place')} that {verb} in {how}"
            return (f"{places_left} stayed: {line} {shown}",)
    return ()
