"""Find which lines of a file are in an answer that an agent was given.

An answer holds lines as they are or behind their numbers, with other text around them and pieces
left out. A line that may be elsewhere in the file as well is not found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from hkgit.text.diff import join_lines
from hkgit.text.document import Document, Lines
from hkgit.values import dataclass

_NUMBERED = r"(?s)\s*0*(\d{1,9})(?:\t|→|\. | ?\| ?|: ?|-)(.*)"
_QUOTING = r"[\\'\"]"

_PLACES = 200  # So many places of a file are tried at most for a line of an answer

_TAKEN = "\0"  # Represents a line of an answer that is another file's: no text has it


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
    behind = (_read_number(file, line) for line in lines)
    numbers = [number for number in behind if number and start_line <= number <= last]
    if not numbers:
        pieces = find_pieces(file[start_line - 1 : last], lines)
        numbers = [start_line + at for each in pieces for at in range(each.first, each.stop)]
    return join_lines((each, each) for each in numbers)


def find_snippets(file: Sequence[str], texts: Iterable[str]) -> list[Lines]:
    """Find where pieces of a file are in it, each whole and in one place alone."""
    whole, numbers = _join(file), list[int]()
    for text in texts:
        wanted = _join(lines := text.split("\n"))
        at = whole.find(wanted)
        if text.strip() and at >= 0 and whole.find(wanted, at + 1) < 0:
            first = whole.count("\n", 0, at) + 1
            numbers += range(first, first + len(lines))
    return join_lines((each, each) for each in numbers)


def find_shown_files(
    files: Mapping[str, Sequence[str]], answer: Sequence[str], said: str, asked: Mapping[int, int]
) -> dict[str, list[Lines]]:
    """Find which lines of some files an answer shows that does not tell them apart.

    Each line of the answer is evidence for one file: the one of which it shows most. What the
    question `said` itself is none. `asked` are the first and last numbers of lines it asked for.
    """
    numbers = _share_numbered(files, answer)
    rest, left = [*answer], dict(files)
    while left:
        found = {
            path: [
                each
                for each in find_pieces(lines, rest, asked)
                if _is_evidence(lines, each, rest, said, asked)
            ]
            for path, lines in left.items()
        }
        left = {path: left[path] for path, pieces in found.items() if pieces}
        if not left:
            break
        path = max(left, key=lambda each: sum(x.stop - x.first for x in found[each]))
        del left[path]
        for piece in found[path]:
            numbers[path].update(range(piece.first + 1, piece.stop + 1))
            rest[piece.at : piece.end] = [_TAKEN] * (piece.end - piece.at)
    return {
        path: join_lines((each, each) for each in found) for path, found in numbers.items() if found
    }


def _is_evidence(
    file: Sequence[str],
    piece: ShownPiece,
    answer: Sequence[str],
    said: str,
    asked: Mapping[int, int],
) -> bool:
    """Whether a piece is surely shown of the file: a single line may be any program's word."""
    lines, filled = _list_filled(file[piece.first : piece.stop]), _list_filled(file)
    if all(_is_said(file[piece.first + at], said) for at in lines):
        return False
    shown = _list_filled(answer)
    begins = piece.first <= filled[0] and piece.at == shown[0]
    ends = piece.stop > filled[-1] and piece.end > shown[-1]
    is_all = len(lines) in (len(filled), len(shown))
    return len(lines) > 1 or begins or ends or is_all or piece.first + 1 in asked


def _is_said(line: str, question: str) -> bool:
    """Whether a question holds a line, as words to print or to search for do."""
    wanted, words = (re.sub(_QUOTING, "", each.strip()) for each in (line, question))
    return re.search(rf"(?<![\w./-]){re.escape(wanted)}(?![\w./-])", words) is not None


def _read_number(file: Sequence[str], line: str) -> int | None:
    """Read the number before a line that a file has there."""
    found = re.fullmatch(_NUMBERED, line)
    if found is None or not 1 <= (number := int(found[1])) <= len(file):
        return None
    return number if file[number - 1] in (found[2], line[found.start(2) - 1 :]) else None


def _share_numbered(
    files: Mapping[str, Sequence[str]], answer: Sequence[str]
) -> dict[str, set[int]]:
    """Share out the lines behind their numbers: one that several files have must occur as often."""
    copies = Counter(line for line in answer if re.fullmatch(_NUMBERED, line))
    owners = {
        line: {path: found for path, file in files.items() if (found := _read_number(file, line))}
        for line in copies
    }
    shared: dict[str, set[int]] = {path: set() for path in files}
    for line, places in owners.items():
        for path in places if copies[line] >= len(places) else ():
            shared[path].add(places[path])
    return shared


@dataclass(frozen=True)
class ShownPiece:
    """Lines of a file from `first` to before `stop`, which an answer shows from `at` to `end`."""

    first: int
    stop: int
    at: int
    end: int


def find_pieces(
    file: Sequence[str], answer: Sequence[str], asked: Mapping[int, int] | None = None
) -> list[ShownPiece]:
    """Find the pieces of a file that are in an answer and in one place of the file alone.

    Others may be like them where lines were `asked` for by their first number and their last; or,
    where all of the file was, where both the answer and the file begin or end.

    Agents strip blank lines from both ends of an answer, and put some around what they leave out.
    So those at the ends of a file are shown where all others are; those beside a gap are not.
    """
    filled = _list_filled(file)
    if not filled:
        return []
    start, stop = filled[0], filled[-1] + 1
    text, wanted = _join(answer), _join(file[start:stop])
    if (at := text.find(wanted)) >= 0:
        first = text.count("\n", 0, at)
        return [ShownPiece(0, len(file), first, first + stop - start)]
    return [*_list_pieces(file, answer, (filled[0], filled[-1]), asked)]


def _list_pieces(
    file: Sequence[str], answer: Sequence[str], ends: Lines, asked: Mapping[int, int] | None
) -> Iterator[ShownPiece]:
    whole, shown = _join(file), _list_filled(answer)
    places: dict[str, list[int]] = {}
    for at, line in enumerate(file):
        if line.strip() and len(known := places.setdefault(line, [])) < _PLACES:
            known.append(at)
    at, done = 0, set[int]()
    while at < len(answer):
        runs = [(_count_run(file, x, answer, at), x) for x in places.get(answer[at], ())]
        sure = [
            (count, first)
            for count, first in runs
            if first not in done
            and (
                (asked is None and first == ends[0] and at == shown[0])
                or (asked is None and first + count > ends[1] and at + count > shown[-1])
                or first + 1 in (asked or ())
                or _has_once(whole, file[first : first + count])
            )
        ]
        if sure:
            count, first = max(sure, key=lambda run: (run[0], -run[1]))
            done.add(first)
            last = (asked or {}).get(first + 1, 0)
            blank = takewhile(lambda line: not line.strip(), file[first + count : last])
            yield ShownPiece(first, first + count + len([*blank]), at, at + count)
        at += max([1, *(count for count, _ in sure or runs)])


def _has_once(whole: str, lines: Sequence[str]) -> bool:
    wanted = _join(lines)
    return whole.find(wanted, whole.find(wanted) + 1) < 0


def _count_run(file: Sequence[str], first: int, answer: Sequence[str], at: int) -> int:
    """Count the lines from `first` on that are in an answer from `at` on, to the last filled."""
    most, count = min(len(file) - first, len(answer) - at), 0
    while count < most and file[first + count] == answer[at + count]:
        count += 1
    while count and not file[first + count - 1].strip():
        count -= 1
    return count


def _join(lines: Sequence[str]) -> str:
    return "\n" + "".join(f"{line}\n" for line in lines)


def _list_filled(lines: Sequence[str]) -> list[int]:
    """List where lines are that hold more than whitespace, from 0."""
    return [at for at, line in enumerate(lines) if line.strip()]
