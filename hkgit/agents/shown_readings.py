"""Find the lines of files that a tool, or a shell command, has shown.

Only lines that are asked for and stand in the answer: agents are often shown a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from hkgit.agents.events import END, Shell, Snippets, ToolReading
from hkgit.agents.shell_words import Asked, does_print_plainly, find_asked_lines
from hkgit.agents.shown_lines import (
    Block,
    find_block,
    find_numbered,
    find_shown_lines,
    find_snippets,
    join_numbers,
    split_answer,
    split_lines,
)

_FOUND = re.compile(r"([^:\n]+):\d+:")
_MOST = 64
"""So many readings are kept of one call at most."""

_PATTERN = re.compile(r"[*?\[]")
_LARGEST = 32 * 2**20
_LONG = 10**6
_NOTHING = 1, 0
"""The lines of an empty file: no answer could leave one of them out."""


def find_readings(did: ToolReading | Snippets | Shell, directory: Path) -> Iterator[ToolReading]:
    """Find what a call has shown of files, as far as its answer tells."""
    if isinstance(did, Shell):
        return islice(dict.fromkeys(_find_in_output(did, directory)), _MOST)
    if isinstance(did, ToolReading) and did.answer is None:
        return iter([did])
    file = _load(directory, did.path)
    shown = [] if file is None else _find_shown(did, file)
    return islice((ToolReading(did.path, *lines) for lines in shown), _MOST)


def _find_shown(did: ToolReading | Snippets, file: Sequence[str]) -> list[tuple[int, int]]:
    if isinstance(did, Snippets):
        return find_snippets(file, did.texts)
    if not file:
        return [_NOTHING]
    return find_shown_lines(file, did.answer or "", did.start_line, did.end_line)


def _find_in_output(shell: Shell, directory: Path) -> Iterator[ToolReading]:
    answer, at = split_answer(shell.output), 0
    for asked in find_asked_lines(shell.command, shell.folder):
        if _PATTERN.search(asked.path) and not asked.is_search:
            readings, at = _find_matched(asked, directory, answer, at)
            yield from readings
            continue
        # Agents tell where a command began, or where it has ended: after a `cd`, that is.
        for folder in dict.fromkeys((asked.folder, "")):
            path = str(Path(folder, asked.path))
            file = _load(directory, path)
            if file == [] and not asked.is_search:
                yield ToolReading(path, *_NOTHING)
                break
            numbers, at = _find_numbers(asked, file, answer, at)
            if numbers:
                yield from (ToolReading(path, *lines) for lines in join_numbers(numbers))
                break
        else:
            if asked.is_search:
                yield from _find_hits(asked, directory, answer)


def _find_matched(
    asked: Asked, directory: Path, answer: Sequence[str], at: int
) -> tuple[list[ToolReading], int]:
    """Find the files that a `cat` of a pattern has shown, where all of them stand in the answer.

    Which files there were is not told: each counts if those that match now are there, one behind
    the other and nothing between. Of an answer that was cut, none does.
    """
    # Few commands name a pattern.
    from glob import iglob

    for folder in dict.fromkeys((asked.folder, "")):
        # As in a shell it leaves out what begins with a dot; that of `pathlib` does not.
        found = iglob(asked.path, root_dir=directory / folder)  # noqa: PTH207
        names = sorted(islice(found, _MOST))
        files = {str(Path(folder, name)): _load(directory, folder, name) for name in names}
        text = [line for lines in files.values() for line in lines or ()]
        numbers = range(1, len(text) + 1)
        if not any(map(str.strip, text)) or asked.choose(numbers) != numbers:
            continue
        if all(lines is not None and _is_ended(directory / path) for path, lines in files.items()):
            block = Block(text, is_first=True, is_last=True)
            pieces, end = find_block(block, answer, at)
            if pieces == [(0, len(text))]:
                shown = ((path, len(lines or ())) for path, lines in files.items())
                return [ToolReading(path, 1, count) for path, count in shown if count], end
    return [], at


def _is_ended(path: Path) -> bool:
    """Whether a file ends with a line feed, so that the next one begins on a line of its own."""
    try:
        return path.read_bytes()[-1:] in (b"", b"\n")
    except OSError:
        return False


def _find_numbers(
    asked: Asked, file: Sequence[str] | None, answer: Sequence[str], at: int
) -> tuple[list[int], int]:
    """Find the lines of one file that a command printed, and where they end in its output."""
    if file is None:
        return [], at
    wanted = asked.choose(range(1, len(file) + 1))
    bare = _strip_name(answer, asked.path) if asked.is_search else answer
    numbered = {*find_numbered(file, bare, 1, len(file))} & {*wanted}
    if asked.is_search:
        return [*numbered], at
    lines = [file[number - 1] for number in wanted]
    block = Block(lines, is_first=asked.is_first, is_last=asked.is_last)
    pieces, at = find_block(block, answer, at)
    return [*numbered, *(wanted[n] for first, stop in pieces for n in range(first, stop))], at


def _find_hits(asked: Asked, directory: Path, answer: Sequence[str]) -> Iterator[ToolReading]:
    """Find the lines of the files that a search has found by itself; it names them in each line."""
    names = dict.fromkeys(found[1] for line in answer if (found := _FOUND.match(line)))
    folder = Path(asked.folder)
    # A tool that was asked to search in one file tells its name alone.
    folder = folder.parent if Path(directory, folder).is_file() else folder
    for name in islice(names, _MOST):
        file = _load(directory, folder, name)
        if file is not None:
            numbers = find_numbered(file, _strip_name(answer, name, only=True), 1, len(file))
            path = str(Path(folder, name))
            yield from (ToolReading(path, *lines) for lines in join_numbers(numbers))


def _strip_name(answer: Sequence[str], name: str, *, only: bool = False) -> list[str]:
    """The lines of an answer without the name of a file before them; `only` those with one."""
    starts = (f"{name}:", f"{name}-")
    bare = [line[len(name) + 1 :] for line in answer if line.startswith(starts)]
    return bare if only else [*chain(bare, (x for x in answer if not x.startswith(starts)))]


def _load(*place: Path | str) -> list[str] | None:
    """Load the lines of a file; None where there is no such text."""
    path = Path(*place)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return split_lines(path.read_bytes())
    except (OSError, ValueError):
        return None


def find_printed_files(command: str) -> list[ToolReading]:
    """Find the lines of files that a command prints as they are, one file after the other.

    Nothing where it prints anything else as well, or changes what it prints.
    """
    asked = find_asked_lines(command)
    found = [*_list_requested(asked)] if does_print_plainly(command) else []
    is_all = bool(found) and len(found) == len(asked) and asked[0].is_first and asked[-1].is_last
    return found if is_all else []


def find_requested_lines(command: str) -> Iterator[ToolReading]:
    """Find the lines that a command asks for in whatever file, where their numbers are said."""
    yield from _list_requested(find_asked_lines(command))


def _list_requested(found: Sequence[Asked]) -> Iterator[ToolReading]:
    if any(_PATTERN.search(asked.path) and not asked.is_search for asked in found):
        return  # which files there were is not told
    for asked in found:
        numbers, others = (asked.choose(range(1, count + 1)) for count in (_LONG, 2 * _LONG))
        if asked.is_search or not numbers or numbers[0] != others[0]:
            continue
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            last = END if numbers[-1] != others[-1] else numbers[-1]
            yield ToolReading(str(Path(asked.folder, asked.path)), numbers[0], last)
