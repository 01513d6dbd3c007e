"""A change inside a line that the file spells otherwise than the author does."""

import pytest

from hkgit.matching.merge import merge_line


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param("a=b", "a = b", "a=c", "a = c", id="blanks of the file before another word"),
        pytest.param("f(a,b)", "f(a, b)", "f(a,b,c)", "f(a, b,c)", id="an argument more"),
        pytest.param(
            "i=( i + 1)",
            "i = (i + 1)",
            "j = (i + 1)",
            "j = (i + 1)",
            id="the author spaces the new line as the file does",
        ),
        pytest.param("f( ) {", "f() {", "f(x, y) {", "f(x, y) {", id="words in place of a blank"),
        pytest.param("A=B=1", "A  = B  = 1", "C  = B  = 1", "C  = B  = 1", id="aligned columns"),
        pytest.param(
            "'a' - b",
            "\u2018a\u2019 \u2014 b",
            "'a' - c",
            "\u2018a\u2019 \u2014 c",
            id="typography of the file",
        ),
        pytest.param("a ...", "a \u2026", "b ...", "b \u2026", id="three words that are one"),
        pytest.param("a -- b", "a \u2014 b", "a + b", "a + b", id="words that both changed"),
        pytest.param("foo bar", "\u200bfoo bar", "foo baz", "\u200bfoo baz", id="no width"),
        pytest.param("foo\u200b bar", "foo bar", "foo\u200b baz", "foo baz", id="none here"),
        pytest.param("a", "a\u00a0", "b", "b\u00a0", id="a space that does not break, at the end"),
        pytest.param("a\u00a0", "a\u00a0", "b\u00a0", "b\u00a0", id="one that both texts have"),
    ],
)
def test_a_line_keeps_the_spelling_of_the_file(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert merge_line(base.encode(), ours.encode(), theirs.encode()).decode() == merged
