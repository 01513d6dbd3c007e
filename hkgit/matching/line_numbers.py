"""line_numbers.py: remove line numbers that a reading tool has put into an edit's texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

Texts = tuple[bytes, bytes]

_NUMBERED = re.compile(rb"[ \t]*L?(\d{1,7})( *\t| *\|| *\xe2\x86\x92|[:)-]| )")
"""What `cat -n`, `nl`, `grep -n` and the reading tools of agents put before a line."""
_PADDED = re.compile(rb"(\d{1,7})( +)(?=[^ ])")
"""A number at the left edge of a column of blanks."""


def strip_line_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip the numbers that a reading tool put before each line, at times only the old.

    Where but some of the new lines carry one, the others are new; behind a blank alone nobody can
    say how those are indented.

    Returns both texts, None where the old lines carry no numbers.
    """
    mark, plain = _strip_numbers(old)
    if mark is None:
        return None
    numbered, rest = _strip_marks(new, mark)
    if numbered == 0:
        return plain, new
    is_all = numbered == sum(1 for line in new.split(b"\n") if line.strip())
    return (plain, rest) if is_all or mark != b" " else None


def strip_spaced_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip numbers and the blank between number and line; None where there are none."""
    plain, rest = strip_line_numbers(old, new) or (b"", b"")
    if not plain or any(line[:1] not in (b"", b" ") for line in plain.split(b"\n")):
        return None
    return _remove_space(plain), _remove_space(rest) if rest != new else rest


def _remove_space(text: bytes) -> bytes:
    return b"\n".join(line.removeprefix(b" ") for line in text.split(b"\n"))


def _strip_numbers(text: bytes) -> tuple[bytes | None, bytes]:
    """What stands behind the numbers, and the text without them, if every line has one.

    They go up by one from line to line; a blank line may be without.
    """
    lines = text.removesuffix(b"\n").split(b"\n")
    marks = [_NUMBERED.match(line + b" " if line.strip().isdigit() else line) for line in lines]
    numbers = [(row, int(mark[1])) for row, mark in enumerate(marks) if mark is not None]
    is_all = all(mark or not line.strip() for mark, line in zip(marks, lines, strict=True))
    if not numbers or not is_all or not _go_up(numbers):
        return None, text
    kinds = {mark[2].strip(b" ") or b" " for mark in marks if mark is not None}
    if len(kinds) > 1 and kinds != {b" ", min(kinds - {b" "})}:
        return None, text
    kind = min(kinds - {b" "}, default=b" ")
    return kind, _strip_marks(text, kind)[1]


def _go_up(numbers: Sequence[tuple[int, int]]) -> bool:
    """Whether the numbers of some rows count all lines, or all that are not blank."""
    first_row, first = numbers[0]
    by_row = all(number - first == row - first_row for row, number in numbers)
    return by_row or all(number - first == at for at, (_, number) in enumerate(numbers))


def _strip_marks(text: bytes, kind: bytes) -> tuple[int, bytes]:
    """How many lines have a number with a mark of one kind, and the text without those."""
    kept = [_without_number(line, kind) for line in text.split(b"\n")]
    count = sum(1 for is_numbered, _ in kept if is_numbered)
    return count, b"\n".join(line for _, line in kept)


def _without_number(line: bytes, kind: bytes) -> tuple[bool, bytes]:
    """Whether a line has a number, and what stands behind it; nothing does where it is bare."""
    if not line.strip():
        return False, b""
    if line.strip().isdigit():
        return True, b""
    mark = _NUMBERED.match(line)
    if mark is None or (mark[2].strip(b" ") or b" ") != kind:
        return False, line
    return True, line[mark.end() :]


def strip_padded_numbers(old: bytes, new: bytes) -> Texts | None:
    """Strip numbers that stand left in a column of one width; None where there are none.

    How wide that is nobody can see where all lines are indented; then all lose as much of it.
    """
    numbered = [old, new] if _PADDED.match(new) else [old]
    lines = [line for text in numbered for line in _lines(text) if not line.strip().isdigit()]
    marks = [_PADDED.match(line) for line in lines if line.strip()]
    found = [mark for mark in marks if mark is not None]
    widths = {len(mark[1]) for mark in found}
    column = min((mark.end() for mark in found), default=0)
    if len(found) < len(marks) or len(widths) < 2 or column <= max(widths):
        return None
    if not all(_go_up(_numbers(text)) for text in numbered[:1]):
        return None
    plain = [_cut(text, column) for text in numbered]
    return plain[0], plain[1] if len(plain) > 1 else new


def _numbers(text: bytes) -> list[tuple[int, int]]:
    """The row and the number of each line that has one."""
    heads = [(row, line.split()[:1]) for row, line in enumerate(_lines(text))]
    return [(row, int(head[0])) for row, head in heads if head and head[0].isdigit()]


def _cut(text: bytes, column: int) -> bytes:
    return b"\n".join(line[column:] for line in text.split(b"\n"))


def _lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n")
