"""dividers.py: which line of `=` divides the halves of a search/replace block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit.dialects.reading import refuse_line

MAX_DIVIDERS = 50

_ESCAPE = "Put a \\ in front of each line of content that looks like a marker."


def choose_divider(lines: Sequence[str], head: int, found: Sequence[int], content: range) -> int:
    """Choose the divider of a block among lines that look like one; the others underline titles.

    First those as long as the head's marks, then those that leave each of the others below a
    line of text, then below one of its own length, then as many above as below. Raises
    InvalidInput where several are left.
    """
    marks = len(lines[head].split(" ")[0])
    likely = [i for i in found if len(lines[i].rstrip()) == marks] or list(found)
    if len(likely) > MAX_DIVIDERS:
        raise refuse_line(head, f"{len(likely)} lines that could be the divider", _ESCAPE)
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: _underlines(lines, found, i, content, exact=False),
        lambda i: _underlines(lines, found, i, content, exact=True),
        lambda i: 2 * sum(other < i for other in found) == len(found) - 1,
    )
    for test in tests:
        if len(likely) > 1:
            likely = [i for i in likely if test(i)] or likely
    if len(likely) > 1:
        shown = ", ".join(str(i + 1) for i in likely)
        raise refuse_line(head, f"the divider could be any of lines {shown}", _ESCAPE)
    return likely[0]


def repeats_tail(lines: Sequence[str], head: int, found: Sequence[int], end: int) -> bool:
    """Whether a second divider, right above the tail, says once more that the new text ends.

    Below a line of its own length, or one that may be a title, it underlines that.
    """
    if len(found) != 2 or found[1] != end - 1:
        return False
    above = lines[found[1] - 1]
    is_title = bool(above.strip()) and not above.startswith((" ", "\t"))
    return found[0] == found[1] - 1 or not is_title


def _underlines(
    lines: Sequence[str], found: Sequence[int], middle: int, content: range, *, exact: bool
) -> bool:
    """Whether all lines of `=` but the one in the middle stand below, or around, a title."""
    for line in found:
        first, last = (content.start, middle) if line < middle else (middle + 1, content.stop)
        titles = [i for i in (line - 1, line + 1) if first <= i < last and lines[i].strip()]
        below = [i for i in titles if i < line or (line + 2 in found and line + 2 < last)]
        below = [i for i in below if i not in found]
        length = len(lines[line].rstrip())
        fits = any(not exact or len(lines[i].rstrip()) == length for i in below)
        if line != middle and not fits:
            return False
    return True
