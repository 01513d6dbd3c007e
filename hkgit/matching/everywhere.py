"""Find the places of an edit that is meant for all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from hkgit.errors import Ambiguous
from hkgit.matching import advice, guards, repetition
from hkgit.matching.place import Located, Place, rate_confidence
from hkgit.matching.quotation import Quotation
from hkgit.matching.search import Search, settle
from hkgit.matching.strict import (
    ALIKE,
    elided,
    find_literal_places,
    swap_line_ends,
    unicode,
    whitespace,
)
from hkgit.text.escape import count_noun
from hkgit.values import replace

_MOST_SHOWN = 5  # So many lines a note names at most


def locate_everywhere(search: Search) -> Located | None:
    """Find every place, byte for byte and inside words too; else every place of a strict tier."""
    quote = search.quote
    places = find_literal_places(quote)
    if places:
        found = _settle_all(search, "exact", places)
        notes = guards.note_parts_of_words(quote, places) + _tell_left_over(quote, places)
        return replace(found, notes=notes)
    other = swap_line_ends(quote)
    places = () if other is None else find_literal_places(other)
    if other is not None and places:
        return _settle_all(replace(search, quote=other), "whitespace", places)
    for reading in (search, *search.list_variants()):
        for tier, find in ALIKE.items():
            places = tuple(sorted(find(reading.quote)))
            if places:
                return _settle_all(reading, tier, places)
    # What an edit with dots leaves out may differ from place to place.
    places = elided(quote)
    if places:
        _check_count(search, places)
        return settle(search, "elided", places)
    applied_at = repetition.find_place_of_new(quote)
    if applied_at is not None:
        raise advice.refuse_applied(quote, applied_at)
    return None


def _settle_all(search: Search, tier: str, places: tuple[Place, ...]) -> Located:
    """All places that are the old text but for whitespace, typography or a repair.

    Raises Ambiguous for another number of them than is expected, for places that overlap, and
    where some have the new text around them already; AlreadyApplied where all have.
    """
    quote = search.quote
    _check_count(search, places)
    applied_at = [place for place in places if repetition.stands_literally(quote, place)]
    if len(applied_at) == len(places):
        raise advice.refuse_applied(quote, applied_at[0])
    if applied_at:
        raise advice.refuse_half_applied(quote, applied_at, places)
    if any(a.end > b.start for a, b in pairwise(places)):
        raise advice.refuse_ambiguous(quote, places)
    similarity = min(place.similarity for place in places)
    return Located(
        quote=quote,
        places=places,
        tier=tier,
        similarity=similarity,
        confidence=rate_confidence(tier, similarity, None, quote.repairs),
        repairs=quote.repairs,
    )


def _check_count(search: Search, places: tuple[Place, ...]) -> None:
    edit = search.quote.edit
    if edit.expected_count not in (None, len(places)):
        raise Ambiguous(
            edit.path,
            f"the old text is in {len(places)} places, not {edit.expected_count}",
            "Say how many places are to change, or quote more lines.",
        )


def _tell_left_over(quote: Quotation, places: Sequence[Place]) -> tuple[str, ...]:
    """A note on places that are the old text but for whitespace or typography, and so stay."""
    if quote.old.split() == [quote.old] and quote.old.isascii():
        return ()
    for find, how in ((whitespace, "blanks"), (unicode, "typography")):
        near = _apart_from(places, sorted(find(quote)))
        if near:
            lines = [str(quote.document.line_at(p.start)) for p in near]
            shown = ", ".join([*lines[:_MOST_SHOWN], *(["..."] if lines[_MOST_SHOWN:] else [])])
            verb = "differs" if len(near) == 1 else "differ"
            return (f"{count_noun(len(near), 'place')} that {verb} in {how} stayed: line {shown}",)
    return ()


def _apart_from(places: Sequence[Place], others: Sequence[Place]) -> list[Place]:
    """Those of others that share no byte with any of some places; both are in order."""
    ends = [place.end for place in places]
    below = ((each, bisect_right(ends, each.start)) for each in others)
    return [each for each, at in below if at == len(ends) or places[at].start >= each.end]
