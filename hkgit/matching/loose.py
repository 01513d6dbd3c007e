"""Find the place of an edit by the tiers that want most of its old text."""

from __future__ import annotations

from hkgit.matching import advice, repetition
from hkgit.matching.alignment import Alignment
from hkgit.matching.candidates import find_candidates, find_tier
from hkgit.matching.place import Located, Place
from hkgit.matching.search import Search, settle, vouch_for_none
from hkgit.matching.weight import check_names, has_evidence

_MOST_WORDS = 5  # So many places are looked for by words at most


def find_loosely(search: Search) -> Located | None:
    """Find the place by the tiers that want most of the old text; None where it is nowhere.

    Of the readings, repaired or not, that counts of which most is at one place of the file.
    Before, it is seen to that the change has not been made already.
    """
    search = max([search, *search.list_variants()], key=_agreement)
    quote = search.quote
    _refuse_applied(search, repetition.find_place_of_new(quote))
    places = find_candidates(quote)
    if any(place.similarity >= search.settings.threshold for place in places):
        _refuse_applied(search, repetition.find_rival(quote, places[0]))
        found = settle(search, find_tier(places), places)
        is_like = found.similarity >= search.settings.threshold
        return found if is_like and _is_shown(search, found.places[0]) else None
    places = _find_owned(search)
    return settle(search, "line-block", places) if len(places) == 1 else None


def _agreement(search: Search) -> tuple[int, int]:
    found = find_candidates(search.quote)
    return (found[0].agreement, found[0].similarity) if found else (0, 0)


def _find_owned(search: Search) -> tuple[Place, ...]:
    """Find the lines whose very hash or receipt is given, and of which none is quoted as it is."""
    if search.vouches is vouch_for_none or find_candidates(search.quote):
        return ()
    places = advice.find_by_words(search.quote, _MOST_WORDS)
    return tuple(place for place in places if search.owns(place))


def _is_shown(search: Search, place: Place) -> bool:
    """Whether enough of the old text is at a place, or a hash or a receipt of that very place.

    Raises AlreadyApplied and Conflict, where the file has what the new lines say, or not a name
    that they use.
    """
    alignment = Alignment(search.quote, place.targets)
    if not has_evidence(alignment) and not search.owns(place):
        return False
    _refuse_applied(search, repetition.find_added(alignment))
    check_names(alignment)
    return True


def _refuse_applied(search: Search, place: Place | None) -> None:
    """Raise AlreadyApplied where the new text is at a place."""
    if place is not None:
        raise advice.refuse_applied(search.quote, place)
