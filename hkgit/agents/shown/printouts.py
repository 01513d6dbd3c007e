"""printouts.py: find the lines of files that a loop has shown, in the one text that it prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from hkgit.agents.events import ToolReading
from hkgit.agents.shown.commands import Asked
from hkgit.agents.shown.lines import Block, find_block, join_numbers, split_lines
from hkgit.agents.shown.loops import list_printed
from hkgit.values import dataclass

_LARGEST = 2**20
"""What larger files hold is not looked for."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of what is printed, and which line of which file it is; of none, number 0."""

    text: str
    path: str = ""
    number: int = 0


def find_printed(
    asked: Asked, directory: Path, answer: Sequence[str], at: int
) -> tuple[list[ToolReading], int]:
    """Find the lines that a loop has shown in an answer from `at` on, and where they end there."""
    best: tuple[list[ToolReading], int] = [], at
    most = 0
    # Agents tell where a command began, or where it has ended: after a `cd`, that is.
    for folder in dict.fromkeys((asked.folder, "")):
        for lines in _list_orders(asked, Path(directory, folder)):
            block = Block([x.text for x in lines], is_first=asked.is_first, is_last=asked.is_last)
            pieces, end = find_block(block, answer, at)
            whole = "\n".join(["", *answer, ""])
            shown = [line for piece in pieces for line in _find_sure(lines, *piece, whole)]
            if len(shown) > most:
                best, most = (_join(shown, folder), end), len(shown)
    return best


def _list_orders(asked: Asked, folder: Path) -> Iterator[list[PrintedLine]]:
    """Yield what may have been printed."""
    for printed in list_printed(asked.loop, folder) if asked.loop is not None else ():
        lines = _list_lines(printed, folder)
        yield [lines[number - 1] for number in asked.choose(range(1, len(lines) + 1))]


def _list_lines(printed: Sequence[tuple[str, str]], folder: Path) -> list[PrintedLine]:
    """The lines of all that is printed; what stands behind a file without a last line end joins."""
    lines: list[PrintedLine] = []
    is_open = False
    for program, text in printed:
        new, is_ended = [PrintedLine(text)], True
        if program == "cat":
            new, is_ended = _read(folder, text)
        if is_open and lines and new:
            lines[-1:] = [PrintedLine(lines[-1].text + new.pop(0).text)]
        lines += new
        is_open = not is_ended if new or not is_ended else is_open
    return lines


def _read(folder: Path, path: str) -> tuple[list[PrintedLine], bool]:
    """The lines of a file, and whether the last one has an end; none of one that is no text."""
    try:
        place = folder / path
        data = place.read_bytes() if place.stat().st_size <= _LARGEST else b""
    except (OSError, ValueError):
        return [], True
    lines = split_lines(data) or []
    return [PrintedLine(text, path, n) for n, text in enumerate(lines, 1)], data.endswith(b"\n")


def _find_sure(
    wanted: Sequence[PrintedLine], first: int, stop: int, answer: str
) -> Iterator[PrintedLine]:
    """Yield the lines of a piece that are surely those of their files.

    A file that was not there yet may be like a part of the answer. So of an answer that was cut
    those beside the gap do not count, nor those that stand in it twice; blank ones never do.
    """
    files = [(path, [*lines]) for path, lines in groupby(wanted[first:stop], lambda x: x.path)]
    sure = files[first > 0 : len(files) - (stop < len(wanted))]
    for path, lines in sure:
        text = "\n".join(["", *(line.text for line in lines), ""])
        is_once = answer.find(text, answer.find(text) + 1) < 0
        if path and text.strip() and (is_once or len(sure) == len(files)):
            yield from lines


def _join(shown: Sequence[PrintedLine], folder: str) -> list[ToolReading]:
    paths = dict.fromkeys(line.path for line in shown if line.number)
    return [
        ToolReading(str(Path(folder, path)), *lines)
        for path in paths
        for lines in join_numbers(line.number for line in shown if line.path == path)
    ]
