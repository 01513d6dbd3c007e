"""A change inside a line that the file spells otherwise than the author does."""

from hkgit.matching.merge import merge_line
from tests.support.cases import cases


@cases(
    "base, ours, theirs, merged",
    {
        "blanks of the file before another word": ("a=b", "a = b", "a=c", "a = c"),
        "an argument more": ("f(a,b)", "f(a, b)", "f(a,b,c)", "f(a, b,c)"),
        "the author spaces the new line as the file does": (
            "i=( i + 1)",
            "i = (i + 1)",
            "j = (i + 1)",
            "j = (i + 1)",
        ),
        "words in place of a blank": ("f( ) {", "f() {", "f(x, y) {", "f(x, y) {"),
        "aligned columns": ("A=B=1", "A  = B  = 1", "C  = B  = 1", "C  = B  = 1"),
        "typography of the file": (
            "'a' - b",
            "\u2018a\u2019 \u2014 b",
            "'a' - c",
            "\u2018a\u2019 \u2014 c",
        ),
        "three words that are one": ("a ...", "a \u2026", "b ...", "b \u2026"),
        "words that both changed": ("a -- b", "a \u2014 b", "a + b", "a + b"),
        "no width": ("foo bar", "\u200bfoo bar", "foo baz", "\u200bfoo baz"),
        "none here": ("foo\u200b bar", "foo bar", "foo\u200b baz", "foo baz"),
        "a space that does not break, at the end": ("a", "a\u00a0", "b", "b\u00a0"),
        "one that both texts have": ("a\u00a0", "a\u00a0", "b\u00a0", "b\u00a0"),
    },
)
def test_a_line_keeps_the_spelling_of_the_file(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert merge_line(base.encode(), ours.encode(), theirs.encode()).decode() == merged
