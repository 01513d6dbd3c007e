"""Compute the bytes that change at a place.

A three-way merge: base is the old text, ours the file's place, theirs the new text. Only what
the author changed is written; everything else stays as the file has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from hkgit.errors import AlreadyApplied, Conflict
from hkgit.matching.place import Located, Place
from hkgit.matching.quotation import Quotation
from hkgit.matching.strict import starts_line, swap_line_ends
from hkgit.text.diff import carry_line_ends, find_changes
from hkgit.text.document import Splice, split_raw
from hkgit.values import replace

LINE_END = rb"\r?\n"


def transfer(located: Located) -> tuple[Splice, ...]:
    """Compute the splices that carry an edit out at its places, in order.

    Raises Conflict where it cannot be told what the author's change means there, AlreadyApplied
    where nothing is left to change.
    """
    quote = located.quote
    document, edit = quote.document, quote.edit
    literal = _as_it_stands(located)
    if literal is not None:
        if not edit.replace_all:
            literal = _keep_line_ends(literal, located.places[0])
        splices = list(_literal(literal, located.places))
        is_made = False
    else:
        # Most edits are exact.
        from hkgit.matching.merge import merge_places

        merges = merge_places(located)
        splices = [splice for merge in merges for splice in merge.splices()]
        is_made = all(merge.is_made() for merge in merges)
    changed = tuple(s for s in splices if document.data[s.start : s.end] != s.new)
    if not changed or is_made:
        where = f"{edit.path}:{document.line_at(located.places[0].start)}"
        raise AlreadyApplied(
            where, "the file already is as the edit wants it", "Leave the edit out."
        )
    return changed


def _as_it_stands(located: Located) -> Quotation | None:
    """The edit with the old text that is at all its places, but for line ends; else None."""
    quote, data = located.quote, located.quote.document.data
    both = (quote, swap_line_ends(quote)) if located.tier in ("exact", "whitespace") else ()
    for each in both:
        if each and all(data.startswith(each.old, place.start) for place in located.places):
            return each
    return None


_JOINS = (b" ", b"\t", b"(", b"[", b"{")
"""What a line ends with to which the next one, if that is not indented, may be joined."""


def _keep_line_ends(quote: Quotation, place: Place) -> Quotation:
    """An edit whose new text ends the lines that it replaces, where the old text has their ends.

    Else what it writes would run into a line that the edit does not name. Raises Conflict where it
    takes away nothing but the end of a line.
    """
    document, new = quote.document, quote.new
    line = document.offsets[document.line_at(place.start) - 1]
    above, below = document.data[line : place.start], document.data[place.end : place.end + 1]
    if above.strip() and quote.old.startswith((b"\n", b"\r\n")) and new.startswith((b" ", b"\t")):
        new = b"\n" + new
    last = (above + new).rpartition(b"\n")[2]
    is_joined = below.strip() and last.endswith(_JOINS)
    if quote.old.endswith(b"\n") and last.strip() and not is_joined:
        is_cut = new == re.sub(LINE_END + rb"$", b"", quote.old)
        if is_cut and below:
            raise Conflict(
                f"{quote.edit.path}:{document.line_at(place.end)}",
                "the edit takes away nothing but the end of the line above",
                "To join both lines, quote the beginning of this one too.",
            )
        if not is_cut:  # of a file the last line end may be taken away
            new += b"\n"
    return quote if new == quote.new else replace(quote, new=new)


def _literal(quote: Quotation, places: Sequence[Place]) -> Iterator[Splice]:
    """The new text byte for byte at every place, but for line ends: those are the file's.

    Lines that both texts have stay out of the splices, so that edits may share context. Where a
    place begins behind the whitespace of a line, these may be missing before the new lines too.
    """
    document, rows = quote.document, max(len(split_raw(quote.old)), 1)
    is_inside = not all(starts_line(document, place.start) for place in places)
    changed: dict[tuple[bytes, tuple[bytes, ...]], list[Splice]] = {}
    for place in places:
        each = quote
        if is_inside and b"\n" in quote.new.rstrip():
            from hkgit.matching.merge import indent_quotation

            each = indent_quotation(quote, place)
        first = document.line_at(place.start)
        ends = tuple(document.end_of(first + row) for row in range(rows))
        if (each.new, ends) not in changed:
            changed[each.new, ends] = _differences(each.old, _end_lines(each, ends))
        for part in changed[each.new, ends]:
            yield Splice(place.start + part.start, place.start + part.end, part.new)


def _end_lines(quote: Quotation, ends: Sequence[bytes]) -> bytes:
    """The new text with the line ends of the place, which may be mixed."""
    if len(set(ends)) == 1:
        return re.sub(LINE_END, ends[0], quote.new)
    carried = carry_line_ends(quote.old_lines, quote.new_lines, ends)
    pieces = re.split(LINE_END, quote.new)
    carried[len(pieces) - 1 :] = [b""]  # the last piece has no end, if only for being empty
    return b"".join(map(bytes.__add__, pieces, carried))


def _differences(old: bytes, new: bytes) -> list[Splice]:
    """The lines in which two texts differ, as splices of the first."""
    before, after = split_raw(old), split_raw(new)
    starts = list(accumulate(map(len, before), initial=0))
    return [
        Splice(starts[c.old_start], starts[c.old_end], b"".join(after[c.new_start : c.new_end]))
        for c in find_changes(before, after)
    ]
