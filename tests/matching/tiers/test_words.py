"""Where words begin and end: a place may cut none, in any script."""

from __future__ import annotations

import pytest

from hkgit.errors import NoMatch
from hkgit.matching.words import find_head_word, find_tail_word
from tests.matching.editing import edit_of, edited, placed


@pytest.mark.parametrize(
    ("text", "old"),
    [
        pytest.param("say \u201cfine\u201d now\n", "fine", id="curly quotes around"),
        pytest.param("\u2705done\u2026\n", "done", id="between a sign and an ellipsis"),
        pytest.param("\u8fd9\u662f\u6d4b\u8bd5\u6587\u4ef6\n", "\u6d4b\u8bd5", id="Han"),
        pytest.param("\u8a2d\u5b9a\u30c7\u30fc\u30bf\u3092\n", "\u30c7\u30fc\u30bf", id="Katakana"),
        pytest.param(
            "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\n", "\u0e44\u0e17\u0e22", id="Thai"
        ),
    ],
)
def test_what_stands_beside_other_characters_is_no_part_of_a_word(text: str, old: str) -> None:
    assert edited(text, edit_of(old, "x")) == text.replace(old, "x").encode()


@pytest.mark.parametrize(
    ("text", "old", "word"),
    [
        pytest.param("na\u00efvet\u00e9\n", "na", "na\u00efvet\u00e9", id="an accent"),
        pytest.param("e\u0301tat\n", "tat", "e\u0301tat", id="a mark that combines"),
        pytest.param("\uc548\ub155\ud558\n", "\uc548\ub155", "\uc548\ub155\ud558", id="Hangul"),
        pytest.param(
            "\u0434\u043e\u043c\u0430\n",
            "\u0434\u043e\u043c",
            "\u0434\u043e\u043c\u0430",
            id="Cyrillic",
        ),
    ],
)
def test_a_part_of_a_word_is_no_place(text: str, old: str, word: str) -> None:
    with pytest.raises(NoMatch, match=f"inside a longer word, '{word}'"):
        placed(text, edit_of(old, "x"))


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        pytest.param(b"", b"", b"", id="nothing"),
        pytest.param(b"a_1 b2", b"a_1", b"b2", id="two words"),
        pytest.param(b"caf\xe9", b"caf\xe9", b"caf\xe9", id="bytes that are no UTF-8"),
        pytest.param("\U0001f600x".encode(), b"", b"x", id="four bytes"),
    ],
)
def test_the_word_at_an_end(text: bytes, head: bytes, tail: bytes) -> None:
    assert find_head_word(text) == head
    assert find_tail_word(text) == tail
