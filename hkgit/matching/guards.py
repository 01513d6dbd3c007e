"""Results that nobody means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from hkgit.errors import InvalidInput
from hkgit.matching.place import Place
from hkgit.matching.placeholder import DOTS, is_bare, is_elision, is_placeholder
from hkgit.matching.quotation import Quotation, indent_of, is_telling, make_key
from hkgit.matching.strict import cuts_at, is_whole
from hkgit.matching.words import find_typography
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.text.escape import count_noun


def _check_escapes(quote: Quotation) -> None:
    """Raise InvalidInput where only the new text has escapes in place of tabs and line ends."""
    lines = quote.new.replace(b"\\r\\n", b"\n").replace(b"\\n", b"\n").strip().split(b"\n")
    known = {line.strip() for line in quote.old_lines}
    ends = {line.strip() for line in (lines[0], lines[-1]) if _says(line)}
    if b"\n" not in quote.new.strip() and len(lines) > 1 < len(known) and ends & known:
        what, fix = "\\n instead of line ends", "Write line ends; in JSON a line end is \\n."
    elif _escapes_tabs(quote):
        what, fix = "\\t instead of a tab", "Write tabs; in JSON a tab is \\t."
    else:
        return
    raise InvalidInput(quote.edit.path, f"the new text has {what}", fix)


def _escapes_tabs(quote: Quotation) -> bool:
    """Whether an added line begins with `\\t` where lines begin with tabs, and none with `\\`."""
    added = (quote.new_lines[i].lstrip() for i in quote.added)
    if not any(line.startswith(b"\\t") for line in added):
        return False
    is_indented = any(line.startswith(b"\t") for line in quote.lines)
    return is_indented and not any(line.lstrip().startswith(b"\\") for line in quote.lines)


PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
"""Names of files in which a fence may be around all there is."""

UNFENCED = (".rst", ".adoc")  # Those in which `~~~` underlines a title, or is text
FENCES = (b"```", b"~~~")

BODY_BEGINS = (b":", b'"""', b"'''")
"""How a line ends below which three dots may be the body of a function."""

_NUMBERED = rb"\s*(\d{1,7})(?:\s*\||\xe2\x86\x92|\t)"


def check(quote: Quotation, place: Place, *, is_paired: bool = False) -> None:
    """Raise InvalidInput where new text has remarks or dots in place of lines.

    `is_paired` says that each of its elisions represents lines that stay.
    """
    shown, path = quote.new_lines, quote.edit.path
    if is_paired:
        shown = tuple(line for line in shown if not is_elision(line.strip()))
    if path.lower().endswith(PROSE) and not path.lower().endswith(UNFENCED):
        is_open = _opens_fence(quote.document.data[: place.start])
        shown = tuple(_list_unfenced(shown, is_open=is_open))
    # Also there a remark that comes with fewer lines than it replaces represents the others.
    checked = (*shown, *_shrunk(quote))
    check_lines(quote.document.data, quote.old_lines, quote.new_lines, path, checked)
    if b"\\" in quote.new:
        # Few texts have one.
        _check_escapes(quote)
    if _elides(quote, shown):
        raise InvalidInput(
            path,
            "the new text has '...' where the old one has lines",
            "Write out the lines, or put ... in the same places of the old text.",
        )


def check_typography(quote: Quotation) -> None:
    """Raise InvalidInput where both texts have typography that the file has not.

    What put it into the old text put it into the new one too; there nobody knows what was meant.
    """
    if quote.old.isascii() or quote.new.isascii():
        return
    known = find_typography(quote.document.data)
    added = sorted(find_typography(quote.new) - find_typography(quote.old) - known)
    if added and not find_typography(quote.old) <= known:
        raise InvalidInput(
            quote.edit.path,
            f"the old text has quotes or dashes that the file has not, and the new text {added[0]}",
            "Write both texts with the characters that the file is to have.",
        )


def _shrunk(quote: Quotation) -> Iterator[bytes]:
    """The new lines of changes that take away more than they add: lines that say something, or
    the ends of fences."""
    for change in quote.changes:
        old = quote.old_lines[change.old_start : change.old_end]
        new = quote.new_lines[change.new_start : change.new_end]
        if _has_fewer(new, old, _says) or _has_fewer(new, old, _is_fence):
            yield from new


def _has_fewer(new: Sequence[bytes], old: Sequence[bytes], test: Callable[[bytes], bool]) -> bool:
    """Whether fewer of the new lines pass a test; they are counted no further than the old."""
    least = sum(map(test, old))
    return sum(1 for _ in islice(filter(test, new), least)) < least


def _says(line: bytes) -> bool:
    return is_telling(make_key(line))


def _is_fence(line: bytes) -> bool:
    return line.lstrip().startswith(FENCES)


def _opens_fence(above: bytes) -> bool:
    """Whether a fence of a text about code is still open at the end of its upper part."""
    if not any(mark in above for mark in FENCES):  # as in most files
        return False
    return sum(map(_is_fence, above.split(b"\n"))) % 2 == 1


def _list_unfenced(lines: Sequence[bytes], *, is_open: bool) -> Iterator[bytes]:
    """The lines outside of fences; in a text about code, what is in one may leave code out."""
    for line in lines:
        if _is_fence(line):
            is_open = not is_open
        elif not is_open:
            yield line


def check_lines(
    data: bytes,
    old: Sequence[bytes],
    new: Sequence[bytes],
    path: str,
    shown: Sequence[bytes] | None = None,
) -> None:
    """Refuse placeholders and line numbers in `new` lines that replace `old` lines of a file.

    `data` is the file. `shown` are those of the new lines among which no placeholder may be, by
    default all. Raises InvalidInput.
    """
    known = {line.strip() for line in old}
    for line in dict.fromkeys(line.strip() for line in (new if shown is None else shown)):
        if line not in known:
            _check_placeholder(data, line, path)
    _check_numbers(old, new, path)


def check_whole(before: Document | None, after: Document, path: str) -> None:
    """Refuse placeholders, a fence or a lost rest in the new text of a whole file.

    `before` is None for a new file. Raises InvalidInput.
    """
    data = b"" if before is None else before.data
    says = [line.strip() for line in after.lines if line.strip()]
    fences = [i for i, line in enumerate(says) if line.startswith(b"```")]
    is_fenced = fences == [0, len(says) - 1] and says[-1] == b"```"
    if is_fenced and not path.lower().endswith(PROSE) and b"```" not in data:
        raise InvalidInput(
            path, "the whole text is in a fence", "Write the text without the fence."
        )
    if before is None or not before.lines:
        return
    if any(is_placeholder(line.strip()) for line in after.lines):
        replaced = (c for c in find_changes(before.lines, after.lines) if c.old_start < c.old_end)
        for line in (line for c in replaced for line in after.lines[c.new_start : c.new_end]):
            _check_placeholder(data, line.strip(), path)
    _check_numbers(before.lines, after.lines, path)


def _elides(quote: Quotation, shown: Sequence[bytes]) -> bool:
    """Whether lines are removed, and three dots written that represent nothing in the old text.

    As the whole body of a function they are code.
    """
    lines = [line for line in shown if line.strip()]
    dots = [i for i, line in enumerate(lines) if line.strip() in DOTS]
    if not dots or any(line.strip() in DOTS for line in quote.old_lines):
        return False
    removes = any(_says(quote.old_lines[i]) for i in quote.removed)
    return removes and not all(_is_body(lines, i) for i in dots)


def _is_body(lines: Sequence[bytes], row: int) -> bool:
    """Whether a line is all of a block: below what opens one, and nothing as deep below it."""
    opens = row > 0 and lines[row - 1].rstrip().endswith(BODY_BEGINS)
    below = lines[row + 1 : row + 2]
    return opens and all(len(indent_of(line)) < len(indent_of(lines[row])) for line in below)


def find_doubled_lines(quote: Quotation, place: Place) -> tuple[str, ...]:
    """Write notes on new lines at an end of the place that repeat the line beyond it.

    That may be meant; more often the author took the line for one of the replaced ones.
    """
    if not is_whole(quote.document, place):
        return ()
    first, last = quote.document.lines_of(place.start, place.end)
    notes = []
    for change in quote.changes:
        added = quote.new_lines[change.new_start : change.new_end]
        is_top, is_bottom = change.old_start == 0, change.old_end == len(quote.old_lines)
        if added and is_top and _repeats(quote, added[0], first - 1):
            notes.append(f"the first new line repeats line {first - 1}")
        if added and is_bottom and _repeats(quote, added[-1], last + 1):
            notes.append(f"the last new line repeats line {last + 1}")
    return tuple(notes)


def note_parts_of_words(quote: Quotation, places: Sequence[Place]) -> tuple[str, ...]:
    """Write a note on how many of the places are parts of longer words."""
    data = quote.document.data
    inside = sum(cuts_at(data, place.start) or cuts_at(data, place.end) for place in places)
    if not inside:
        return ()
    return (f"{inside} of {count_noun(len(places), 'replaced place')} are parts of longer words",)


def _repeats(quote: Quotation, line: bytes, number: int) -> bool:
    """Whether a line says something, and the same as line `number` of the file."""
    key, is_there = make_key(line), 1 <= number <= len(quote.lines)
    return is_there and is_telling(key) and key == make_key(quote.lines[number - 1])


def _check_placeholder(data: bytes, line: bytes, path: str) -> None:
    if (is_placeholder(line) or is_bare(line)) and line not in data:
        raise InvalidInput(
            path,
            f"the new text has {line[:80].decode('utf-8', 'replace')!r} instead of code",
            "Write out the code, or edit only the lines that change.",
        )


def _check_numbers(old: Sequence[bytes], new: Sequence[bytes], path: str) -> None:
    if _are_numbered(new) and not _are_numbered(old):
        raise InvalidInput(
            path,
            "every line of the new text begins with a line number",
            "Write the lines as they should be in the file, without numbers.",
        )


def _are_numbered(lines: Sequence[bytes]) -> bool:
    """Whether there are several lines, each with the number after that of the line above."""
    marks = [re.match(_NUMBERED, line) for line in lines]
    numbers = [int(mark[1]) for mark in marks if mark is not None]
    is_all = len(numbers) == len(lines) >= 2
    return is_all and numbers == list(range(numbers[0], numbers[0] + len(lines)))
