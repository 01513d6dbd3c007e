"""Find which lines of a file stand in an answer that an agent was given.

An answer holds lines as they are or behind their numbers, with other text around them and pieces
left out. A line that may stand elsewhere in the file as well is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hkgit.text.document import Document

Lines = tuple[int, int]

_NUMBERED = re.compile(r"\s*0*(\d{1,9})(?:\t|→| ?\| ?|: ?|-)(.*)", re.DOTALL)
_STARTS = 200
"""So many places are tried at most for the beginning of a file, or its end."""


def split_lines(data: bytes) -> list[str] | None:
    """Split a file into lines as an answer shows them; None where they are no text."""
    try:
        return [line.decode() for line in Document(data).lines] if b"\0" not in data else None
    except UnicodeDecodeError:
        return None


def split_answer(text: str) -> list[str]:
    """Split an answer into lines."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def find_shown_lines(
    file: Sequence[str], answer: str, start_line: int = 1, end_line: int | None = None
) -> list[Lines]:
    """Find which of a file's lines from `start_line` to `end_line` an answer shows."""
    last = len(file) if end_line is None else min(end_line, len(file))
    lines = split_answer(answer)
    numbers = find_numbered(file, lines, start_line, last)
    if not numbers:
        block = Block(file[start_line - 1 : last], is_first=True, is_last=True)
        pieces, _ = find_block(block, lines, 0)
        numbers = [start_line + at for first, stop in pieces for at in range(first, stop)]
    return join_numbers(numbers)


def find_snippets(file: Sequence[str], texts: Iterable[str]) -> list[Lines]:
    """Find where pieces of a file stand in it, each whole and in one place alone."""
    whole, numbers = _join(file), list[int]()
    for text in texts:
        wanted = _join(lines := text.split("\n"))
        at = whole.find(wanted)
        if text.strip() and at >= 0 and whole.find(wanted, at + 1) < 0:
            first = whole.count("\n", 0, at) + 1
            numbers += range(first, first + len(lines))
    return join_numbers(numbers)


def join_numbers(numbers: Iterable[int]) -> list[Lines]:
    """Join numbers to ranges, in order."""
    joined: list[Lines] = []
    for number in sorted(set(numbers)):
        if joined and joined[-1][1] == number - 1:
            joined[-1] = joined[-1][0], number
        else:
            joined.append((number, number))
    return joined


def find_numbered(
    file: Sequence[str], answer: Iterable[str], start_line: int, end_line: int
) -> list[int]:
    """Find the lines that stand behind their own numbers."""
    return [
        number
        for line in answer
        if (found := _NUMBERED.fullmatch(line)) is not None
        and start_line <= (number := int(found[1])) <= end_line
        and file[number - 1] in (found[2], line[found.start(2) - 1 :])
    ]


class Block:
    """Neighbouring lines that an answer is to show.

    `is_first` says that nothing else is shown before them, `is_last` that nothing is after them:
    then they are where the answer begins or ends, though others in the file are like them.
    """

    def __init__(self, lines: Sequence[str], *, is_first: bool, is_last: bool) -> None:
        self.lines = lines
        self.is_first = is_first
        self.is_last = is_last
        filled = [at for at, line in enumerate(lines) if line.strip()]
        self.start, self.stop = (filled[0], filled[-1] + 1) if filled else (0, 0)
        self.text = _join(lines)

    def has_once(self, first: int, stop: int) -> bool:
        """Whether no other lines are like these."""
        wanted = _join(self.lines[first:stop])
        at = self.text.find(wanted)
        return self.text.find(wanted, at + 1) < 0


def find_block(
    block: Block, answer: Sequence[str], begin: int
) -> tuple[list[tuple[int, int]], int]:
    """Find the pieces of a block that stand in an answer from `begin` on, and where they end there.

    Agents strip blank lines from both ends of an answer, and put some around what they leave out.
    So those at the ends of a block are shown where all others are; those beside a gap are not.
    """
    if block.start == block.stop:
        return [], begin
    whole = _find(answer, block.lines[block.start : block.stop], begin)
    if whole is not None:
        return [(0, len(block.lines))], _skip_blank(block, answer, whole + block.stop - block.start)
    head, stop = _find_head(block, answer, begin)
    tail, stop = _find_tail(block, answer, stop, head[1])
    pieces = (_strip_blank(block, *piece) for piece in (head, tail))
    return [piece for piece in pieces if piece[0] < piece[1]], stop


def _strip_blank(block: Block, first: int, stop: int) -> tuple[int, int]:
    """A piece without blank lines at its ends."""
    filled = [at for at in range(first, stop) if block.lines[at].strip()]
    return (filled[0], filled[-1] + 1) if filled else (first, first)


def _find(answer: Sequence[str], lines: Sequence[str], begin: int) -> int | None:
    """Find where lines stand in an answer, one below the other."""
    text = _join(answer[begin:])
    at = text.find(_join(lines))
    return None if at < 0 else begin + text.count("\n", 0, at)


def _join(lines: Sequence[str]) -> str:
    return "\n" + "".join(f"{line}\n" for line in lines)


def _skip_blank(block: Block, answer: Sequence[str], at: int) -> int:
    """Where the blank lines that end a block end in an answer."""
    left = len(block.lines) - block.stop
    blank = _count_equal(block.lines[block.stop :], answer[at : at + left])
    return at + blank


def _find_head(block: Block, answer: Sequence[str], begin: int) -> tuple[tuple[int, int], int]:
    """Find how many lines from the first on stand in an answer, and where they end there."""
    best, end = (block.start, block.start), begin
    for at in _places(answer, block.lines[block.start], range(begin, len(answer))):
        count = _count_equal(block.lines[block.start : block.stop], answer[at:])
        piece = block.start, block.start + count
        is_sure = (block.is_first and at == begin) or block.has_once(*piece)
        if is_sure and count > best[1] - best[0]:
            best, end = piece, at + count
    return best, end


def _find_tail(
    block: Block, answer: Sequence[str], begin: int, first: int
) -> tuple[tuple[int, int], int]:
    """Find how many lines to the last one, behind `first`, stand in an answer from `begin` on."""
    best, end = (block.stop, block.stop), begin
    written = max((at for at, line in enumerate(answer) if line.strip()), default=-1)
    behind = block.lines[first : block.stop][::-1]
    for at in _places(answer, block.lines[block.stop - 1], range(len(answer) - 1, begin - 1, -1)):
        count = _count_equal(behind, answer[begin : at + 1][::-1])
        piece = block.stop - count, block.stop
        is_sure = (block.is_last and at == written) or block.has_once(*piece)
        if is_sure and count > best[1] - best[0]:
            best, end = piece, at + 1
    return best, end


def _places(answer: Sequence[str], line: str, order: Iterable[int]) -> Iterator[int]:
    found = 0
    for at in order:
        if answer[at] == line:
            yield at
            found += 1
            if found == _STARTS:
                return


def _count_equal(lines: Sequence[str], others: Sequence[str]) -> int:
    pairs = zip(lines, others, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(lines), len(others)))
