"""harmless.py: tell the commands that only look: whatever they are given, they change no file."""

from __future__ import annotations

import re

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
