"""exact.py: the tier that matches byte for byte."""

from __future__ import annotations

from hkgit.matching.lines import EditLines, FileLines, find_occurrences
from hkgit.matching.places import Place
from hkgit.matching.tiers.words import find_head_word, find_tail_word
from hkgit.text.document import Document

LIMIT = 1000
"""More places than this are not told apart by any hash or hint: the edit is ambiguous."""


def exact(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find the old text byte for byte: where it stands once, else in whole lines or tokens.

    An edit that was written in lines is found in whole lines alone. A place that cuts a word in
    two is none, unless the change leaves the rest of the word as it is (see `cuts_word`).
    """
    data, size = view.document.data, len(wanted.old)
    hits = find_occurrences(data, wanted.old, LIMIT)
    places = tuple(
        Place(at, at + size)
        for at in hits
        if not splits_end(data, at, at + size) and not _lacks_indentation(view, wanted, at)
    )
    whole = tuple(place for place in places if is_whole(view.document, place))
    if wanted.whole_lines or (whole and b"\n" in wanted.old):
        return whole
    if len(places) == 1 and not wanted.is_repaired:
        return () if cuts_word(view.document, wanted, places[0]) else places
    return tuple(place for place in places if _stands_apart(view.document, wanted, place))


def swap_line_ends(wanted: EditLines) -> EditLines | None:
    """Swap LF and CRLF in an edit; None for a text without line ends."""
    if b"\n" not in wanted.old:
        return None
    old, new = (text.replace(b"\r\n", b"\n") for text in (wanted.old, wanted.new))
    if b"\r\n" not in wanted.old:
        old, new = (text.replace(b"\n", b"\r\n") for text in (old, new))
    return EditLines(old, new, wanted.whole_lines, wanted.is_repaired)


def find_literal_places(view: FileLines, wanted: EditLines) -> tuple[Place, ...]:
    """Find every place byte for byte, also inside words; of places that overlap the first."""
    data, size = view.document.data, len(wanted.old)
    places: list[Place] = []
    start = data.find(wanted.old)
    while start >= 0:
        if not splits_end(data, start, start + size):
            places.append(Place(start, start + size))
        start = data.find(wanted.old, start + size)
    return tuple(places)


def splits_end(data: bytes, start: int, end: int) -> bool:
    """Whether a stretch begins or ends between the two bytes of CRLF."""
    return any(at and data[at - 1 : at + 1] == b"\r\n" for at in (start, end))


def cuts_word(document: Document, wanted: EditLines, place: Place) -> bool:
    """Whether a place begins or ends inside a word of the file that the change would damage.

    A text of several lines that keeps the part of the word on its side leaves the word whole.
    """
    old, new = wanted.old, wanted.new
    kept_start = b"\n" in old.rstrip() and find_head_word(old) == find_head_word(new)
    kept_end = b"\n" in old and find_tail_word(old) == find_tail_word(new)
    return (cuts_at(document.data, place.start) and not kept_start) or (
        cuts_at(document.data, place.end) and not kept_end
    )


def cuts_at(data: bytes, offset: int) -> bool:
    """Whether an offset lies inside a word."""
    if not 0 < offset < len(data):
        return False
    return bool(
        find_tail_word(data[max(offset - 4, 0) : offset]) and find_head_word(data[offset:][:4])
    )


def _lacks_indentation(view: FileLines, wanted: EditLines, start: int) -> bool:
    """Whether a quoted line was written without some of the indentation that it has in the file.

    Its new lines lack it as well: as they are, they would leave their block. So the place is left
    to the tier that reads whole lines and indents the new ones.
    """
    document = view.document
    line = document.offsets[document.line_at(start) - 1]
    before = document.data[line:start]
    quoted = [each for each in wanted.old_lines if each.strip()]
    if not before or before.strip() or len(quoted) != 1 or quoted[0] != wanted.old_lines[0]:
        return False
    indented = len(before) + _measure_indentation(quoted[0])
    added = [each for each in wanted.new_lines if each.strip()]
    if added and not wanted.new_lines[0].strip():
        return True  # A blank line would stand behind the indentation.
    return any(_measure_indentation(each) < indented for each in added[1:])


def _measure_indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _stands_apart(document: Document, wanted: EditLines, place: Place) -> bool:
    """Whether a place cuts no token, and begins with its line if it ends with one.

    A text that begins with a blank line does not begin at the end of one that has blanks.
    """
    line = document.offsets[document.line_at(place.start) - 1]
    before = document.data[line : place.start]
    if before and not before.strip() and not wanted.old_lines[0].strip():
        return False
    if wanted.old.endswith(b"\n") and before:
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
    return cuts_at(data, offset) or (left in b" \t" and right in b" \t")
