"""Recognise placeholder lines, such as `# ... existing code ...`."""

from __future__ import annotations

import re

DOTS = (b"...", b"\xe2\x80\xa6")  # Lines that represent lines left out
_REST = frozenset(b"existing rest remaining remainder unchanged same previous other".split())
_KEPT = _REST.union(b"original omitted keep code everything".split())
_THINGS = frozenset(
    b"code file function functions method methods class body implementation content contents lines "
    b"logic imports tests cases fields module it".split()
)
_STATES = frozenset(
    b"remain remains stay stays goes continues kept same unchanged before omitted brevity "
    b"identical".split()
)
"""Words that say of lines that they are as they were."""

_VOCABULARY = (
    _KEPT
    | _THINGS
    | _STATES
    | frozenset(
        b"is are the of this your all as above below here for no change changes needed else".split()
    )
)

_LINE = (
    rb"(#+|//+|/\*+|<!--|\{/\*|--+|;+|%+|\"\"\"|'''|\*)?\s*"
    rb"(\.\.\.|\xe2\x80\xa6)?\s*[(\[]?([\w' ,/-]*)[)\]]?\s*"
    rb"(\.|\.\.\.|\xe2\x80\xa6)?[)\]]?\s*(?:\*/\}?|-->|\"\"\"|''')?"
)
"""A line of words: the mark of a remark, dots, the words, dots."""


def is_elision(line: bytes) -> bool:
    """Whether a line, without whitespace at its ends, may represent lines that were left out.

    Dots with words do so only in an edit that has them in both texts.
    """
    if line in DOTS or is_placeholder(line):
        return True
    mark, before, words, after = _split(line)
    if before not in DOTS or len(words) > 7:
        return False
    return after in DOTS and bool(words) if not mark else after in (b"", *DOTS)


def is_bare(line: bytes) -> bool:
    """Whether a line is a remark of three dots, or of dots around a few words."""
    if not any(dots in line for dots in DOTS):
        return False
    mark, before, words, after = _split(line)
    if before not in DOTS:
        return False
    return after in DOTS and len(words) <= 3 if words else bool(mark) and not after


def is_placeholder(line: bytes) -> bool:
    """Whether a line says in words that it represents code that was not written out.

    All its words are of those that such lines have. With dots, one of them says that something is
    left out; without, both what is left out and that it stays are said.
    """
    first = re.search(rb"\w+", line)
    if first is None or first[0].lower() not in _VOCABULARY:
        return False
    mark, before, words, after = _split(line.lower())
    known = frozenset(words)
    if not known or not known <= _VOCABULARY:
        return False
    if before:
        return not known.isdisjoint(_KEPT)
    left = next((i for i, word in enumerate(words) if word in _REST), len(words))
    names_rest = not _THINGS.isdisjoint(words[left:])
    if names_rest and (after in DOTS or words[left] in (b"rest", b"remainder")):
        return True
    if mark and (known & {b"unchanged"} or known > {b"as"} or known > {b"no"}):
        return bool(known & {b"unchanged", b"before", b"same", b"change", b"changes"})
    return names_rest and not _STATES.isdisjoint(words[left + 1 :])


def _split(line: bytes) -> tuple[bytes, bytes, list[bytes], bytes]:
    """Split a line into the mark of a remark, dots, words, dots or a full stop."""
    found = re.fullmatch(_LINE, line)
    if found is None:
        return b"", b"", [], b""
    mark, before, words, after = found.groups(b"")
    return mark, before, words.replace(b",", b" ").replace(b"/", b" ").split(), after
