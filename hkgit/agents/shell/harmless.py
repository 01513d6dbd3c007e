"""harmless.py: tell the commands that only look: whatever they are given, they change no file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from hkgit.agents.shown.commands import BREAKS, WRAPPERS, split_words
from hkgit.agents.shown.filters import parse_filter

_LOOKING = frozenset(
    (
        *("cat", "nl", "head", "tail", "grep", "egrep", "fgrep", "rg", "ls", "find", "pwd", "cd"),
        *("wc", "sleep", "true", "false", "echo", "printf", "stat", "diff", "cmp", "cut", "test"),
    )
)
_GIT = ("status", "diff", "log", "show", "blame", "ls-files", "rev-parse", "grep")
_WRITING = ("--output", "--ext-diff", "-exec", "-ok", "-delete", "-fprint", "-fls", "--pre")
_INNER = ("`", "$(", "<(", "<<")
_QUIET = re.compile(r"(?:[12&]?>\s*/dev/null|2>&1)(?=[\s;|&)]|$)")


def is_harmless(command: str) -> bool:
    """Whether a command surely changes no file; of a program of one's own that is not known."""
    if any(each in command for each in _INNER):
        return False
    stages = [*_split_stages(split_words(_QUIET.sub(" ", command)))]
    return bool(stages) and all(map(_is_looking, stages))


def _split_stages(words: Sequence[str]) -> Iterator[list[str]]:
    stage: list[str] = []
    for word in [*words, ";"]:
        if word not in BREAKS and word not in ("|", "|&"):
            stage.append(word)
        elif stage:
            yield stage
            stage = []


def _is_looking(words: Sequence[str]) -> bool:
    program, options = PurePosixPath(words[0]).name, words[1:]
    if any(set(word) <= set("<>|&()") and word for word in words):
        return False
    if any(word.startswith(_WRITING) for word in options):
        return False
    if program in WRAPPERS:
        return len(options) == 2 and options[0] in ("-c", "-lc") and is_harmless(options[1])
    if program == "git":
        return bool(options) and options[0] in _GIT
    return program in _LOOKING or _is_printing(words)


def _is_printing(words: Sequence[str]) -> bool:
    """Whether `sed` or `awk` prints lines by their numbers alone."""
    if PurePosixPath(words[0]).name not in ("sed", "awk"):
        return False
    return any(
        parse_filter(words[:count]) is not None
        and not any(word.startswith("-") for word in words[count:])
        for count in range(2, len(words) + 1)
    )
