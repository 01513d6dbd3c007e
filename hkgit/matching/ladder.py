"""The ladder: the strictest tier that finds one place, or a refusal.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

from hkgit.edits import Edit
from hkgit.errors import InvalidInput, Near
from hkgit.matching import guards
from hkgit.matching.place import FULL, Located, Settings
from hkgit.matching.search import Holds, Search, Vouches, list_variants, settle, vouch_for_none
from hkgit.matching.strict import (
    elided,
    exact,
    find_literal_places,
    swap_line_ends,
    unicode,
    whitespace,
)
from hkgit.matching.view import EditLines, make_view
from hkgit.text.document import Document

_TIERS = {"exact": exact, "whitespace": whitespace, "unicode": unicode, "elided": elided}
"""Those that want all of the old text; below them are those of `loose`."""


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
    search = Search(
        view=make_view(document), edit=edit, settings=settings, holds=holds, vouches=vouches
    )
    wanted = EditLines.of(edit)
    if not wanted.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if wanted.old == wanted.new:
        raise InvalidInput(edit.path, "the old text and the new text are the same", "Leave it out.")
    found = _find(search, wanted)
    is_exact = found is not None and found.tier == "exact" and not found.repairs
    if found is None or (settings.threshold == FULL and not is_exact):
        from hkgit.matching import advice  # most edits are found

        raise advice.refuse_no_match(search.view, wanted, edit)
    _check_meaning(search, found)
    return found


def _find(search: Search, wanted: EditLines) -> Located | None:
    edit = search.edit
    if edit.replace_all or edit.expected_count not in (None, 1):
        # Few edits are meant for all places.
        from hkgit.matching.everywhere import locate_everywhere

        return locate_everywhere(search, wanted)
    found = _find_visible(search, wanted) or _find_inside_word(search, wanted)
    found = found or _find_repaired(search)
    if found is None:
        from hkgit.matching.loose import find_loosely  # most edits quote all of the old text

        found = find_loosely(search, wanted)
    return found


def _check_meaning(search: Search, found: Located) -> None:
    """Refuse new text that its author cannot mean to be there (see `guards`)."""
    meant = EditLines.of(search.edit, found.repairs)
    is_paired = found.tier == "elided"
    try:
        guards.check_typography(search.view, EditLines.of(search.edit), search.edit.path)
        guards.check(search.view, meant, search.edit.path, found.places[0], is_paired=is_paired)
    except InvalidInput as error:
        from hkgit.matching import advice

        lines_of = search.view.document.lines_of
        error.near = tuple(Near(*lines_of(p.start, p.end)) for p in found.places)
        error.corrected = advice.remove_marks(meant, search.edit)
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
    for tier, find in _TIERS.items():
        places = find(search.view, wanted)
        if places:
            return settle(search, tier, wanted, places, repairs)
    return None


def _find_inside_word(search: Search, wanted: EditLines) -> Located | None:
    """Find the only place where the old text is byte for byte, though it cuts a word there.

    Raises NoMatch unless a hash or a receipt says that the author saw it; None where the old
    text is nowhere, or was written in lines.
    """
    places, tier = find_literal_places(search.view, wanted), "exact"
    other = swap_line_ends(wanted)
    if not places and other is not None:
        wanted, places, tier = other, find_literal_places(search.view, other), "whitespace"
    if len(places) != 1 or wanted.whole_lines:
        return None
    if search.vouches(places[0]):
        return settle(search, tier, wanted, places, ())
    from hkgit.matching import advice

    raise advice.refuse_inside_word(search.view, places[0], search.edit)


def _find_repaired(search: Search) -> Located | None:
    """Find the place by the repair that finds it with the strictest tier.

    Raises InvalidInput where two repairs as good leave different new texts.
    """
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
            "the escapes or line numbers of the edit are ambiguous",
            "Write the old and the new text as they are in the file.",
        )
    return min(found, key=_strictness)[0]


def _strictness(found: tuple[Located, EditLines]) -> tuple[int, int]:
    """The lower, the nearer to the text as it is in the file."""
    located, _ = found
    return [*_TIERS].index(located.tier), -located.similarity
