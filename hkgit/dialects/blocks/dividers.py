"""dividers.py: which line of `=` divides the halves of a search/replace block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hkgit.dialects.reading import refuse_line
from hkgit.values import late_pattern

MAX_DIVIDERS = 50

_ESCAPE = "Put a \\ in front of each line of content that looks like a marker."
_OPENS_CONFLICT = late_pattern(r"<{7}(?: .*)?\s*")
_WORD = late_pattern(r"\w")
_CLOSES_CONFLICT = late_pattern(r">{7}(?: .*)?\s*")


def choose_divider(lines: Sequence[str], head: int, found: Sequence[int], content: range) -> int:
    """Choose the divider of a block among lines that look like one; the others underline titles.

    That of a merge conflict within the content is none. Those as long as the head's marks come
    first; of several the only one that underlines no title of its length, then the only one with
    the same titles in both halves, then the middle one of another length than all others. Raises
    InvalidInput where several are left.
    """
    marks = len(lines[head].split(" ")[0])
    found = _leave_out_conflicts(lines, found, content)
    likely = [i for i in found if _length(lines[i]) == marks] or list(found)
    if len(likely) > MAX_DIVIDERS:
        raise refuse_line(head, f"{len(likely)} lines that could be the divider", _ESCAPE)
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: not _is_title(lines, found, i - 1, content, _length(lines[i])),
        lambda i: not _is_above_title(lines, found, i, content),
        lambda i: _has_same_titles(lines, found, i, content),
        lambda i: _is_odd_middle(lines, found, i),
    )
    for test in tests:
        if len(likely) > 1:
            likely = [i for i in likely if test(i)] or likely
    if len(likely) == 1:
        return likely[0]
    shown = ", ".join(str(i + 1) for i in likely)
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


def repeats_tail(lines: Sequence[str], found: Sequence[int], content: range) -> bool:
    """Whether a second divider, right above the tail, says once more that the new text ends.

    Below a line that may be a title it underlines that; and where the first underlines a title,
    it is the divider.
    """
    is_last = len(found) == 2 and found[1] == content.stop - 1
    if not is_last or len({_length(lines[i]) for i in found}) > 1:
        return False
    if _is_title(lines, found, found[0] - 1, content, _length(lines[found[0]])):
        return False
    above = lines[found[1] - 1]
    is_title = bool(above.strip()) and not above.startswith((" ", "\t"))
    return not is_title


def may_underline(lines: Sequence[str], row: int) -> bool:
    """Whether a line of `=` may underline the line above: at the left and no shorter."""
    above = lines[row - 1]
    is_left = _WORD.search(above) is not None and not above.startswith((" ", "\t"))
    return is_left and _length(above) >= _length(lines[row])


def _length(line: str) -> int:
    return len(line.rstrip())


def _is_above_title(lines: Sequence[str], found: Sequence[int], row: int, content: range) -> bool:
    """Whether a line of `=` stands at the top, above a title that has one of its length below."""
    is_top = row == content.start or not lines[row - 1].strip()
    is_pair = row + 2 in found and _length(lines[row + 1]) == _length(lines[row])
    return is_top and is_pair and _WORD.search(lines[row + 1]) is not None


def _is_title(
    lines: Sequence[str], found: Sequence[int], row: int, content: range, length: int
) -> bool:
    """Whether a line may be a title: of that length, at the left, and below nothing or a blank."""
    is_text = row in content and _WORD.search(lines[row]) is not None
    if not is_text or _length(lines[row]) != length:
        return False
    is_top = row == content.start or row - 1 in found or not lines[row - 1].strip()
    return is_top and not lines[row].startswith((" ", "\t"))


def _has_same_titles(lines: Sequence[str], found: Sequence[int], row: int, content: range) -> bool:
    """Whether the other lines of `=` stand below the same words in both halves."""
    old = [lines[i - 1] for i in found if content.start < i < row]
    new = [lines[i - 1] for i in found if i > row + 1]
    others = len(found) - 1
    return old == new and 2 * len(old) == others and all(map(_WORD.search, old))


def _is_odd_middle(lines: Sequence[str], found: Sequence[int], row: int) -> bool:
    """Whether as many others stand above as below, and none of them is as long."""
    others = [i for i in found if i != row]
    is_middle = 2 * sum(i < row for i in others) == len(others)
    return is_middle and all(_length(lines[i]) != _length(lines[row]) for i in others)
