"""exact.py: the tier that wants the old text byte for byte."""

from __future__ import annotations

from hkgit.document import Document
from hkgit.matching.lines import View, Wanted, indent_of, occurrences
from hkgit.matching.places import Place

LIMIT = 1000
"""More places than this are not told apart by any hash or hint: the edit is ambiguous."""


def exact(view: View, wanted: Wanted) -> tuple[Place, ...]:
    """Byte for byte: in whole lines, or inside a line at token borders.

    An old text of several lines, or with a line end, speaks of lines: where it stands in whole
    lines, its stretches inside longer lines do not count. A blank line below it may be
    its last one (`is_open`).
    """
    data = view.document.data
    places = exact_places(view, wanted, LIMIT)
    places = tuple(place for place in places if not _glues(view.document, wanted, place))
    if not is_open(wanted):
        return places
    return tuple(
        Place(place.start, place.end + (data[place.end : place.end + 1] == b"\n"))
        for place in places
    )


def _glues(document: Document, wanted: Wanted, place: Place) -> bool:
    """Whether the old text begins with the end of a line, and the new one with a line of its own.

    Nobody means to join the two: the line end was written for a blank line, which is not there.
    """
    first = wanted.new_lines[0] if wanted.new else b""
    if starts_line(document, place.start) or wanted.old_lines[0] or not first:
        return False
    below = next((line for line in wanted.old_lines if line.strip()), b"")
    is_line = first[:1].isspace() or _is_word(first[0])
    return is_line and indent_of(first) == indent_of(below)


def is_open(wanted: Wanted) -> bool:
    """Whether the old text ends with a blank line that lacks its end, as the new one lacks its.

    So it is where the new text goes on with a blank line.
    """
    old, new = wanted.old, wanted.new
    return old.endswith(b"\n") and new.startswith(old + b"\n") and not new.endswith(b"\n")


def exact_places(view: View, wanted: Wanted, limit: int) -> tuple[Place, ...]:
    """The same, of at most so many stretches of the file."""
    hits = occurrences(view.document.data, wanted.old, limit)
    places = tuple(Place(start, start + len(wanted.old)) for start in hits)
    whole = tuple(place for place in places if is_whole(view.document, place))
    if whole and b"\n" in wanted.old:
        return whole
    return tuple(
        place
        for place in places
        if at_token_borders(view.document, place) and _may_begin(view.document, wanted, place)
    )


def _may_begin(document: Document, wanted: Wanted, place: Place) -> bool:
    """Whether a text that ends with its line also begins with one, but for the indentation.

    A text that begins with a blank line does not begin at the end of one that has blanks.
    """
    line = document.offsets[document.line_at(place.start) - 1]
    before = document.data[line : place.start]
    if before and not before.strip() and not wanted.old_lines[0].strip():
        return False
    return not wanted.old.endswith(b"\n") or not before.strip()


def is_whole(document: Document, place: Place) -> bool:
    """Whether a place consists of whole lines (the last line end may be left out)."""
    return starts_line(document, place.start) and ends_line(document, place.end)


def starts_line(document: Document, offset: int) -> bool:
    """Whether a line begins at `offset`."""
    return offset <= len(document.bom) or document.data[offset - 1 : offset] == b"\n"


def ends_line(document: Document, offset: int) -> bool:
    """Whether a line, or its text without the end, ends at `offset`."""
    return starts_line(document, offset) or document.data[offset : offset + 2].startswith(
        (b"\n", b"\r\n")
    )


def at_token_borders(document: Document, place: Place) -> bool:
    """Whether neither end of a place cuts a word or a run of blanks in two."""
    data = document.data
    begins = starts_line(document, place.start) or not _joined(data, place.start)
    return begins and (ends_line(document, place.end) or not _joined(data, place.end))


def _joined(data: bytes, offset: int) -> bool:
    """Whether the bytes on both sides of `offset` belong to one token."""
    left, right = data[offset - 1], data[offset]
    return (_is_word(left) and _is_word(right)) or (left in b" \t" and right in b" \t")


def _is_word(byte: int) -> bool:
    return byte >= 0x80 or byte == 0x5F or bytes((byte,)).isalnum()
