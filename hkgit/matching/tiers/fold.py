"""fold.py: fold typography, to compare texts and to undo what a copy brought in.

Quotes, dashes, blanks, ellipses, zero-width characters and composed letters of one meaning become
one spelling.
"""

from __future__ import annotations

import unicodedata

from hkgit.edits import decode_text, encode_text
from hkgit.values import late_pattern

_SAME: dict[str, str] = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad",
    " ": "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))),
    "": "\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff",
}
_TABLE = {ord(char): plain for plain, chars in _SAME.items() for char in chars}
_TYPESET = late_pattern("[" + "".join(map(chr, _TABLE)) + "]")
_HYPHENS = late_pattern(b"-{2,}")


def fold(text: bytes) -> bytes:
    """Replace typography by plain characters; line feeds stay where they are."""
    plain = _TYPESET.sub(lambda m: _TABLE[ord(m[0])], decode_text(text))
    return encode_text(unicodedata.normalize("NFKC", plain))


def fold_typed(text: bytes, other: bytes) -> bytes:
    """Replace those pieces of typography in a text that another text has too."""
    known = set(map(ord, decode_text(other))) & _TABLE.keys()
    return encode_text(decode_text(text).translate({char: _TABLE[char] for char in known}))


def join_hyphens(text: bytes) -> bytes:
    """Replace each run of hyphens by one: `--` is how people type an em dash."""
    return _HYPHENS.sub(b"-", text) if b"--" in text else text
