"""search_marks.py: the markers of search/replace blocks, and lines that nearly look like them.

All three markers have 5 to 12 marks. A line of text that looks like one has a `\\` in front of it.
"""

from __future__ import annotations

import re

from hkgit.values import late_pattern

MARKS = "5,12"

HEAD_MARK = (
    rf"(?:<{{{MARKS}}} ?|-{{{MARKS}}} )(?:(?i:SEARCH)>?|ORIGINAL)"
    r"(?:[ \t]+line=(?P<line>[0-9]{1,9}))?\s*"
)
TAIL_MARK = rf"(?:>{{{MARKS}}} ?|\+{{{MARKS}}} )(?:(?i:REPLACE)|UPDATED)\s*"

HEAD = late_pattern(HEAD_MARK)
DIVIDER = late_pattern(rf"={{{MARKS}}}\s*")
TAIL = late_pattern(TAIL_MARK)
START = late_pattern(r":start_line:[ \t]*\[?([0-9]{1,9})\]?\s*")
END = late_pattern(r":end_line:[ \t]*\[?[0-9]{1,9}\]?\s*")
RULE = late_pattern(rf"-{{{MARKS}}}\s*")
APPEND = late_pattern(r":empty_search:append\s*")
STRAY = late_pattern(
    r"\s*(?:[<>=+-]{4,} *(?:SEARCH|REPLACE)\b|<{4,} *ORIGINAL\b|>{4,} *UPDATED\b).*"
)
SEEN = late_pattern(r"^(?:(?:<{4,} *|-{5,} +)(?i:SEARCH)\b|<{5,} *ORIGINAL\s*$)", re.MULTILINE)

ESCAPE = "Put a \\ in front of a line of text that looks like a marker."

_WORDS = r"(?:SEARCH|REPLACE)"
_NEAR_MARK = (
    rf"\s*(?:[<>=+-]{{5,}}[ \t]*(?i:{_WORDS})\b.*|[<>=]{{1,4}}[ \t]*{_WORDS}\s*"
    rf"|[+-]{{3,4}}[ \t]*{_WORDS}\s*|[<>=+-]{{5,}}[ \t]*(?:ORIGINAL|UPDATED|HEAD|END)\b.*"
    r"|[<>]{5,}(?:[ \t]+\S+)?\s*|[<>]{7}[ \t].*|:(?:start|end)_line:[ \t]*\[?[0-9]*\]?\s*)"
)
_NEAR = late_pattern(_NEAR_MARK)
_FIRST = ("<", ">", "=", "+", "-", ":")

_WHOLE = (HEAD, DIVIDER, TAIL, START, END, RULE, APPEND)
_ESCAPED = late_pattern(rf"\\*(?:{'|'.join(mark.pattern for mark in (*_WHOLE, _NEAR))})")

_HEAD_LINE = "<<<<<<< SEARCH"
_TAIL_LINES = (">>>>>>> REPLACE", "+++++++ REPLACE")


def is_near(line: str) -> bool:
    """Whether a line looks like a marker, or is one in a place where it means nothing."""
    return line.lstrip().startswith(_FIRST) and _NEAR.fullmatch(line) is not None


def is_hint(line: str) -> bool:
    """Whether a line says where the old text stands."""
    return (START.fullmatch(line) or END.fullmatch(line)) is not None


def needs_escape(line: str) -> bool:
    """Whether a line of text would be read as a marker, or has backslashes before one."""
    return _ESCAPED.fullmatch(line) is not None


def is_escaped(line: str) -> bool:
    """Whether a backslash says that what follows is text."""
    return line.startswith("\\") and needs_escape(line)


def begins_head(line: str) -> bool:
    """Whether a line is the first part of a head and no more."""
    stripped = line.strip()
    return len(stripped) >= 4 and stripped != _HEAD_LINE and _HEAD_LINE.startswith(stripped)


def begins_tail(line: str) -> bool:
    """Whether a line is the first part of a tail and no more."""
    stripped = line.strip()
    return bool(stripped) and any(tail.startswith(stripped) for tail in _TAIL_LINES)
