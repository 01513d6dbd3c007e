"""shell_reads.py: find the lines of files that a shell command has shown.

Only commands that print lines of one file as they are count, and only lines that stand in the
output: agents are often shown a part of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from hkgit.agents.events import END, Shell, ToolReading

_SED = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_HEAD = re.compile(r"-n?(\d+)")
_NUMBER = re.compile(r"\s*\d+[\t:|]")
_WRAPPERS = ("bash", "sh", "zsh")


def readings(shell: Shell, directory: Path) -> Iterator[ToolReading]:
    """What a command has shown of files."""
    output = [_forms(line) for line in shell.output.replace("\r\n", "\n").split("\n")]
    for read in find_requested_lines(shell.command):
        try:
            text = Path(directory, read.path).read_bytes().decode()
        except (OSError, ValueError):
            continue
        lines = text.replace("\r\n", "\n").split("\n")
        last = min(read.end_line, len(lines) - (lines[-1] == ""))
        shown = _count_shown_lines(lines[read.start_line - 1 : last], output)
        if shown:
            yield ToolReading(read.path, read.start_line, read.start_line + shown - 1)


def _forms(line: str) -> frozenset[str]:
    """What a line of output may be of a file: itself, or what stands behind its number."""
    bare = _NUMBER.sub("", line, count=1)
    return frozenset((line, bare, bare.removeprefix(" ")))


def _count_shown_lines(lines: Sequence[str], output: Sequence[frozenset[str]]) -> int:
    """How many of the lines, from the first on, stand in the output one below the other."""
    starts = (at for at, forms in enumerate(output) if lines and lines[0] in forms)
    return max((_run(lines, output[at:]) for at in starts), default=0)


def _run(lines: Sequence[str], output: Sequence[frozenset[str]]) -> int:
    pairs = zip(lines, output, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] in pair[1], pairs))


def find_requested_lines(command: str) -> Iterator[ToolReading]:
    """The lines that a command asks for; of several commands, those of each."""
    for piece in re.split(r"&&|;|\n", command):
        stages = [_words(stage) for stage in piece.split("|")]
        if stages and len(stages[0]) > 2 and Path(stages[0][0]).name in _WRAPPERS:
            yield from find_requested_lines(stages[0][-1])
            continue
        first = _first(stages[0]) if stages else None
        if first is not None and len(stages) == 1:
            yield first
        elif first is not None and len(stages) == 2 and first.end_line == END:
            lines = _lines(stages[1])
            if lines is not None:
                yield ToolReading(first.path, *lines)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _first(words: list[str]) -> ToolReading | None:
    """`cat FILE`, `nl -ba FILE`, `sed -n A,Bp FILE`, `head -n N FILE`."""
    if len(words) < 2 or words[-1].startswith("-"):
        return None
    path, program = words[-1], words[0]
    if program == "cat" and set(words[1:-1]) <= {"-n", "--"}:
        return ToolReading(path, 1, END)
    if program == "nl" and set(words[1:-1]) <= {"-ba", "-b", "a"}:
        return ToolReading(path, 1, END)
    lines = _lines(words[:-1])
    return None if lines is None else ToolReading(path, *lines)


def _lines(words: list[str]) -> tuple[int, int] | None:
    """The lines that `sed -n A,Bp` or `head -n N` lets through."""
    if len(words) == 3 and words[:2] == ["sed", "-n"]:
        found = _SED.fullmatch(words[2])
        if found is None or found[1] == "0":
            return None
        last = found[2] or found[1]
        return int(found[1]), END if last == "$" else int(last)
    if len(words) in (2, 3) and words[0] == "head":
        found = _HEAD.fullmatch("".join(words[1:]))
        return None if found is None else (1, int(found[1]))
    return None
