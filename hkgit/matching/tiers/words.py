"""words.py: where a word begins and ends in UTF-8 text.

Scripts that put no blanks between words have a border at every character. Bytes that are no UTF-8
belong to words.
"""

from __future__ import annotations

from functools import cache

_ASCII = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
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
    at = 0
    while at < len(text):
        size = _size_at(text, at)
        if not _is_word(text[at : at + size]):
            break
        at += size
    return text[:at]


def find_tail_word(text: bytes) -> bytes:
    """Return the part of a word that a text ends with; empty where it ends with none."""
    at = len(text)
    while at > 0:
        size = _size_before(text, at)
        if not _is_word(text[at - size : at]):
            break
        at -= size
    return text[at:]


def _size_at(text: bytes, at: int) -> int:
    """The bytes of the character that begins at an offset."""
    lead = text[at]
    size = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return size if _is_utf8(text[at : at + size]) else 1


def _size_before(text: bytes, at: int) -> int:
    """The bytes of the character that ends at an offset."""
    if text[at - 1] < 0x80:
        return 1
    sizes = (size for size in (2, 3, 4) if size <= at and text[at - size] >= 0xC0)
    size = next(sizes, 1)
    return size if _is_utf8(text[at - size : at]) else 1


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_word(char: bytes) -> bool:
    return char[0] in _ASCII if len(char) == 1 and char[0] < 0x80 else _is_other_word(char)


@cache
def _is_other_word(char: bytes) -> bool:
    """The same of a character that is not of ASCII."""
    import unicodedata

    if not _is_utf8(char):
        return True
    letter = char.decode()
    if any(first <= ord(letter) <= last for first, last in _UNSPACED):
        return False
    return letter.isalnum() or unicodedata.category(letter).startswith("M")
