"""What the words of a shell command tell: whether it writes, and which files it names."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_LOOKING = re.compile(
    r"(?:cat|nl|head|tail|e?grep|fgrep|rg|ls|find|pwd|cd|wc|sleep|true|false|echo|printf|stat|diff"
    r"|cmp|cut|test|git (?:status|diff|log|show|blame|ls-files|rev-parse|grep))(?:\s|$)"
    r"|sed -n [\d,$]+p(?:\s+[^\s-]\S*)*$"
)
_WRITING = re.compile(r"[`<>]|\$\(|\s(?:--output|--ext-diff|--pre|-exec|-ok|-del|-fpr|-fls)")
_INNER = re.compile(r"(?:ba|z)?sh -l?c (['\"])(.*)\1", re.DOTALL)
_QUIET = re.compile(r"(?:[12&]?>\s*/dev/null|2>&1)(?=[\s;|&)]|$)")


def is_harmless(command: str) -> bool:
    """Whether a command surely changes no file; of a program of one's own that is not known."""
    command = _QUIET.sub(" ", command).strip()
    inner = _INNER.fullmatch(command)
    command = inner[2] if inner else command
    if any(command.count(quote) % 2 for quote in "'\""):
        return False
    command = re.sub(r"['\"\\]", "", command)
    if _WRITING.search(command):
        return False
    # What is cut at a sign within quotes begins with no program that looks: it counts as writing.
    stages = re.split(r"\|\|?|&&?|;|\n", command)
    return all(_LOOKING.match(stage.strip()) for stage in stages)


_NAME = re.compile(r"[^\s'\"`|&;<>(){}=,:$\\]+")
_QUOTED = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"")
_FOLDER = re.compile(r"\bcd\s+(?:--\s+)?['\"]?([^\s'\"&;|)]+)")
_PRINTING = re.compile(r"\b(?:cat|nl|head|tail|sed|less|more|bat)\s")
_RANGE = re.compile(r"\b(\d+)(?:,(\d+))?p\b")


def list_names(command: str) -> list[str]:
    """List what may be names of files in a command, in the order in which they stand there."""
    quoted = (one or two for one, two in _QUOTED.findall(command))
    return [*dict.fromkeys([*_NAME.findall(command), *quoted])]


def find_folder(command: str, folder: str) -> str:
    """Find where a command that began in a folder ends."""
    return str(PurePosixPath(folder, *_FOLDER.findall(command)))


def find_ranges(command: str) -> dict[int, int]:
    """Find the first and the last line of each range that a command prints (`sed -n 3,9p`)."""
    return {int(first): int(last or first) for first, last in _RANGE.findall(command)}


def does_print(command: str) -> bool:
    """Whether a command prints files, so that of an empty one nothing is left out."""
    return _PRINTING.search(command) is not None
