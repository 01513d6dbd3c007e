"""The ladder: the strictest tier that finds one place, or a refusal.

Most edits are exact, and a process makes but one: what only the others need is loaded by them.
"""

from __future__ import annotations

from hkgit.edits import Edit
from hkgit.errors import InvalidInput, Near
from hkgit.matching import guards
from hkgit.matching.place import FULL, Located
from hkgit.matching.quotation import Quotation
from hkgit.matching.search import Holds, Search, Vouches, settle, vouch_for_none
from hkgit.matching.strict import ALIKE, elided, find_literally
from hkgit.text.document import Document
from hkgit.values import replace

_TIERS = ALIKE | {"elided": elided}
"""Those that want all of the old text; below them are those of `loose`."""


def locate(
    document: Document,
    edit: Edit,
    threshold: int,
    holds: Holds | None = None,
    vouches: Vouches = vouch_for_none,
) -> Located:
    """Find the place of an edit's old text, or all of them for an edit of all places.

    `holds` says whether an expected hash is that of a place, `vouches` of how
    many lines the evidence is which shows that the author saw it as it is. Raises NoMatch,
    AlreadyApplied, Ambiguous, Conflict or InvalidInput.
    """
    quote = Quotation.of(document, edit)
    if not quote.old:
        raise InvalidInput(edit.path, "the old text is empty", "Quote the lines to be replaced.")
    if quote.old == quote.new:
        raise InvalidInput(edit.path, "the old text and the new text are the same", "Leave it out.")
    found = _find(Search(quote, threshold, holds, vouches))
    is_exact = found is not None and found.tier == "exact" and not found.repairs
    if found is None or (threshold == FULL and not is_exact):
        from hkgit.matching import advice  # most edits are found

        raise advice.refuse_no_match(quote)
    try:
        guards.check_typography(quote)
        guards.check(found.quote, found.places[0], is_paired=found.tier == "elided")
    except InvalidInput as error:
        error.near = tuple(Near(*document.lines_of(p.start, p.end)) for p in found.places)
        raise
    return found


def _find(search: Search) -> Located | None:
    edit = search.quote.edit
    if edit.replace_all or edit.expected_count not in (None, 1):
        # Few edits are meant for all places.
        from hkgit.matching.everywhere import locate_everywhere

        return locate_everywhere(search)
    found = _find_visible(search) or _find_inside_word(search) or _find_repaired(search)
    if found is None:
        from hkgit.matching.loose import find_loosely  # most edits quote all of the old text

        found = find_loosely(search)
    return found


def _find_visible(search: Search) -> Located | None:
    """Find the place by the strict tiers, read without typography that only the edit has."""
    found = _find_strictly(search)
    if found is None or found.tier != "unicode":
        return found
    seen = Quotation.of(search.quote.document, search.quote.edit, ("typography",))
    if seen == search.quote or not seen.old:
        return found
    plain = _find_strictly(replace(search, quote=seen))
    return found if plain is None or plain.tier == "unicode" else plain


def _find_strictly(search: Search) -> Located | None:
    """Find the place by the tiers that want all of the old text; None where it is nowhere."""
    for tier, find in _TIERS.items():
        places = find(search.quote)
        if places:
            return settle(search, tier, places)
    return None


def _find_inside_word(search: Search) -> Located | None:
    """Find the only place where the old text is byte for byte, though it cuts a word there.

    Raises NoMatch unless a hash or a receipt says that the author saw it; None where the old
    text is nowhere, or was written in lines.
    """
    tier, quote, places = find_literally(search.quote)
    if len(places) != 1 or quote.whole_lines:
        return None
    if search.vouches(places[0]):
        return settle(replace(search, quote=quote), tier, places)
    from hkgit.matching import advice

    raise advice.refuse_inside_word(quote, places[0])


def _find_repaired(search: Search) -> Located | None:
    """Find the place by the repair that finds it with the strictest tier.

    Raises InvalidInput where two repairs as good leave different new texts.
    """
    found: dict[tuple[int, int], list[tuple[Located, bytes]]] = {}
    for reading in search.list_variants():
        located = _find_strictly(reading)
        if located is not None:
            # The lower, the nearer to the text as it is in the file.
            strictness = [*_TIERS].index(located.tier), -located.similarity
            found.setdefault(strictness, []).append((located, reading.quote.new))
    if not found:
        return None
    best = found[min(found)]
    if len({new for _, new in best}) > 1:
        raise InvalidInput(
            search.quote.edit.path,
            "the escapes or line numbers of the edit are ambiguous",
            "Write the old and the new text as they are in the file.",
        )
    return best[0][0]
