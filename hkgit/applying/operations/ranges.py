"""ranges.py: place edits that name line numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.draft import Lines
from hkgit.edits import InsertAfter, Read, ReplaceRange, encode_text
from hkgit.errors import InvalidInput, Near, Stale
from hkgit.text.counting import count_noun
from hkgit.text.document import Document, Splice, hash_lines

_SEARCH_BUDGET = 64 * 2**20
"""How many bytes may be hashed to find out where a range has gone."""


def lines_of_edit(edit: ReplaceRange | InsertAfter) -> Lines:
    """Return the lines that the edit names; for an insertion the empty range behind its line."""
    if isinstance(edit, InsertAfter):
        return edit.after_line + 1, edit.after_line
    return edit.start_line, edit.end_line


def lines_of_hash(lines: Lines, document: Document, *, is_insertion: bool) -> Lines:
    """Return the lines that the edit's hash covers; for an insertion the line above it.

    At the top it is line 1, or the empty range of an empty file.
    """
    if not is_insertion:
        return lines
    above = lines[1]
    return (above, above) if above else (1, min(1, document.line_count))


def is_inside(document: Document, lines: Lines) -> bool:
    """Whether the lines are lines of the file."""
    return 1 <= lines[0] <= lines[1] + 1 <= document.line_count + 1


def check_inside(path: str, document: Document, lines: Lines) -> None:
    """Raises InvalidInput when the lines are not lines of the file."""
    if not is_inside(document, lines):
        raise InvalidInput(
            f"{path}:{lines[1]}" if lines[0] > lines[1] else f"{path}:{lines[0]}-{lines[1]}",
            f"the file has {count_noun(document.line_count, 'line')}",
            f"Read it (`hkgit read {path}`) and name lines it has.",
        )


def find_hash(document: Document, count: int, expected: str) -> list[int]:
    """Find the first line of each range of `count` lines with a hash; [] past a work budget."""
    if count == 0 or count * len(document.data) > _SEARCH_BUDGET:
        return []
    starts = range(1, document.line_count - count + 2)
    lines = document.lines
    return [
        start
        for start in starts
        if hash_lines(lines[start - 1 : start - 1 + count]).startswith(expected)
    ]


def refuse_stale_range(
    path: str,
    document: Document,
    hashed: Lines,
    expected: str,
    found: Sequence[int] = (),
    *,
    advice: str = "name those, or pass --relocate",
) -> Stale:
    """Build the error for a range edit: what holds at its lines, where the range stands now."""
    first, last = hashed
    if is_inside(document, hashed):
        what = f"expected hash {expected[:12]}, but the lines have another"
    else:
        what = f"expected hash {expected[:12]}, but the file has {document.line_count} lines"
    if len(found) == 1:
        moved = f"{found[0]}-{found[0] + last - first}"
        fix = f"The range now stands at lines {moved}: {advice}."
    elif found:
        fix = f"The range now stands at lines {', '.join(map(str, found[:5]))}: say which."
    else:
        fix = f"Read the lines again (`hkgit read {path}`) and write the edit against that."
    error = Stale(f"{path}:{first}-{last}", what, fix)
    error.near = tuple(Near(start, start + last - first) for start in found[:5])
    if is_inside(document, hashed):
        error.near = (Near(first, last), *error.near)
    return error


def refuse_stale_read(path: str, document: Document, read: Read) -> Stale:
    """Build the error for a read that does not hold, with where its range stands now."""
    lines = read.start_line or 1, read.end_line or 0
    found = find_hash(document, lines[1] - lines[0] + 1, read.range_hash)
    advice = "name those with the hash"
    return refuse_stale_range(path, document, lines, read.range_hash, found, advice=advice)


def splice_lines(document: Document, lines: Lines, new_lines: Sequence[str]) -> Splice:
    """Replace old lines by new ones, each with the line end that it takes over."""
    start, end = document.span(*lines)
    ends = [document.end_of(number) for number in range(lines[0], lines[1] + 1)]
    spare = ends[-1] if ends else _neighbour_end(document, lines[1])
    ends += [spare] * (len(new_lines) - len(ends))
    texts = map(encode_text, new_lines)
    new = b"".join(text + line_end for text, line_end in zip(texts, ends, strict=False))
    return Splice(start, end, new)


def _neighbour_end(document: Document, above: int) -> bytes:
    """The end of the line above, else of the first line, else `\\n`."""
    if document.line_count == 0:
        return b"\n"
    return document.end_of(max(above, 1))
