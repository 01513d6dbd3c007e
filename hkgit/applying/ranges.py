"""ranges.py: where an edit that names line numbers lands, and what it writes there."""

from __future__ import annotations

from collections.abc import Sequence

from hkgit.applying.draft import Lines
from hkgit.applying.evidence import Evidence
from hkgit.document import Document, Splice, hash_lines
from hkgit.edits import InsertAfter, ReplaceRange, encoded
from hkgit.errors import InvalidInput, Stale

_SEARCH_BUDGET = 64 * 2**20
"""How many bytes may be hashed to find out where a range has gone."""


def stated_lines(edit: ReplaceRange | InsertAfter) -> Lines:
    """The base lines that the edit names; for an insertion the empty range behind its line."""
    if isinstance(edit, InsertAfter):
        return edit.after_line + 1, edit.after_line
    return edit.start_line, edit.end_line


def hashed_lines(lines: Lines, base: Document, *, is_insertion: bool) -> Lines:
    """The lines that the edit's hash speaks of: an insertion's is that of its neighbour above.

    At the top it is line 1, or the empty range of an empty file.
    """
    if not is_insertion:
        return lines
    above = lines[1]
    return (above, above) if above else (1, min(1, base.line_count))


def check_inside(path: str, base: Document, lines: Lines) -> None:
    """Raises InvalidInput when the lines are not lines of the file."""
    first, last = lines
    if not 1 <= first <= last + 1 <= base.line_count + 1:
        raise InvalidInput(
            f"{path}:{first}-{last}",
            f"the file has {base.line_count} lines",
            f"Read it (`hkgit read {path}`) and name lines it has.",
        )


def is_inside(base: Document, lines: Lines) -> bool:
    """Whether the lines are lines of the file."""
    return 1 <= lines[0] <= lines[1] + 1 <= base.line_count + 1


def evidence_at(
    base: Document, hashed: Lines, expected: str, *, is_insertion: bool
) -> Evidence | None:
    """The evidence of a range edit's own hash, or None where it does not hold."""
    if not is_inside(base, hashed):
        return None
    actual = base.range_hash(*hashed)
    if not actual.startswith(expected):
        return None
    return Evidence("hash", actual, hashed if is_insertion else None)


def find_hash(base: Document, count: int, expected: str) -> list[int]:
    """The first lines of every range of `count` lines with that hash; [] past a work budget."""
    if count == 0 or count * len(base.data) > _SEARCH_BUDGET:
        return []
    starts = range(1, base.line_count - count + 2)
    lines = base.lines
    return [
        start for start in starts
        if hash_lines(lines[start - 1 : start - 1 + count]).startswith(expected)
    ]


def stale_range(path: str, base: Document, hashed: Lines, expected: str, found: list[int]) -> Stale:
    """The refusal of a range edit: what holds at its lines, and where the range stands now."""
    first, last = hashed
    if is_inside(base, hashed):
        what = f"expected hash {expected[:12]}, the lines have {base.range_hash(*hashed)[:12]}"
    else:
        what = f"expected hash {expected[:12]}, but the file has {base.line_count} lines"
    if len(found) == 1:
        moved = f"{found[0]}-{found[0] + last - first}"
        fix = f"The range now stands at lines {moved}: name those, or pass --relocate."
    elif found:
        fix = f"The range now stands at lines {', '.join(map(str, found[:5]))}: say which."
    else:
        fix = f"Read the lines again (`hkgit read {path}`) and write the edit against that."
    return Stale(f"{path}:{first}-{last}", what, fix)


def written(base: Document, lines: Lines, new_lines: Sequence[str]) -> Splice:
    """The splice that puts new lines in place of old ones, each with the end it takes over."""
    start, end = base.span(*lines)
    ends = [base.end_of(number) for number in range(lines[0], lines[1] + 1)]
    spare = ends[-1] if ends else _neighbour_end(base, lines[1])
    ends += [spare] * (len(new_lines) - len(ends))
    texts = map(encoded, new_lines)
    new = b"".join(text + line_end for text, line_end in zip(texts, ends, strict=False))
    return Splice(start, end, new)


def _neighbour_end(base: Document, above: int) -> bytes:
    """The end of the line above, else of the first line, else `\\n`."""
    if base.line_count == 0:
        return b"\n"
    return base.end_of(max(above, 1))
