"""The strict tiers: exact, whitespace, unicode and elided.

`...`, or a remark like `# ... existing code ...`: paired, each piece in the file once, in order;
anything looser would be a guess.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from hkgit.matching.place import FULL, Place
from hkgit.matching.placeholder import is_elision
from hkgit.matching.quotation import (
    LineReading,
    Quotation,
    find_end_of_block,
    find_level,
    find_occurrences,
    indent_of,
    squeeze_file,
)
from hkgit.matching.words import find_head_word, find_tail_word
from hkgit.text.document import Document
from hkgit.values import replace

LIMIT = 1000  # More places than this are not told apart by any hash or hint: the edit is ambiguous


def exact(quote: Quotation) -> tuple[Place, ...]:
    """Find the old text byte for byte: where it occurs once, else in whole lines or tokens.

    An edit that was written in lines is found in whole lines alone. A place that cuts a word in
    two is none, unless the change leaves the rest of the word as it is (see `cuts_word`).
    """
    data, size = quote.document.data, len(quote.old)
    hits = find_occurrences(data, quote.old, LIMIT)
    places = tuple(
        Place(at, at + size)
        for at in hits
        if not splits_end(data, at, at + size) and not _lacks_indentation(quote, at)
    )
    whole = tuple(place for place in places if is_whole(quote.document, place))
    if quote.whole_lines or (whole and b"\n" in quote.old):
        return whole
    if len(places) == 1 and not quote.repairs:
        return () if cuts_word(quote, places[0]) else places
    return tuple(place for place in places if _stands_apart(quote, place))


def swap_line_ends(quote: Quotation) -> Quotation | None:
    """Swap LF and CRLF in an edit; None for a text without line ends."""
    if b"\n" not in quote.old:
        return None
    old, new = (text.replace(b"\r\n", b"\n") for text in (quote.old, quote.new))
    if b"\r\n" not in quote.old:
        old, new = (text.replace(b"\n", b"\r\n") for text in (old, new))
    return replace(quote, old=old, new=new)


def find_literally(quote: Quotation) -> tuple[str, Quotation, list[Place]]:
    """Find every place byte for byte, also inside words; of places that overlap the first.

    Where there is none, the edit is read with the other line ends: that is the tier `whitespace`.
    """
    places, other = _list_literal_places(quote), swap_line_ends(quote)
    if places or other is None:
        return "exact", quote, places
    return "whitespace", other, _list_literal_places(other)


def _list_literal_places(quote: Quotation) -> list[Place]:
    data, size = quote.document.data, len(quote.old)
    places = []
    start = data.find(quote.old)
    while start >= 0:
        if not splits_end(data, start, start + size):
            places.append(Place(start, start + size))
        start = data.find(quote.old, start + size)
    return places


def splits_end(data: bytes, start: int, end: int) -> bool:
    """Whether a stretch begins or ends between the two bytes of CRLF."""
    return any(at and data[at - 1 : at + 1] == b"\r\n" for at in (start, end))


def cuts_word(quote: Quotation, place: Place) -> bool:
    """Whether a place begins or ends inside a word of the file that the change would damage.

    A text of several lines that keeps the part of the word on its side leaves the word whole.
    """
    old, new, data = quote.old, quote.new, quote.document.data
    kept_start = b"\n" in old.rstrip() and find_head_word(old) == find_head_word(new)
    kept_end = b"\n" in old and find_tail_word(old) == find_tail_word(new)
    return (cuts_at(data, place.start) and not kept_start) or (
        cuts_at(data, place.end) and not kept_end
    )


def cuts_at(data: bytes, offset: int) -> bool:
    """Whether an offset lies inside a word."""
    if not 0 < offset < len(data):
        return False
    return bool(
        find_tail_word(data[max(offset - 4, 0) : offset]) and find_head_word(data[offset:][:4])
    )


def _lacks_indentation(quote: Quotation, start: int) -> bool:
    """Whether a quoted line was written without some of the indentation that it has in the file.

    Its new lines lack it as well: as they are, they would leave their block. So the place is left
    to the tier that reads whole lines and indents the new ones.
    """
    document = quote.document
    line = document.offsets[document.line_at(start) - 1]
    before = document.data[line:start]
    quoted = [each for each in quote.old_lines if each.strip()]
    if not before or before.strip() or len(quoted) != 1 or quoted[0] != quote.old_lines[0]:
        return False
    indented = len(before) + len(indent_of(quoted[0]))
    added = [each for each in quote.new_lines if each.strip()]
    if added and not quote.new_lines[0].strip():
        return True  # A blank line would be behind the indentation.
    return any(len(indent_of(each)) < indented for each in added[1:])


def _stands_apart(quote: Quotation, place: Place) -> bool:
    """Whether a place cuts no token, and begins with its line if it ends with one.

    A text that begins with a blank line does not begin at the end of one that has whitespace.
    """
    document = quote.document
    line = document.offsets[document.line_at(place.start) - 1]
    before = document.data[line : place.start]
    if before and not before.strip() and not quote.old_lines[0].strip():
        return False
    if quote.old.endswith(b"\n") and before:
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
    """Whether neither end of a place cuts a word or a run of whitespace in two."""
    data = document.data
    begins = starts_line(document, place.start) or not _is_inside_token(data, place.start)
    return begins and (ends_line(document, place.end) or not _is_inside_token(data, place.end))


def _is_inside_token(data: bytes, offset: int) -> bool:
    """Whether the bytes on both sides of `offset` belong to one token."""
    left, right = data[offset - 1], data[offset]
    return cuts_at(data, offset) or (left in b" \t" and right in b" \t")


Rows = tuple[int, ...]  # Numbers of lines, counted from 0, one for each old line that is not blank
SHIFTED, INTERIOR = 980, 960
"""The similarity of places where every line is as much deeper or less deep, and of all others."""

MANY = 50  # So many places are ambiguous anyway, and not worth being compared


def whitespace(quote: Quotation) -> tuple[Place, ...]:
    """Find whole lines that differ from the old ones in whitespace, blank lines and line ends only.

    Where there are none, the old text may begin and end inside a line. Where line ends alone are
    others, the tier `exact` says what a place is.
    """
    other = swap_line_ends(quote)
    literal = () if other is None else exact(other)
    if len(literal) == 1:
        return literal
    hits = find_runs(squeeze_file(quote.document), quote.squeezed)
    if not hits:
        return ()
    if len(hits) > MANY:
        return tuple(place_of(quote, rows, INTERIOR) for rows in hits)
    hits += [longer for rows in hits if (longer := _longer(quote, rows)) is not None]
    return tuple(place_of(quote, rows, _grade(quote, rows)) for rows in hits)


def _longer(quote: Quotation, rows: Rows) -> Rows | None:
    """The same place up to the line below, where that is the last old line as it is written.

    All of the old text is here, but for the indentation of that line: of two brackets the
    author may have left out the inner one. What changes at the end of the text may then belong
    to either.
    """
    says = quote.says
    numbers = squeeze_file(quote.document).numbers
    at = bisect_left(numbers, rows[-1] + 1)
    below = numbers[at : at + 1]
    if not below or len(rows) < 2 or not _may_be_below(quote, says[-2], says[-1]):
        return None
    old = [quote.old_lines[i].rstrip() for i in says]
    here = [quote.lines[row].rstrip() for row in (*rows, *below)]
    is_below = old == [*here[:-2], here[-1]] and old[-1] != here[-2]
    return (*rows[:-1], *below) if is_below else None


def _may_be_below(quote: Quotation, above: int, last: int) -> bool:
    """Whether something changes with the last old line or below it, or comes right above it.

    What is indented as the line above the last one belongs to that.
    """
    if not quote.changes:
        return False
    change = quote.changes[-1]
    if change.old_end > last or change.old_start < change.old_end or change.old_end <= above:
        return change.old_end > last
    added = quote.new_lines[change.new_start : change.new_end]
    first = next((line for line in added if line.strip()), b"")
    return indent_of(first) != indent_of(quote.old_lines[above])


def find_runs(reading: LineReading, old: Sequence[bytes]) -> list[Rows]:
    """Find where the lines of `old` follow each other in a file, blank ones left out of both."""
    needle = [line for line in old if line]
    if not needle:
        return []
    hits = find_occurrences(reading.text, b"\n" + b"\n".join(needle) + b"\n", LIMIT)
    firsts = [bisect_left(reading.starts, hit) for hit in hits]
    return [tuple(reading.numbers[first : first + len(needle)]) for first in firsts]


def place_of(quote: Quotation, rows: Rows, similarity: int) -> Place:
    """Convert rows to a place, with the blank lines around them that the old text has too."""
    lines = squeeze_file(quote.document).lines
    says = quote.says
    first, last = rows[0], rows[-1]
    top, bottom = first - says[0], last + len(quote.squeezed) - 1 - says[-1]
    while first > max(top, 0) and not lines[first - 1]:
        first -= 1
    while last < min(bottom, len(lines) - 1) and not lines[last + 1]:
        last += 1
    offsets = quote.document.offsets
    return Place(offsets[first], offsets[last + 1], similarity)


def _grade(quote: Quotation, rows: Rows) -> int:
    """How alike lines are to the old ones: wholly where nothing but line ends differs."""
    says = quote.says
    pairs = [(quote.old_lines[i], quote.lines[row]) for i, row in zip(says, rows, strict=True)]
    is_gapless = rows[-1] - rows[0] == says[-1] - says[0]
    if is_gapless and all(old == here for old, here in pairs):
        return FULL
    steps = {len(indent_of(here)) - len(indent_of(old)) for old, here in pairs}
    is_same = all(old.strip() == here.strip() for old, here in pairs)
    return SHIFTED if is_same and len(steps) == 1 else INTERIOR


SIMILARITY = 950


def unicode(quote: Quotation) -> tuple[Place, ...]:
    """Find whole lines that differ from the old ones in whitespace, quotes, dashes and the like."""
    if not quote.is_folded:
        return ()
    hits = find_runs(quote.reading, quote.old_keys)
    return tuple(place_of(quote, rows, SIMILARITY) for rows in hits)


ALIKE = {"exact": exact, "whitespace": whitespace, "unicode": unicode}
"""The tiers by name that want all of the old text line by line."""

Piece = tuple[Quotation, Place]


def elided(quote: Quotation) -> tuple[Place, ...]:
    """Find the stretch from the first to the last piece of the old text."""
    found = find_pieces(quote)
    return (Place(found[0][1].start, found[-1][1].end, SIMILARITY),) if found else ()


def find_pieces(quote: Quotation) -> Sequence[Piece]:
    """Find the only place of each piece between the dots; nothing where one has none or several."""
    old = _parts(quote.old_lines)
    # New lines are looked at where there are dots in the old ones alone: they may be very many.
    new = _parts(quote.new_lines) if len(old) > 1 else []
    if len(old) != len(new) or _are_swapped(quote):
        return ()
    found: list[Piece] = []
    for before, after in zip(old, new, strict=True):
        if not before and not after:
            continue
        texts = (b"".join(line + b"\n" for line in lines) for lines in (before, after))
        piece = replace(quote, old=next(texts), new=next(texts), whole_lines=True)
        place = _only(piece)
        if place is None or (found and _is_elsewhere(found, (piece, place))):
            return ()
        found.append((piece, place))
    return found


def _is_elsewhere(found: Sequence[Piece], below: Piece) -> bool:
    """Whether a piece is in front of the one above it, or behind the block that this opens.

    Behind the section, too, that any piece above it is in.
    """
    above = found[-1]
    document, path = below[0].document, below[0].edit.path
    opening, first = _says(above[0])[-1], _says(below[0])[0]
    start, end = below[1].start, above[1].end
    last = document.line_at(end) - 1
    if opening.rstrip().endswith((b":", b"{")) and len(indent_of(opening)) < len(indent_of(first)):
        return not end <= start < document.offsets[find_end_of_block(document, last)]
    if start < end:
        return True
    quoted = [find_level(line, path) for piece, _ in found for line in piece.old_lines]
    own, next_one = next(filter(None, reversed(quoted)), 0), find_level(first, path)
    between = document.lines[last : document.line_at(start) - 1]
    leaves = any(0 < find_level(line, path) <= own for line in between)
    return leaves and not 0 < next_one <= own


def _says(piece: Quotation) -> list[bytes]:
    return [line for line in piece.old_lines if line.strip()]


def _parts(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The lines between those that represent others."""
    parts: list[list[bytes]] = [[]]
    for line in lines:
        if is_elision(line.strip()):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _are_swapped(quote: Quotation) -> bool:
    """Whether a remark of the new text is that of another stretch of the old one."""
    old, new = (
        [*filter(is_elision, map(bytes.strip, lines))]
        for lines in (quote.old_lines, quote.new_lines)
    )
    return any(now != then and now in old for then, now in zip(old, new, strict=True))


def _only(piece: Quotation) -> Place | None:
    """Where a piece is, if it occurs once."""
    if not piece.old.strip():
        return None
    every = (find(piece) for find in ALIKE.values())
    places = next(filter(None, every), ())
    return places[0] if len(places) == 1 else None
