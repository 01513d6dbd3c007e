"""Words of a line, and characters that look alike.

Quotes, dashes, whitespace, ellipses, zero-width characters and composed letters of one meaning
become one spelling.

Scripts that put no whitespace between words have a border at every character. Bytes that are no
UTF-8 belong to words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import takewhile

from hkgit.edits import decode_text, encode_text

_SAME: dict[str, str] = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad",
    " ": "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))),
    "": "\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff",
}
_TABLE = {ord(char): plain for plain, chars in _SAME.items() for char in chars}
_TYPESET = "[" + "".join(map(chr, _TABLE)) + "]"
_TYPED = frozenset(_SAME["'"] + _SAME['"'] + _SAME["-"])


def fold(text: bytes) -> bytes:
    """Replace typography by plain characters; line feeds stay where they are."""
    plain = re.sub(_TYPESET, lambda m: _TABLE[ord(m[0])], decode_text(text))
    return encode_text(unicodedata.normalize("NFKC", plain))


def fold_typed(text: bytes, other: bytes) -> bytes:
    """Replace those pieces of typography in a text that another text has too."""
    known = set(map(ord, decode_text(other))) & _TABLE.keys()
    return encode_text(decode_text(text).translate({char: _TABLE[char] for char in known}))


def find_typography(text: bytes) -> set[str]:
    """Find the quotes and dashes of a text that programs put for plain ones."""
    return set(decode_text(text)) & _TYPED


def join_hyphens(text: bytes) -> bytes:
    """Replace each run of hyphens by one: `--` is how people type an em dash."""
    return re.sub(b"-{2,}", b"-", text) if b"--" in text else text


_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),  # Han
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def find_head_word(text: bytes) -> bytes:
    """Return the part of a word that a text begins with; empty where it begins with none."""
    return encode_text("".join(takewhile(_is_word, decode_text(text))))


def find_tail_word(text: bytes) -> bytes:
    """Return the part of a word that a text ends with; empty where it ends with none."""
    return encode_text("".join(takewhile(_is_word, reversed(decode_text(text))))[::-1])


@cache
def _is_word(char: str) -> bool:
    """Whether a character belongs to words; lone surrogates are bytes that are no UTF-8."""
    if char.isascii():
        return char.isalnum() or char == "_"
    if any(first <= ord(char) <= last for first, last in _UNSPACED):
        return False
    return char.isalnum() or unicodedata.category(char).startswith(("M", "Cs"))
