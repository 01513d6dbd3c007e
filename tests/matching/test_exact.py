"""The strictest tier: byte for byte, in whole lines or at the borders of words."""

import pytest

from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Ambiguous, HkgitError, InvalidInput, NoMatch
from hkgit.matching.ladder import locate
from hkgit.matching.place import THRESHOLD
from hkgit.matching.transfer import transfer
from hkgit.matching.words import find_head_word, find_tail_word
from tests.matching.editing import document_of, edit_of, edited, placed, spliced
from tests.support.cases import cases


@cases(
    {
        "a whole line": ("a\nb\nc\n", "b\n", "x\n", b"a\nx\nc\n"),
        "a whole line without its end": ("a\nb\nc\n", "b", "x", b"a\nx\nc\n"),
        "several lines": ("a\nb\nc\n", "a\nb\n", "x\n", b"x\nc\n"),
        "the last line has no end": ("a\nb", "b\n", "x\n", b"a\nx"),
        "a line end taken away": ("a\nb(\nc\n", "b(\n", "b(", b"a\nb(c\n"),
        "a line end added": ("a\nb\nc\n", "b", "x\n", b"a\nx\n\nc\n"),
        "nothing but a line end added": ("a\nb\nc\n", "b", "b\n", b"a\nb\n\nc\n"),
        "a line removed": ("a\nb\nc\n", "b\n", "", b"a\nc\n"),
        "a line emptied": ("a\nb\nc\n", "b", "", b"a\n\nc\n"),
        "the rest of a line": ("self.x = 1\n", "x = 1\n", "y\n", b"self.y\n"),
        "from the middle of an indentation": ("  a\n", " a", " b", b"  b\n"),
        "a line with one beside it": (
            "    a = 1\n    c()\n",
            "a = 1",
            "a = 1\nb = 2",
            b"    a = 1\n    b = 2\n    c()\n",
        ),
        "a line with a block below": (
            "    a = 1\n    c()\n",
            "a = 1",
            "a = 1\n\n\ndef f():\n    b()",
            b"    a = 1\n\n\n    def f():\n        b()\n    c()\n",
        ),
        "with a line that is indented": (
            "    a = 1\n",
            "a = 1",
            "a = 1\n    b = 2",
            b"    a = 1\n    b = 2\n",
        ),
        "a word of a line by two": ("    x = a\n", "a", "a\nb", b"    x = a\nb\n"),
        "up to the middle of a word that stays": (
            "x()\n\nfunc TestB() {\n",
            "\n\nfunc Test",
            "\ny()\n\nfunc Test",
            b"x()\ny()\n\nfunc TestB() {\n",
        ),
        "with the line ends of the file": (b"a\r\nb\r\n", "a", "x\ny", b"x\r\ny\r\nb\r\n"),
        "a word inside a line": ("f(a, b)\n", "a", "x", b"f(x, b)\n"),
        "words removed inside a line": ("f(a, b)\n", "a, b", "", b"f()\n"),
        "across a line end": ("f(a)\ng()\n", "(a)\ng", "(b)\nh", b"f(b)\nh()\n"),
        "with the blank before": ("x = a + b\n", " + b", "", b"x = a\n"),
        "below a byte order mark": ("\ufeffa\nb\n", "a\n", "x\n", b"\xef\xbb\xbfx\nb\n"),
        "with the mark": ("\ufeffa\n", "\ufeffa\n", "\ufeffx\n", b"\xef\xbb\xbfx\n"),
        "a NUL byte": (b"a\0b\nc\n", "a\0b\n", "x\n", b"x\nc\n"),
        "a byte that is not UTF-8": (b"\xff\nb\n", "\udcff\n", "x\n", b"x\nb\n"),
        "written as it was given": (b"\xff\nb\n", "b\n", "\udcfe\n", b"\xff\n\xfe\n"),
    },
)
def test_text_that_stands_once_is_replaced(
    text: str | bytes, old: str, new: str, after: bytes
) -> None:
    assert edited(text, edit_of(old, new)) == after


@cases(
    {
        "a whole line": ("a\nb\nc\n", "b\n"),
        "a word": ("total = 1\n", "total"),
        "not by another depth": ("    return x\n        return x\n", "    return x\n"),
        "not inside a longer line": ("x = 1\nself.x = 1\n", "x = 1\n"),
    },
)
def test_an_exact_place_is_of_the_exact_tier(text: str, old: str) -> None:
    assert placed(text, edit_of(old, "new\n")).tier == "exact"


@cases(
    {
        "the beginning of a word": ("food\n", "foo", "food"),
        "the end of a word": ("barfoo\n", "foo", "barfoo"),
        "before a letter that is not ASCII": ("café\n", "caf", "café"),
        "a line that ends a longer one": ("max = 1\n", "x = 1\n", "max"),
        "the end of several lines": ("a\nreturn xyz\n", "a\nreturn x", "xyz"),
        "between accents": ("na\u00efvet\u00e9\n", "na", "na\u00efvet\u00e9"),
        "behind a mark that combines": ("e\u0301tat\n", "tat", "e\u0301tat"),
        "Hangul": ("\uc548\ub155\ud558\n", "\uc548\ub155", "\uc548\ub155\ud558"),
        "Cyrillic": ("\u0434\u043e\u043c\u0430\n", "\u0434\u043e", "\u0434\u043e\u043c\u0430"),
    },
)
def test_a_stretch_of_a_longer_word_is_no_place(text: str, old: str, word: str) -> None:
    said = rf"f.py:\d: the old text is only inside a longer word, '{word}'"
    with pytest.raises(NoMatch, match=said):
        placed(text, edit_of(old, "y"))


def test_a_part_of_a_word_that_the_author_saw_is_replaced() -> None:
    document, edit = document_of("food\n"), edit_of("foo", "bar")
    located = locate(document, edit, THRESHOLD, vouches=lambda place: True)
    assert spliced(document.data, transfer(located)) == b"bard\n"


def test_an_edit_written_in_lines_means_whole_lines() -> None:
    edit = Edit("f.py", "x = 1\n", "y\n", whole_lines=True)
    assert edited("    x = 1\n", edit) == b"    y\n"
    with pytest.raises(NoMatch):
        placed("self.x = 1\n", edit)


@cases({"apart": ("a\nx\na\nx\n", "a\n"), "overlap": ("a\na\na\n", "a\na\n")})
def test_two_exact_places_are_ambiguous(text: str, old: str) -> None:
    with pytest.raises(Ambiguous, match="2 places, at lines 1, "):
        placed(text, edit_of(old, "b\n"))


def test_an_edit_that_changes_nothing_is_invalid() -> None:
    with pytest.raises(InvalidInput):
        placed("a\n", edit_of("a\n", "a\n"))


@cases(
    {
        "words and parts of words": ("foo food foo\n", "foo", "bar", b"bar bard bar\n"),
        "lines": ("a\nx\na\n", "a\n", "b\nc\n", b"b\nc\nx\nb\nc\n"),
        "CRLF": ("a\r\nx\r\na\r\n", "a", "b\nc", b"b\r\nc\r\nx\r\nb\r\nc\r\n"),
        "lines removed": ("a\nx\na\n", "a\n", "", b"x\n"),
        "lines emptied": ("a\nx\na\n", "a", "", b"\nx\n\n"),
        "overlapping ones count once": ("aa\n" * 3, "aa\naa\n", "b\n", b"b\naa\n"),
        "very many": ("x\n" * 1100, "x\n", "y\n", b"y\n" * 1100),
    },
)
def test_all_places_are_replaced_if_that_is_asked_for(
    text: str, old: str, new: str, after: bytes
) -> None:
    edit = Edit("f.py", old, new, replace_all=True)
    assert edited(text, edit) == after
    note = ("1 of 3 replaced places are parts of longer words",)
    assert placed(text, edit).notes == (note if old == "foo" else ())


@cases(
    {
        "at all of them": ("a.b.c = 1\na.b.c = 2\n", AlreadyApplied),
        "at some of them": ("a.b.c = 1\na.b = 2\n", Ambiguous),
    },
)
def test_places_that_the_new_text_stands_around_are_not_changed_again(
    text: str, refusal: type[HkgitError]
) -> None:
    with pytest.raises(refusal, match=r"the new text is already (at|around)"):
        placed(text, Edit("f.py", "a.b", "a.b.c", replace_all=True))


def test_the_number_of_places_is_held_to_and_one_is_an_edit_as_any_other() -> None:
    with pytest.raises(Ambiguous, match="2 places, not 3"):
        placed("a\nx\na\n", Edit("f.py", "a\n", "b\n", expected_count=3))
    edit = Edit("f.py", "    alpha\n", "    beta\n", expected_count=1)
    assert edited("  alpha\nb\n", edit) == b"  beta\nb\n"


@cases(
    {
        "spaces": ("def a():\n    b(1)\n", "def a():\n  b(1)\n"),
        "line ends": ("a\r\nb\r\n", "a\nb\n"),
        "typography": ('say("a")\nend\n', "say(\u201ca\u201d)\nend\n"),
        "escapes": ('say("a")\n', 'say(\\"a\\")\n'),
        "lines left out": ("a\nb\nc\nd\n", "a\n...\nd\n"),
        "a slip": (
            "def first(one):\n    keep(one)\n    take(one)\n    give(one)\n",
            "def first(one):\n    keep(one)\n    taek(one)\n    give(one)\n",
        ),
    },
)
def test_a_threshold_of_1_takes_nothing_but_what_stands_there(text: str, old: str) -> None:
    edit = edit_of(old, f"{old}x\n")
    placed(text, edit)
    with pytest.raises(HkgitError):
        placed(text, edit, threshold=1000)
    assert placed(text, edit_of(text.splitlines()[0], "x"), threshold=1000).tier == "exact"


@cases(
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
