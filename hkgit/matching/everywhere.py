"""Find the places of an edit that is meant for all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from hkgit.errors import Ambiguous
from hkgit.matching import advice, guards, repetition
from hkgit.matching.place import FULL, Located, Place, rate_confidence
from hkgit.matching.search import Search, list_variants, settle
from hkgit.matching.strict import (
    elided,
    exact,
    find_literal_places,
    swap_line_ends,
    unicode,
    whitespace,
)
from hkgit.matching.view import EditLines, FileLines
from hkgit.text.escape import count_noun

_ALIKE = {"exact": exact, "whitespace": whitespace, "unicode": unicode}

_MOST_SHOWN = 5  # So many lines a note names at most


def locate_everywhere(search: Search, wanted: EditLines) -> Located | None:
    """Find every place, byte for byte and inside words too; else every place of a strict tier."""
    places = find_literal_places(search.view, wanted)
    if places:
        _check_count(search, places)
        _check_unmade(search, wanted, places)
        notes = guards.note_parts_of_words(search.view, places)
        notes += _tell_left_over(search.view, wanted, places)
        return Located(places=places, tier="exact", similarity=FULL, confidence=FULL, notes=notes)
    other = swap_line_ends(wanted)
    places = () if other is None else find_literal_places(search.view, other)
    if other is not None and places:
        return _settle_alike(search, "whitespace", other, places, ())
    for reading, repairs in [(wanted, ()), *list_variants(search.edit)]:
        for tier, find in _ALIKE.items():
            places = tuple(sorted(find(search.view, reading)))
            if places:
                return _settle_alike(search, tier, reading, places, repairs)
    found = _locate_elided(search, wanted)
    applied_at = None if found is not None else repetition.find_place_of_new(search.view, wanted)
    if applied_at is not None:
        raise advice.refuse_applied(search.view, applied_at, search.edit)
    return found


def _locate_elided(search: Search, wanted: EditLines) -> Located | None:
    """The one place of an edit that leaves lines out; what it leaves out may differ."""
    places = elided(search.view, wanted)
    if len(places) > 1:
        raise advice.refuse_ambiguous(search.view.document, places, search.edit)
    if not places:
        return None
    _check_count(search, places)
    return settle(search, "elided", wanted, places, ())


def _settle_alike(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...],
    repairs: tuple[str, ...],
) -> Located:
    """All places that are the old text but for whitespace, typography or a repair."""
    _check_count(search, places)
    _check_unmade(search, wanted, places)
    if any(a.end > b.start for a, b in pairwise(places)):
        raise advice.refuse_ambiguous(search.view.document, places, search.edit)
    similarity = min(place.similarity for place in places)
    sure = rate_confidence(tier, similarity, None, repairs)
    return Located(
        places=places,
        tier=tier,
        similarity=similarity,
        confidence=sure,
        runner_up=None,
        repairs=repairs,
    )


def _check_count(search: Search, places: tuple[Place, ...]) -> None:
    if search.edit.expected_count not in (None, len(places)):
        raise Ambiguous(
            search.edit.path,
            f"the old text is in {len(places)} places, not {search.edit.expected_count}",
            "Say how many places are to change, or quote more lines.",
        )


def _check_unmade(search: Search, wanted: EditLines, places: tuple[Place, ...]) -> None:
    """Raise AlreadyApplied or Ambiguous where the new text is around places already."""
    applied_at = [
        place for place in places if repetition.stands_literally(search.view, wanted, place)
    ]
    if len(applied_at) == len(places):
        raise advice.refuse_applied(search.view, applied_at[0], search.edit)
    if applied_at:
        raise advice.refuse_half_applied(search.view, applied_at, places, search.edit)


def _tell_left_over(view: FileLines, wanted: EditLines, places: Sequence[Place]) -> tuple[str, ...]:
    """A note on places that are the old text but for whitespace or typography, and so stay."""
    if wanted.old.split() == [wanted.old] and wanted.old.isascii():
        return ()
    for tier, how in ((whitespace, "blanks"), (unicode, "typography")):
        near = _apart_from(places, sorted(tier(view, wanted)))
        if near:
            lines = [str(view.document.line_at(p.start)) for p in near]
            shown = ", ".join([*lines[:_MOST_SHOWN], *(["..."] if lines[_MOST_SHOWN:] else [])])
            verb = "differs" if len(near) == 1 else "differ"
            return (f"{count_noun(len(near), 'place')} that {verb} in {how} stayed: line {shown}",)
    return ()


def _apart_from(places: Sequence[Place], others: Sequence[Place]) -> list[Place]:
    """Those of others that share no byte with any of some places; both are in order."""
    ends = [place.end for place in places]
    below = ((each, bisect_right(ends, each.start)) for each in others)
    return [each for each, at in below if at == len(ends) or places[at].start >= each.end]
