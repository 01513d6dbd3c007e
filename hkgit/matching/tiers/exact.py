"""exact.py: the tier that wants the old text byte for byte."""

from __future__ import annotations

from hkgit.matching.lines import EditLines, FileLines, occurrences
from hkgit.matching.places import Place
from hkgit.text.document import Document

LIMIT = 1000
"""More places than this are not told apart by any hash or hint: the edit is ambiguous."""


def exact(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Byte for byte: where it stands once, else in whole lines or at token borders.

    An edit that was written in lines is found in whole lines alone. A place that cuts a word in
    two is none, unless the change leaves the rest of the word as it is (see `cuts_word`).
    """
    hits = occurrences(view.document.data, wanted.old, LIMIT)
    places = tuple(Place(start, start + len(wanted.old)) for start in hits)
    whole = tuple(place for place in places if is_whole(view.document, place))
    if wanted.whole_lines or (whole and b"\n" in wanted.old):
        return whole
    if len(places) == 1 and not wanted.is_repaired:
        return () if cuts_word(view.document, wanted, places[0]) else places
    return tuple(place for place in places if _stands_apart(view.document, wanted, place))


def literal_places(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Every place byte for byte, also inside words; of places that overlap the first."""
    data, size = view.document.data, len(wanted.old)
    places: list[Place] = []
    start = data.find(wanted.old)
    while start >= 0:
        places.append(Place(start, start + size))
        start = data.find(wanted.old, start + size)
    return tuple(places)


def cuts_word(document: Document, wanted: EditLines, place: Place) -> bool:
    """Whether a place begins or ends inside a word of the file that the change would damage.

    A text of several lines that keeps the part of the word on its side leaves the word whole.
    """
    old, new = wanted.old, wanted.new
    kept_start = b"\n" in old.rstrip() and _first_word(old) == _first_word(new)
    kept_end = b"\n" in old and _first_word(old[::-1]) == _first_word(new[::-1])
    return (cuts_at(document.data, place.start) and not kept_start) or (
        cuts_at(document.data, place.end) and not kept_end
    )


def cuts_at(data: bytes, offset: int) -> bool:
    """Whether an offset lies inside a word."""
    return 0 < offset < len(data) and is_word(data[offset - 1]) and is_word(data[offset])


def _first_word(text: bytes) -> bytes:
    """The bytes of a word that a text begins with."""
    end = next((i for i, byte in enumerate(text) if not is_word(byte)), len(text))
    return text[:end]


def _stands_apart(document: Document, wanted: EditLines, place: Place) -> bool:
    """Whether a place cuts no token, and begins with its line if it ends with one.

    A text that begins with a blank line does not begin at the end of one that has blanks.
    """
    line = document.offsets[document.line_at(place.start) - 1]
    before = document.data[line : place.start]
    if before and not before.strip() and not wanted.old_lines[0].strip():
        return False
    if wanted.old.endswith(b"\n") and before.strip():
        return False
    return at_token_borders(document, place)


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
    begins = starts_line(document, place.start) or not _is_inside_token(data, place.start)
    return begins and (ends_line(document, place.end) or not _is_inside_token(data, place.end))


def _is_inside_token(data: bytes, offset: int) -> bool:
    """Whether the bytes on both sides of `offset` belong to one token."""
    left, right = data[offset - 1], data[offset]
    return (is_word(left) and is_word(right)) or (left in b" \t" and right in b" \t")


def is_word(byte: int) -> bool:
    """Whether a byte belongs to a word."""
    return byte >= 0x80 or byte == 0x5F or bytes((byte,)).isalnum()
