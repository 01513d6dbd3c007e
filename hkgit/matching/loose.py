"""Find the place of an edit by the tiers that want most of its old text."""

from __future__ import annotations

from hkgit.matching import advice, repetition
from hkgit.matching.candidates import find_candidates, fuzzy, line_block
from hkgit.matching.place import Located, Place
from hkgit.matching.search import Search, list_variants, settle, vouch_for_none
from hkgit.matching.view import EditLines
from hkgit.matching.weight import check_names, has_evidence

_TIERS = {"fuzzy": fuzzy, "line-block": line_block}

_MOST_WORDS = 5  # So many places are looked for by words at most


def find_loosely(search: Search, wanted: EditLines) -> Located | None:
    """Find the place by the tiers that want most of the old text; None where it is nowhere.

    Before, it is seen to that the change has not been made already.
    """
    wanted, repairs = choose_variant(search, wanted)
    _refuse_applied(search, repetition.find_place_of_new(search.view, wanted))
    for tier, find in _TIERS.items():
        places = find(search.view, wanted)
        if any(place.similarity >= search.settings.threshold for place in places):
            found = _settle_loose(search, tier, wanted, places, repairs)
            return None if found is None else _check_evidence(search, wanted, found)
    places = _find_owned(search, wanted)
    return settle(search, "line-block", wanted, places, repairs) if len(places) == 1 else None


def _find_owned(search: Search, wanted: EditLines) -> tuple[Place, ...]:
    """Find the lines whose very hash or receipt is given, and of which none is quoted as it is."""
    if search.vouches is vouch_for_none or find_candidates(search.view, wanted):
        return ()
    places = advice.find_by_words(search.view, wanted, _MOST_WORDS)
    return tuple(place for place in places if search.owns(place))


def _settle_loose(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...],
    repairs: tuple[str, ...],
) -> Located | None:
    """Choose among the places of a loose tier; None where the one that is meant is too unlike."""
    best = find_candidates(search.view, wanted)[0]
    _refuse_applied(search, repetition.find_rival(search.view, wanted, best))
    found = settle(search, tier, wanted, places, repairs)
    return found if found.similarity >= search.settings.threshold else None


def _check_evidence(search: Search, wanted: EditLines, found: Located) -> Located | None:
    """Check the place of a loose tier; None where too little of the old text is there.

    A hash or a receipt of that very place shows as much.
    """
    place, path = found.places[0], search.edit.path
    is_sure = has_evidence(search.view, wanted, place.targets, path)
    if not is_sure and not search.owns(place):
        return None
    _refuse_applied(search, repetition.find_added(search.view, wanted, place.targets))
    check_names(search.view, wanted, place.targets, path)
    return found


def _refuse_applied(search: Search, place: Place | None) -> None:
    """Raise AlreadyApplied where the new text is at a place."""
    if place is not None:
        raise advice.refuse_applied(search.view, place, search.edit)


def choose_variant(search: Search, wanted: EditLines) -> tuple[EditLines, tuple[str, ...]]:
    """Choose the reading, repaired or not, of which most is at one place of the file."""
    readings = [(wanted, ()), *list_variants(search.edit)]
    return max(readings, key=lambda reading: _agreement(search, reading[0]))


def _agreement(search: Search, wanted: EditLines) -> tuple[int, int]:
    found = find_candidates(search.view, wanted)
    return (found[0].agreement, found[0].similarity) if found else (0, 0)
