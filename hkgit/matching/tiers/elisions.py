"""elisions.py: recognise placeholder lines, such as `# ... existing code ...`."""

from __future__ import annotations

import re
from functools import cache

DOTS = (b"...", b"\xe2\x80\xa6")
"""Lines that stand for lines left out."""

_MARK = rb"(?:#+|//+|/\*+|<!--|\{/\*|--+|;+|%+|\"\"\"|'''|\*)\s*"
_LEAD = rb"(?:" + _MARK + rb")?"
_DOTS = rb"(?:\.\.\.|\xe2\x80\xa6)"
_KEPT = (
    rb"(?:existing|rest|remaining|remainder|unchanged|same|previous|other|original|omitted|keep"
    rb"|code|everything else)"
)
_THING = (
    rb"(?:code|file|functions?|methods?|class|body|implementation|contents?|lines|logic|imports"
    rb"|tests|cases|fields|module|it)"
)
_STAYS = (
    rb"(?:(?:is|are|remains?|stays?|goes|continues|kept|the|same|unchanged|as|before|is|here|above"
    rb"|below|omitted|for brevity|identical)[ ,]*)"
)
_REST = (
    rb"existing|unchanged|previous|remaining|other|same|(?:rest|remainder) of(?: the| this| your)?"
)
_WHICH = rb"(?: of)?(?: (?:the|this|your|all))?(?: existing)?(?: " + _THING + rb")?"
_TAIL = rb"\s*(?:\*/\}?|-->|\"\"\"|''')?"
_PLACEHOLDER = (
    _LEAD
    + rb"(?:"
    + _DOTS
    + rb"\s*[(\[]?(?:the |keep )?"
    + _KEPT
    + _WHICH
    + rb"[ ,:]*"
    + _STAYS
    + rb"*[)\]]?\s*"
    + _DOTS
    + rb"?"
    + rb"|[(\[]?(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:existing )?"
    + _THING
    + rb"[ ,:]*"
    + _STAYS
    + rb"*[)\]]?[.]*"
    + rb"|[(\[]?(?:the )?(?:existing|unchanged|previous|remaining|other) "
    + _THING
    + rb"[ ,:]*"
    + _STAYS
    + rb"+[)\]]?[.]*"
    + rb"|[(\[]?(?:the |all )?(?:"
    + _REST
    + rb") "
    + _THING
    + rb"[ ,:]*"
    + _STAYS
    + rb"*"
    + _DOTS
    + rb"[)\]]?"
    + rb")"
    + _TAIL
    + rb"|"
    + _MARK
    + rb"[(\[]?(?:(?:"
    + _REST
    + rb") )?(?:"
    + _THING
    + rb" )?"
    + rb"(?:(?:is |are )?unchanged|(?:the )?same as (?:before|above|original)|as before"
    + rb"|no changes?(?: here| needed)?|unchanged "
    + _THING
    + rb")"
    + rb"(?: here| above| below)?[)\]]?[ .]*"
    + _TAIL
)
"""Remarks that stand for code which the author did not write out."""

_TELLTALES = (
    b"existing",
    b"rest",
    b"remain",
    b"unchanged",
    b"same",
    b"previous",
    b"other",
    b"original",
    b"omitted",
    b"keep",
    b"code",
    b"everything else",
    b"as before",
    b"no change",
)
"""Words of which every one of them has one."""

_BARE = _MARK + _DOTS + rb"\s*(?:\*/\}?|-->|\"\"\"|''')?"
"""A remark of three dots and nothing else."""

_WORDS = rb"\s*[(\[]?[\w'-]+(?:[ ,/]+[\w'-]+){0,%d}[)\]]?\s*"
_NAMED = _LEAD + _DOTS + _WORDS % 2 + _DOTS + _TAIL
_LIKELY = _LEAD + _DOTS + _WORDS % 6 + _DOTS + _TAIL + rb"|" + _MARK + _DOTS + _WORDS % 6 + _TAIL
"""Dots with words, which only an edit that has them in both texts makes elisions."""


def is_elision(line: bytes) -> bool:
    """Whether a line, without blanks at its ends, may stand for lines that were left out."""
    if line in DOTS or is_placeholder(line):
        return True
    has_dots = DOTS[0] in line or DOTS[1] in line
    return has_dots and (is_bare(line) or _matches(_LIKELY, line))


def is_bare(line: bytes) -> bool:
    """Whether a line is a remark of three dots, or of dots around a few words."""
    has_dots = DOTS[0] in line or DOTS[1] in line
    return has_dots and (_matches(_BARE, line) or _matches(_NAMED, line))


def is_placeholder(line: bytes) -> bool:
    """Whether a line says in words that it stands for code that was not written out."""
    lowered = line.lower()
    return any(word in lowered for word in _TELLTALES) and _matches(_PLACEHOLDER, line)


def _matches(pattern: bytes, line: bytes) -> bool:
    return _compile(pattern).fullmatch(line) is not None


@cache
def _compile(pattern: bytes) -> re.Pattern[bytes]:
    """Compiled when it is needed: that takes as long as many an edit."""
    return re.compile(pattern, re.IGNORECASE)
