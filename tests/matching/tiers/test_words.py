"""Where words begin and end: a place may cut none, in any script."""

from __future__ import annotations

import pytest

from hkgit.errors import NoMatch
from hkgit.matching.words import find_head_word, find_tail_word
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases


@cases(
    "text, old",
    {
        "curly quotes around": ("say \u201cfine\u201d now\n", "fine"),
        "between a sign and an ellipsis": ("\u2705done\u2026\n", "done"),
        "Han": ("\u8fd9\u662f\u6d4b\u8bd5\u6587\u4ef6\n", "\u6d4b\u8bd5"),
        "Katakana": ("\u8a2d\u5b9a\u30c7\u30fc\u30bf\u3092\n", "\u30c7\u30fc\u30bf"),
        "Thai": ("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\n", "\u0e44\u0e17\u0e22"),
    },
)
def test_what_stands_beside_other_characters_is_no_part_of_a_word(text: str, old: str) -> None:
    assert edited(text, edit_of(old, "x")) == text.replace(old, "x").encode()


@cases(
    "text, old, word",
    {
        "an accent": ("na\u00efvet\u00e9\n", "na", "na\u00efvet\u00e9"),
        "a mark that combines": ("e\u0301tat\n", "tat", "e\u0301tat"),
        "Hangul": ("\uc548\ub155\ud558\n", "\uc548\ub155", "\uc548\ub155\ud558"),
        "Cyrillic": (
            "\u0434\u043e\u043c\u0430\n",
            "\u0434\u043e\u043c",
            "\u0434\u043e\u043c\u0430",
        ),
    },
)
def test_a_part_of_a_word_is_no_place(text: str, old: str, word: str) -> None:
    with pytest.raises(NoMatch, match=f"inside a longer word, '{word}'"):
        placed(text, edit_of(old, "x"))


@cases(
    "text, head, tail",
    {
        "nothing": (b"", b"", b""),
        "two words": (b"a_1 b2", b"a_1", b"b2"),
        "bytes that are no UTF-8": (b"caf\xe9", b"caf\xe9", b"caf\xe9"),
        "four bytes": ("\U0001f600x".encode(), b"", b"x"),
    },
)
def test_the_word_at_an_end(text: bytes, head: bytes, tail: bytes) -> None:
    assert find_head_word(text) == head
    assert find_tail_word(text) == tail
