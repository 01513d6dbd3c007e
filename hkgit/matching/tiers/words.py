"""words.py: where a word begins and ends in UTF-8 text.

Scripts that put no blanks between words have a border at every character. Bytes that are no UTF-8
belong to words.
"""

from __future__ import annotations

from functools import cache
from itertools import takewhile

from hkgit.edits import decode_text, encode_text

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
    import unicodedata  # few texts need it

    if any(first <= ord(char) <= last for first, last in _UNSPACED):
        return False
    return char.isalnum() or unicodedata.category(char).startswith(("M", "Cs"))
