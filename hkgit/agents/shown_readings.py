"""What a call has shown, by its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from hkgit.agents.events import NotebookReading, Shell, Snippets, ToolReading
from hkgit.text.shown_lines import (
    find_pieces,
    find_shown_files,
    find_shown_lines,
    find_snippets,
    split_answer,
    split_lines,
)

_LOOKING = (
    r"(?:cat|nl|head|tail|e?grep|fgrep|rg|ls|find|pwd|cd|wc|sleep|true|false|echo|printf|stat|diff"
    r"|cmp|cut|test|git (?:status|diff|log|show|blame|ls-files|rev-parse|grep))(?:\s|$)"
    r"|sed -n [\d,$]+p(?:\s+[^\s-]\S*)*$"
)
_WRITING = (
    r"[`<>]|\$\(|\s(?:--out|--ext(?!ended)|--pre\b|--op|--hostname|-\w*O|-exec|-ok|-del|-fpr|-fls)"
)
"""Options of programs that look by which they write, or run others; git takes parts of names."""

_INNER = r"(?s)(?:ba|z)?sh -l?c (['\"])(.*)\1"
_QUIET = r"(?:[12&]?>\s*/dev/null|2>&1)(?=[\s;|&)]|$)"


def is_harmless(command: str) -> bool:
    """Whether a command surely changes no file; of a program of one's own that is not known."""
    command = re.sub(_QUIET, " ", command).strip()
    inner = re.fullmatch(_INNER, command)
    command = inner[2] if inner else command
    if any(command.count(quote) % 2 for quote in "'\""):
        return False
    command = re.sub(r"['\"\\]", "", command)
    if re.search(_WRITING, command):
        return False
    # What is cut at a sign within quotes begins with no program that looks: it counts as writing.
    stages = re.split(r"\|\|?|&&?|;|\n", command)
    return all(re.match(_LOOKING, stage.strip()) for stage in stages)


_NAME = r"[^\s'\"`|&;<>(){}=,:$\\]+"
_QUOTED = r"'([^'\n]+)'|\"([^\"\n]+)\""
_FOLDER = r"\bcd\s+(?:--\s+)?['\"]?([^\s'\"&;|)]+)"
_PRINTING = r"\b(?:cat|nl|head|tail|sed|less|more|bat)\s"
_RANGE = r"\b(\d+)(?:,(\d+))?p\b"


def list_names(command: str) -> list[str]:
    """List what may be names of files in a command, in the order in which they are there."""
    quoted = (one or two for one, two in re.findall(_QUOTED, command))
    return [*dict.fromkeys([*re.findall(_NAME, command), *quoted])]


def list_folders(shell: Shell) -> list[str]:
    """List where the files may be that a command names: agents tell where it began, or ended."""
    ended = str(PurePosixPath(shell.folder, *re.findall(_FOLDER, shell.command)))
    return [*dict.fromkeys([ended, shell.folder, ""])]


def find_ranges(command: str) -> dict[int, int]:
    """Find the first and the last line of each range that a command prints (`sed -n 3,9p`)."""
    return {int(first): int(last or first) for first, last in re.findall(_RANGE, command)}


_HIT = r"([^:\n]+):\d+:"
_MOST = 64
"""So many readings are kept of one call at most, and so many files are looked at."""

_MOST_WORDS = 1000
"""So many words of a command are taken for names of files: each may be one."""

_PATTERN = r"[*?\[]"
_LARGEST = 32 * 2**20
_NOTHING = 1, 0
"""The lines of an empty file: no answer could leave one of them out."""

Shown = ToolReading | Snippets | NotebookReading | Shell


def find_readings(did: Shown, directory: Path) -> Iterator[ToolReading]:
    """Find what a call has shown of files, as far as its answer tells."""
    if isinstance(did, Shell):
        return islice(dict.fromkeys(_find_in_output(did, directory)), _MOST)
    if isinstance(did, NotebookReading):
        from hkgit.agents.tool_answers import find_cells  # few files are notebooks

        return find_cells(did, directory)
    if isinstance(did, ToolReading) and did.answer is None:
        return iter([did])
    file = _load(directory, did.path)
    if isinstance(did, Snippets):
        shown = find_snippets(file or (), did.texts)
    elif file:
        shown = find_shown_lines(file, did.answer or "", did.start_line, did.end_line)
    else:
        shown = [] if file is None else [_NOTHING]
    return islice((ToolReading(did.path, *lines) for lines in shown), _MOST)


def _find_in_output(shell: Shell, directory: Path) -> Iterator[ToolReading]:
    # One that prints files leaves nothing out of an empty one.
    does_print = re.search(_PRINTING, shell.command) is not None
    if not shell.output.strip() and not does_print:
        return
    folders = list_folders(shell)

    def find_hit(name: str) -> str | None:
        # A tool that was asked to search in one file tells its name alone.
        places = [str(PurePosixPath(folder, name)) for folder in folders]
        places += [each for each in list_names(shell.command) if PurePosixPath(each).name == name]
        return next((each for each in places if _load(directory, each)), None)

    hits, answer = split_hits(shell.output, find_hit)
    for path, lines in hits.items():
        yield from (
            ToolReading(path, *x) for x in find_shown_lines(_load(directory, path) or (), lines)
        )
    names = [str(PurePosixPath(x, name)) for x in folders for name in list_names(shell.command)]
    plain = (each for each in dict.fromkeys(names) if not re.search(_PATTERN, each))
    read = ((path, _load(directory, path)) for path in islice(plain, _MOST_WORDS))
    loaded = dict(islice(((path, lines) for path, lines in read if lines is not None), _MOST))
    files = {path: lines for path, lines in loaded.items() if lines}
    if does_print:
        yield from (ToolReading(path, *_NOTHING) for path, lines in loaded.items() if not lines)
    found = find_shown_files(files, answer, shell.command, find_ranges(shell.command))
    yield from (ToolReading(path, *lines) for path, each in found.items() for lines in each)
    for pattern in dict.fromkeys(each for each in names if re.search(_PATTERN, each)):
        yield from _find_matched(pattern, directory, answer)


def split_hits(
    output: str, find_hit: Callable[[str], str | None]
) -> tuple[dict[str, str], list[str]]:
    """Split an answer into the lines behind the name of a file, by its path, and all others."""
    lines, hits = split_answer(output), dict[str, str]()
    names = dict.fromkeys(found[1] for line in lines if (found := re.match(_HIT, line)))
    for name in islice(names, _MOST):
        if (path := find_hit(name)) is not None:
            starts = (f"{name}:", f"{name}-")
            own = [line[len(name) + 1 :] for line in lines if line.startswith(starts)]
            lines = [line for line in lines if not line.startswith(starts)]
            hits[path] = "\n".join(own)
    return hits, lines


def _find_matched(pattern: str, directory: Path, answer: Sequence[str]) -> Iterator[ToolReading]:
    """Find the files that match a pattern, where all of them are in the answer, in their order.

    Which files there were is not told: each counts if those that match now are there, one behind
    the other and nothing between. Of an answer that was cut, none does.
    """
    # Few commands name a pattern.
    from glob import iglob

    # As a shell does and `Path.glob` does not, it leaves out what begins with a dot.
    found = sorted(islice(iglob(pattern, root_dir=directory), _MOST))  # noqa: PTH207 - see above
    loaded = {path: _load(directory, path) for path in found if _is_ended(directory / path)}
    files = {path: lines for path, lines in loaded.items() if lines is not None}
    text = [line for lines in files.values() for line in lines]
    pieces = find_pieces(text, answer) if len(files) == len(found) else []
    if [(each.first, each.stop) for each in pieces] == [(0, len(text))]:
        yield from (ToolReading(path, 1, len(lines)) for path, lines in files.items() if lines)


def _is_ended(path: Path) -> bool:
    """Whether a file ends with a line feed, so that the next one begins on a line of its own."""
    try:
        return path.read_bytes()[-1:] in (b"", b"\n")
    except OSError:
        return False


def _load(*place: Path | str) -> list[str] | None:
    """Load the lines of a file; None where there is no such text."""
    path = Path(*place)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return split_lines(path.read_bytes())
    except (OSError, ValueError):
        return None
