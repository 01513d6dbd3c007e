"""Tell whether a file already has what an edit wants."""

from __future__ import annotations

from hkgit.matching.place import Place
from hkgit.matching.quotation import Quotation, is_telling
from hkgit.matching.strict import find_runs, is_whole, starts_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.matching.alignment import Alignment


def stands_over(quote: Quotation, place: Place) -> bool:
    """Whether the new text, which holds the old one, is around a place of the old one."""
    if not quote.new.strip() or quote.old.split() == quote.new.split():
        return False  # where whitespace alone differs, another blank line may be meant
    if stands_literally(quote, place):
        return True
    old, new = (
        b"\n" + b"\n".join(filter(None, keys)) + b"\n" for keys in (quote.old_keys, quote.new_keys)
    )
    if old not in new:  # as in most edits
        return False
    first, last = quote.document.lines_of(place.start, place.end)
    if new == old:
        return list(quote.lines[first - 1 : last]) == list(quote.new_lines)
    lines = quote.keys
    says = [n for n in range(first - 1, last) if lines[n]]
    found = _runs(quote) if says else []
    return any(rows[0] <= says[0] and rows[-1] >= says[-1] for rows in found)


def stands_literally(quote: Quotation, place: Place) -> bool:
    """Whether the new text is around a place byte for byte; whole lines if the old one does."""
    document = quote.document
    whole = is_whole(document, place)
    shift = quote.new.find(quote.old)
    while shift >= 0:
        start = place.start - shift
        is_there = start >= 0 and document.data.startswith(quote.new, start)
        if is_there and (not whole or starts_line(document, start)):
            return True
        shift = quote.new.find(quote.old, shift + 1)
    return False


def find_place_of_new(quote: Quotation) -> Place | None:
    """Find where the new text is in whole lines, up to whitespace and typography.

    None where it is nowhere, or adds nothing that could be recognised.
    """
    found = _runs(quote)
    if not found or not _adds(quote):
        return None
    offsets = quote.document.offsets
    return Place(offsets[found[0][0]], offsets[found[0][-1] + 1])


def find_rival(quote: Quotation, best: Place) -> Place | None:
    """Find where the new text is as surely as the old one does at its best candidate.

    The change is read backwards: it has been made where a candidate for the new text has every
    line that the change adds, and no other line where it takes some away. A change that only
    takes lines away is not looked for: the lines that it leaves prove nothing.
    """
    from hkgit.matching.alignment import Alignment, find_candidates, measure_loss

    backwards = quote.reversed
    added = (key for i in backwards.removed if (key := backwards.old_keys[i]))
    # Mostly a line that the change adds is nowhere, which is soon told.
    if not _adds(quote) or not all(b"\n" + key + b"\n" in quote.reading.text for key in added):
        return None
    for candidate in find_candidates(backwards)[:3]:
        is_placed = None not in Alignment(backwards, candidate.targets).landings
        is_made = candidate.is_fit and is_placed
        if is_made and measure_loss(backwards, candidate) <= measure_loss(quote, best):
            return candidate
    return None


def find_added(alignment: Alignment) -> Place | None:
    """Find a line that the change adds among those that the author did not know at the place.

    One of many is a line that others have as well.
    """
    quote = alignment.quote
    new, unknown = quote.new_keys, {quote.keys[n]: n for n in alignment.list_unknown()}
    for change in quote.changes:
        added = {key for key in new[change.new_start : change.new_end] if is_telling(key)}
        made = [unknown[key] for key in added if key in unknown]
        if 2 * len(made) > len(added):
            return Place(*quote.document.span(min(made) + 1, min(made) + 1))
    return None


def _adds(quote: Quotation) -> bool:
    """Whether the change brings words, and not only other whitespace."""
    old, new = quote.old_keys, quote.new_keys
    return any(is_telling(new[i]) and new[i] not in old for i in quote.added)


def _runs(quote: Quotation) -> list[tuple[int, ...]]:
    """The lines where the new text is, up to whitespace and typography."""
    new = quote.new_keys
    return find_runs(quote.reading, new) if any(map(is_telling, new)) else []
