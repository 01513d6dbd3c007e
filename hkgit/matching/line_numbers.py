"""line_numbers.py: remove line numbers that a reading tool has put into an edit's texts.

Only the numbers of counted lines are taken from a text. A new line without one is the author's
own and stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Texts = tuple[bytes, bytes]
Mark = re.Match[bytes]

_NUMBERED = re.compile(
    rb"[ \t]*L?(\d{1,7})"
    rb"(?:(?P<bare>[ \t]*(?=\r?\Z))|(?P<mark> *\t| *\|| *\xe2\x86\x92|[:)-]| ))"
)
"""What `cat -n`, `nl`, `grep -n` and the reading tools of agents put before a line."""


def strip_line_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip the numbers that a reading tool put before each line, at times only the old.

    Returns both texts, None where the old lines carry no numbers or those of the new lines can be
    read in two ways.
    """
    return _strip(old, new, lambda _, mark: mark.end())


def strip_spaced_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip numbers and the space between number and line; None where there are none."""

    def end(line: bytes, mark: Mark) -> int | None:
        rest = line[mark.end() :]
        return mark.end() + rest.startswith(b" ") if rest[:1] in (b"", b" ") else None

    return _strip(old, new, end)


def strip_padded_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip numbers that are at the left of a column of one width; None where there are none.

    How wide that is nobody can see where all lines are indented. Then all lose as much of it, or,
    where the new lines have no numbers, as much as leaves an old line that is a new one too.
    """
    found = _find_numbers(old, new)
    if found is None or found[2] != b" " or any(mark.start(1) for mark in found[0] if mark):
        return None
    lines, marks = (*_lines(old), *_lines(new)), (*found[0], *found[1])
    pairs = [(line, mark) for line, mark in zip(lines, marks, strict=True) if mark is not None]
    widths = {mark.end(1) for _, mark in pairs}
    column = min(len(x) - len(x[mark.end(1) :].lstrip(b" ")) for x, mark in pairs if _kind(mark))
    columns = range(column, max(widths), -1) if len(widths) > 1 else ()
    texts = (_strip(old, new, _end_at(each)) for each in columns)
    return next(filter(None, texts), None)


def _end_at(column: int) -> Callable[[bytes, Mark], int]:
    return lambda _, mark: column


def _strip(old: bytes, new: bytes, end: Callable[[bytes, Mark], int | None]) -> Texts | None:
    """Cut each numbered line at its `end`; None where a line has none.

    Behind blanks alone it has to be shown how many are the tool's where the new lines have no
    numbers: by an old line that is a new one too.
    """
    found = _find_numbers(old, new)
    if found is None:
        return None
    texts = []
    for text, marks in zip((old, new), found[:2], strict=True):
        pairs = list(zip(_lines(text), marks, strict=True))
        ends = [0 if mark is None else end(line, mark) for line, mark in pairs]
        if None in ends:
            return None
        cut = b"\n".join(line[at:] for (line, _), at in zip(pairs, ends, strict=True))
        texts.append(cut + b"\n" if text.endswith(b"\n") else cut)
    plain, rest = texts
    is_shown = any(line.strip() for line in {*_lines(plain)} & {*_lines(rest)})
    is_sure = is_shown or any(found[1]) or found[2] != b" " or not new
    return (plain, rest) if is_sure else None


def _find_numbers(
    old: bytes, new: bytes
) -> tuple[list[Mark | None], list[Mark | None], bytes] | None:
    """Find the number of each line of both texts, and what is between numbers and lines.

    All old lines have one, up to the blank ones. None where there are none, or where it cannot be
    told which of the new lines have one.
    """
    lines = _lines(old)
    marks = [_NUMBERED.match(line) for line in lines]
    numbers = [(row, int(mark[1])) for row, mark in enumerate(marks) if mark is not None]
    kinds = {_kind(mark) for mark in marks if mark is not None} - {b""}
    if len(kinds) != 1 or not _are_all(lines, marks) or not _go_up(numbers):
        return None
    [kind] = kinds
    near = range(numbers[0][1], numbers[-1][1] + len(_lines(new)))
    # Only behind blanks alone does a tool that cuts them off leave a bare number.
    known = (kind, b"") if kind in (b" ", b"\t") else (kind,)
    own = [_NUMBERED.match(line) for line in _lines(new)]
    own = [mark if mark and _kind(mark) in known and int(mark[1]) in near else None for mark in own]
    is_all = _are_all(_lines(new), own)
    if not is_all:
        # Between lines without a number a bare one is text, unless it is quoted too.
        pairs = zip(_lines(new), own, strict=True)
        own = [mark if mark and (_kind(mark) or line in lines) else None for line, mark in pairs]
    counted = [int(mark[1]) for mark in own if mark is not None]
    if counted and not any(mark and _kind(mark) for mark in own) and counted[0] != near.start:
        own, counted = [None] * len(own), []
    is_read = counted == sorted(counted) and (is_all or not counted or kind != b" ")
    return (marks, own, kind) if is_read else None


def _kind(mark: Mark) -> bytes:
    """What is between a number and its line; nothing where the line is blank."""
    return b"" if mark["mark"] is None else mark["mark"].strip(b" ") or b" "


def _are_all(lines: Sequence[bytes], marks: Sequence[Mark | None]) -> bool:
    """Whether every line that is not blank has a number."""
    return all(mark or not line.strip() for mark, line in zip(marks, lines, strict=True))


def _go_up(numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether the numbers of some rows count all lines, or all that are not blank."""
    first_row, first = numbers[0]
    by_row = all(number - first == row - first_row for row, number in numbers)
    return by_row or all(number - first == at for at, (_, number) in enumerate(numbers))


def _lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n")
