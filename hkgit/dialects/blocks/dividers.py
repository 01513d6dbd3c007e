"""dividers.py: which line of `=` divides the halves of a search/replace block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit.dialects.reading import refuse_line
from hkgit.values import late_pattern

MAX_DIVIDERS = 50

_ESCAPE = "Put a \\ in front of each line of content that looks like a marker."
_OPENS_CONFLICT = late_pattern(r"<{7}(?: .*)?\s*")
_CLOSES_CONFLICT = late_pattern(r">{7}(?: .*)?\s*")


def choose_divider(lines: Sequence[str], head: int, found: Sequence[int], content: range) -> int:
    """Choose the divider of a block among lines that look like one; the others underline titles.

    That of a merge conflict within the content is none. First those as long as the head's marks,
    then those that leave each of the others below a line of text, then below one of its own
    length, then as many above as below. Raises InvalidInput where several are left, or two stand
    one below the other: the second may as well be written twice as end an underlined title.
    """
    marks = len(lines[head].split(" ")[0])
    found = _leave_out_conflicts(lines, found, content)
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
    if len(likely) == 1 and not _is_doubled(lines, found, likely[0], content):
        return likely[0]
    shown = ", ".join(str(i + 1) for i in (likely if len(likely) > 1 else found))
    raise refuse_line(head, f"the divider could be any of lines {shown}", _ESCAPE)


def _leave_out_conflicts(lines: Sequence[str], found: Sequence[int], content: range) -> list[int]:
    """Return the dividers but those that stand alone between `<<<<<<<` and `>>>>>>>` of git."""
    inner: set[int] = set()
    opening: int | None = None
    for i in content if len(found) > 1 else ():
        if _OPENS_CONFLICT.fullmatch(lines[i]):
            opening = i
        elif opening is not None and _CLOSES_CONFLICT.fullmatch(lines[i]):
            between = [divider for divider in found if opening < divider < i]
            inner.update(between if len(between) == 1 else ())
            opening = None
    return [i for i in found if i not in inner] or list(found)


def _is_doubled(lines: Sequence[str], found: Sequence[int], middle: int, content: range) -> bool:
    """Whether the line above the divider is one too, and underlines nothing of its length."""
    if middle - 1 not in found or len(lines[middle - 1].rstrip()) != len(lines[middle].rstrip()):
        return False
    return not _underlines(lines, [middle - 1], middle, content, exact=True)


def repeats_tail(lines: Sequence[str], head: int, found: Sequence[int], end: int) -> bool:
    """Whether a second divider, right above the tail, says once more that the new text ends.

    Below a line that may be a title it underlines that.
    """
    if len(found) != 2 or found[1] != end - 1:
        return False
    above = lines[found[1] - 1]
    is_title = bool(above.strip()) and not above.startswith((" ", "\t"))
    return not is_title


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
