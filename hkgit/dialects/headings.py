"""File names and fences around blocks in prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from hkgit.dialects.dialect import Exists

MAX_LINES_ABOVE = 3
MAX_NAME = 1000

_FENCE = r"\s*(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)"
_LEAD = r"(?:#+\s*|//\s*|[-*+]\s+|[0-9]+[.)]\s+)+"
_TAGGED = r"<(path|file_path)>(.+)</\1>"
_LABEL = r"(?i)(?:file ?name|file|path)\s*:[*\s]*"
_WORD = r"[^\s`<>\"']*\w[^\s`<>\"']*"
_SPACED = r"[^\s`<>\"'.]+/[^\s`<>\"'.]*(?: [^\s`<>\"',;:]+)* [^\s`<>\"',;:]*\.\w+"
"""A path with whitespace: its first word has a slash and no dot, its last one a suffix."""

_QUOTED = r"`([^`\s]+)`"
_BARE_NAME = r"[A-Z][A-Z0-9_]+|\w+file"
_LANGUAGE = r"\w+"  # In the line of a fence `dockerfile` and `makefile` are languages
_SUFFIX = r"[^.]\.\w+$|^\.\w"
_SHELLS = (
    r"(?i)bash|bat|batch|cmd|console|fish|powershell|ps1|pwsh|sh|shell|shell-session|terminal|zsh"
)


def is_fence(line: str) -> bool:
    return re.fullmatch(_FENCE, line) is not None


def is_shell_fence(line: str) -> bool:
    """Whether a line opens a fence that holds commands."""
    found = re.fullmatch(_FENCE, line)
    return found is not None and re.fullmatch(_SHELLS, found["info"].strip()) is not None


def closes(line: str, opening: str) -> bool:
    """Whether a line closes the fence that another one opened."""
    here, there = re.fullmatch(_FENCE, line), re.fullmatch(_FENCE, opening)
    if here is None or there is None or here["info"].strip():
        return False
    return here["marks"].startswith(there["marks"])


def find_name_above(
    lines: Sequence[str], first: int, head: int, exists: Exists = None
) -> str | None:
    """Find the file name nearest above line `head`, at most three lines with text away.

    Looks no higher than line `first`. Both count from 0.
    """
    filled = (line for line in reversed(lines[first:head]) if line.strip())
    names = (parse_file_name(line, exists) for line in islice(filled, MAX_LINES_ABOVE))
    return next(filter(None, names), None)


def parse_file_name(line: str, exists: Exists = None) -> str | None:
    """Return the file that a whole line names, without the marks around it; None for other prose.

    A name with whitespace needs backticks or a label, unless it begins as a path does; so does a
    word without a slash or a suffix, unless it looks like `Makefile` or `LICENSE`, because prose
    has many such words; or unless it `exists`.
    """
    stripped = line.strip()
    if len(stripped) > MAX_NAME:
        return None
    tagged = re.fullmatch(_TAGGED, stripped)
    if tagged is not None:
        return tagged[2].strip()
    fence = re.fullmatch(_FENCE, stripped)
    if fence is not None:
        return _find_name_in_fence(fence["info"])
    lead = re.match(_LEAD, stripped)
    bare = stripped[lead.end() if lead else 0 :].strip("* ").rstrip("*: ")
    label = re.match(_LABEL, bare)
    bare = bare[label.end() if label else 0 :]
    if len(bare) > 2 and bare[0] == bare[-1] == "`":
        return None if "`" in bare[1:-1] else bare[1:-1]
    if bare[:1] == bare[-1:] == '"':
        bare = bare[1:-1]
    if label is not None:
        return bare if bare and "`" not in bare else None
    if re.fullmatch(_WORD, bare) is None:
        return bare if re.fullmatch(_SPACED, bare) else None
    is_known = exists is not None and exists(bare)
    return bare if is_known or _looks_like_path(bare) else None


def find_name_in_prose(lines: Sequence[str], first: int, head: int) -> str | None:
    """Find the one path in the nearest line with text above line `head`.

    It is in backticks, or has a slash and a suffix: prose has many words with only one of
    these. Returns None for no such word, or for several.
    """
    above = reversed(lines[first:head])
    prose = next((line for line in above if line.strip() and not is_fence(line)), "")
    quoted = [word for word in re.findall(_QUOTED, prose) if _looks_like_path(word)]
    words = [word.strip(".,:;()*") for word in prose.split()] if len(prose) <= MAX_NAME else []
    paths = (word for word in words if "/" in word and re.fullmatch(_WORD, word))
    bare = (path for path in paths if _looks_like_path(path.rpartition("/")[2]))
    found = {*quoted, *filter(_looks_like_path, bare)}
    return found.pop() if len(found) == 1 else None


def render_heading(path: str) -> str | None:
    """Write a line that `parse_file_name` reads as this path; None if there is no such line."""
    return next((line for line in (path, f"`{path}`") if parse_file_name(line) == path), None)


def _find_name_in_fence(info: str) -> str | None:
    """Find a path in the line of a fence; a language is none."""
    words = info.split()
    name = re.split(r"[:=]", words[-1])[-1].strip("\"'") if words else ""
    if name.islower() and re.fullmatch(_LANGUAGE, name):
        return None
    return name if re.fullmatch(_WORD, name) and _looks_like_path(name) else None


def _looks_like_path(word: str) -> bool:
    if "/" in word:
        return "://" not in word
    return (re.search(_SUFFIX, word) or re.fullmatch(_BARE_NAME, word)) is not None
