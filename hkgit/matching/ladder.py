"""ladder.py: place an edit with the strictest tier that finds its old text.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

from hkgit.edits import Edit
from hkgit.errors import InvalidInput, Near
from hkgit.matching import applied, guards
from hkgit.matching.decide import Holds, Search, Ties, Vouches, settle, vouch_for_none
from hkgit.matching.lines import EditLines, make_view
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.tiers.exact import find_literal_places, swap_line_ends
from hkgit.matching.tiers.registry import LADDER, LOOSE, STRICT, find_places
from hkgit.text.document import Document
from hkgit.values import replace


def locate(
    document: Document,
    edit: Edit,
    settings: Settings,
    holds: Holds | None = None,
    vouches: Vouches = vouch_for_none,
) -> Located:
    """Find the place of an edit's old text, or all of them for an edit of all places.

    `holds` says whether an expected hash is that of a place, `vouches` of how
    many lines the evidence is which shows that the author saw it as it is. Raises NoMatch,
    AlreadyApplied, Ambiguous, Conflict or InvalidInput.
    """
    search = Search(make_view(document), edit, settings, Ties(document, edit, holds, vouches))
    wanted = EditLines.of(edit)
    if not wanted.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new one are the same", "Leave it out.")
    found = _find(search, wanted)
    is_exact = found is not None and found.tier == "exact" and not found.repairs
    if found is None or (settings.threshold == FULL and not is_exact):
        from hkgit.matching.refusals import hints

        raise hints.refuse_no_match(search.view, wanted, edit)
    _check_meaning(search, found)
    return found


def _find(search: Search, wanted: EditLines) -> Located | None:
    edit = search.edit
    if edit.replace_all or edit.expected_count not in (None, 1):
        # Few edits are meant for all places.
        from hkgit.matching.everywhere import locate_everywhere

        return locate_everywhere(search, wanted)
    found = _find_visible(search, wanted) or _find_inside_word(search, wanted)
    return found or _find_repaired(search) or _find_loosely(search, wanted)


def _check_meaning(search: Search, found: Located) -> None:
    """Refuse new text that its author cannot mean to stand there (see `guards`)."""
    meant = EditLines.of(search.edit, found.repairs)
    is_paired = found.tier == "elided"
    try:
        guards.check(search.view, meant, search.edit.path, found.places[0], is_paired=is_paired)
    except InvalidInput as error:
        from hkgit.matching.refusals.correcting import remove_marks

        lines_of = search.view.document.lines_of
        error.near = tuple(Near(*lines_of(p.start, p.end)) for p in found.places)
        error.corrected = remove_marks(meant, search.edit)
        raise


def _find_visible(search: Search, wanted: EditLines) -> Located | None:
    """Find the place by the strict tiers, read without typography that only the edit has."""
    found = _find_strictly(search, wanted)
    if found is None or found.tier != "unicode":
        return found
    repairs = ("typography",)
    seen = EditLines.of(search.edit, repairs)
    if seen == wanted or not seen.old:
        return found
    plain = _find_strictly(search, seen, repairs)
    return found if plain is None or plain.tier == "unicode" else plain


def _find_strictly(
    search: Search, wanted: EditLines, repairs: tuple[str, ...] = ()
) -> Located | None:
    """Find the place by the tiers that want all of the old text; None where it is nowhere."""
    for tier in STRICT:
        places = find_places(tier, search.view, wanted)
        if places:
            return settle(search, tier, wanted, places, repairs)
    return None


def _find_inside_word(search: Search, wanted: EditLines) -> Located | None:
    """Find the only place where the old text stands byte for byte, though it cuts a word there.

    Raises NoMatch unless a hash or a receipt says that the author saw it; None where the old
    text stands nowhere, or was written in lines.
    """
    places, tier = find_literal_places(search.view, wanted), "exact"
    other = swap_line_ends(wanted)
    if not places and other is not None:
        wanted, places, tier = other, find_literal_places(search.view, other), "whitespace"
    if len(places) != 1 or wanted.whole_lines:
        return None
    if search.ties.vouches(places[0]):
        return settle(search, tier, wanted, places, ())
    from hkgit.matching.refusals import hints

    raise hints.refuse_inside_word(search.view, places[0], search.edit)


def _find_repaired(search: Search) -> Located | None:
    """Find the place by the repair that finds it with the strictest tier.

    Raises InvalidInput where two repairs as good leave different new texts.
    """
    from hkgit.matching.variants import list_variants

    found: list[tuple[Located, EditLines]] = []
    for wanted, repairs in list_variants(search.edit):
        located = _find_strictly(search, wanted, repairs)
        found += [(located, wanted)] if located is not None else []
    if not found:
        return None
    best = min(map(_strictness, found))
    texts = {wanted.new for located, wanted in found if _strictness((located, wanted)) == best}
    if len(texts) > 1:
        raise InvalidInput(
            search.edit.path,
            "the escapes or line numbers of the edit can be read in two ways",
            "Write the old and the new text as they stand in the file.",
        )
    return min(found, key=_strictness)[0]


def _find_loosely(search: Search, wanted: EditLines) -> Located | None:
    """Find the place by the tiers that want most of the old text; None where it is nowhere.

    Before, it is seen to that the change has not been made already, and that the file has
    the author's names.
    """
    from hkgit.matching.transfers.renames import find_renames
    from hkgit.matching.variants import check_backslashes, choose_variant

    written, repairs = choose_variant(search, wanted)
    check_backslashes(search, written)
    names = find_renames(search.view, written, search.edit.path)
    wanted, repairs = written, (*repairs, *names)
    if names:
        wanted = EditLines.of(search.edit, repairs)
    _refuse_applied(search, applied.find_place_of_new(search.view, wanted))
    for tier in LOOSE:
        places = find_places(tier, search.view, wanted)
        if any(place.similarity >= search.settings.threshold for place in places):
            found = _settle_loose(search, tier, wanted, places, repairs)
            return None if found is None else _check_evidence(search, wanted, written, names, found)
    return None


def _settle_loose(
    search: Search,
    tier: str,
    wanted: EditLines,
    places: tuple[Place, ...],
    repairs: tuple[str, ...],
) -> Located | None:
    """Choose among the places of a loose tier; None where the one that is meant is too unlike."""
    from hkgit.matching.search.candidates import find_candidates

    best = find_candidates(search.view, wanted)[0]
    _refuse_applied(search, applied.find_rival(search.view, wanted, best))
    found = settle(search, tier, wanted, places, repairs)
    return found if found.similarity >= search.settings.threshold else None


def _check_evidence(
    search: Search, wanted: EditLines, written: EditLines, names: tuple[str, ...], found: Located
) -> Located | None:
    """Check the place of a loose tier; None where too little of the old text as written is there.

    A hash or a receipt of that very place shows as much. A place that has other names is as alike
    as it is to the old text as it was written.
    """
    from hkgit.matching.search.candidates import find_candidates
    from hkgit.matching.weight import has_evidence

    place = found.places[0]
    is_sure = has_evidence(search.view, written, place.targets, search.edit.path, names)
    if not is_sure and not search.ties.owns(place):
        return None
    _refuse_applied(search, applied.find_added(search.view, wanted, place.targets))
    as_written = find_candidates(search.view, written)[0].similarity if names else FULL
    found = replace(found, similarity=min(found.similarity, as_written))
    return found if found.similarity >= search.settings.threshold else None


def _refuse_applied(search: Search, place: Place | None) -> None:
    """Raise AlreadyApplied where the new text stands at a place."""
    if place is not None:
        from hkgit.matching.refusals import hints

        raise hints.refuse_applied(search.view, place, search.edit)


def _strictness(found: tuple[Located, EditLines]) -> tuple[int, int]:
    """The lower, the nearer to the text as it stands in the file."""
    located, _ = found
    return LADDER.index(located.tier), -located.similarity
