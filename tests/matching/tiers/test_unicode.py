"""The third tier: the same text, however it is typeset; folded to find, never to write."""

from __future__ import annotations

import pytest

from hkgit.errors import InvalidInput
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases


@cases(
    "text, old, new, after",
    {
        "quotes in the file": ("“a”\nb\n", '"a"\nb\n', '"a"\nc\n', "“a”\nc\n"),
        "quotes in the edit": ('"a"\nb\n', "“a”\nb\n", "“a”\nc\n", '"a"\nc\n'),
        "an apostrophe": ("it\u2019s\nb\n", "it's\nb\n", "it's\nc\n", "it\u2019s\nc\n"),
        "a dash": ("a \u2013 b\nc\n", "a - b\nc\n", "a - b\nd\n", "a \u2013 b\nd\n"),
        "a dash typed as two": ("a—b\nc\n", "a--b\nc\n", "a--b\nd\n", "a—b\nd\n"),
        "a hard blank": ("a\u00a0b\nc\n", "a b\nc\n", "a b\nd\n", "a\u00a0b\nd\n"),
        "an ellipsis": ("a…\nc\n", "a...\nc\n", "a...\nd\n", "a…\nd\n"),
        "a composed letter": ("e\u0301\nc\n", "é\nc\n", "é\nd\n", "e\u0301\nd\n"),
        "zero width": ("a\u200bb\nc\n", "ab\nc\n", "ab\nd\n", "a\u200bb\nd\n"),
        "in the line itself": ("say “a” now\n", 'say "a" now\n', 'say "b" now\n', "say “b” now\n"),
    },
)
def test_typography_is_found_and_the_file_s_is_kept(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


def test_the_tier_is_named() -> None:
    assert placed("“a”\n", edit_of('"a"\n', "b\n")).tier == "unicode"


def test_new_text_is_written_as_the_author_has_it() -> None:
    assert edited("a\nb\n", edit_of("a\n", "a\n“c”\n")) == "a\n“c”\nb\n".encode()


@cases(
    "text, old",
    {
        "the old text has none": ("a(b)\n", "a(b)\n"),
        "the file has that of the old text": ("a(“b”)\n", "a(“b”)\n"),
        "the file has that of the new text": ('a("b")\n# —\n', "a(“b”)\n"),
    },
)
def test_new_text_may_bring_typography_that_no_copy_put_there(text: str, old: str) -> None:
    assert "# —".encode() in edited(text, edit_of(old, "c()\n# —\n"))


def test_typography_that_a_copy_put_into_both_texts_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the new text —"):
        edited('run("a -- b")\n', edit_of("run(“a -- b”)\n", "run(“c —”)\n"))


def test_a_further_line_of_the_author_s_is_not_spelt_as_one_that_stays() -> None:
    edit = edit_of("---\nold\n---\n", "---\nnew\n---\nold\n---\n")
    assert edited("\u2014-\nold\n---\n", edit) == "\u2014-\nnew\n---\nold\n---\n".encode()


def test_a_line_that_is_moved_keeps_the_file_s_spelling() -> None:
    edit = edit_of('"a"\nb\nc\n', 'b\nc\n"a"\n')
    assert edited("“a”\nb\nc\n", edit) == "b\nc\n“a”\n".encode()
