"""An old text that stands in the file but for line ends is put there as literally as any other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import Edit
from hkgit.errors import AlreadyApplied, Conflict, NoMatch
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases
from tests.support.properties import examples

CALL = "open(\n    path,\n    mode)\nclose(path)\n"


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


@cases(
    {
        "from the middle of a line": ("(\n    path,\n    mode)", "(path, mode)"),
        "behind the indentation": ("path,\n    mode", "path,\n  how,\n    mode"),
        "from the end of a line": ("\n    path,", "\n    name,"),
        "the end of a line alone": ("    mode)\n", "    mode) "),
        "removed up to a word": ("    mode)\nclose", ""),
        "another indentation": ("    path,\n    mode)\n", "  path,\n  mode)\n"),
        "a blank line more": ("open(\n    path,\n", "open(\n\n    path,\n"),
    },
)
@pytest.mark.parametrize("is_in_file", [True, False], ids=["CRLF in the file", "in the edit"])
def test_other_line_ends_change_nothing_else(old: str, new: str, is_in_file: bool) -> None:
    after = CALL.replace(old, new)
    if is_in_file:
        assert edited(crlf(CALL), edit_of(old, new)) == crlf(after).encode()
    else:
        assert edited(CALL, edit_of(crlf(old), crlf(new))) == after.encode()


def test_the_tier_says_that_line_ends_differ() -> None:
    assert placed(crlf(CALL), edit_of("(\n    path", "(\n    name")).tier == "whitespace"


def test_a_place_inside_a_word_is_called_that() -> None:
    with pytest.raises(NoMatch, match="inside a longer word, 'open'"):
        placed(crlf(CALL), edit_of("en(\n    path,", "at(\n    path,"))


END = st.sampled_from(["\n", "\r\n"])


@examples(200)
@given(ends=st.lists(END, min_size=2, max_size=8), data=st.data())
def test_in_a_mixed_file_each_line_keeps_its_end(ends: list[str], data: st.DataObject) -> None:
    lines = [f"line {number}{end}" for number, end in enumerate(ends)]
    first = data.draw(st.integers(0, len(lines) - 1), label="first")
    last = data.draw(st.integers(first, len(lines) - 1), label="last")
    row = data.draw(st.integers(first, last), label="row")
    wanted = list(lines)
    wanted[row] = f"other {row}{ends[row]}"
    if data.draw(st.booleans(), label="is one added"):
        wanted.insert(row + 1, f"below {row}{ends[row]}")
    size = last + 1 + len(wanted) - len(lines)
    old, new = "".join(lines[first : last + 1]), "".join(wanted[first:size])
    if data.draw(st.booleans(), label="is quoted with line feeds"):
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")

    assert edited("".join(lines), edit_of(old, new)) == "".join(wanted).encode()


DEFINITION = "def f(x):\n    a = 1\n    return a\n"


@cases(
    {
        "a line": ("    a = 1\n", "    a = 2", "def f(x):\n    a = 2\n    return a\n"),
        "its end": ("a = 1\n", "a = 2", "def f(x):\n    a = 2\n    return a\n"),
        "above another block": ("x):\n", "y):", "def f(y):\n    a = 1\n    return a\n"),
        "the last": ("a = 1\n    return a\n", "return 1", "def f(x):\n    return 1\n"),
        "two ends around a line": ("\n    a = 1\n", "", "def f(x):\n    return a\n"),
        "no blank line": ("\n    a = 1\n", "    b = 1\n", "def f(x):\n    b = 1\n    return a\n"),
    },
)
@pytest.mark.parametrize("is_crlf", [False, True], ids=["LF", "CRLF"])
def test_a_new_text_that_lacks_the_end_of_a_line_joins_it_with_no_other(
    old: str, new: str, after: str, is_crlf: bool
) -> None:
    if is_crlf:
        assert edited(crlf(DEFINITION), edit_of(old, new)) == crlf(after).encode()
        old, new, after = crlf(old), crlf(new), crlf(after)
        assert edited(crlf(DEFINITION), edit_of(old, new)) == after.encode()
    else:
        assert edited(DEFINITION, edit_of(old, new)) == after.encode()


@cases(
    {
        "joined by a space": ("so\nit is\n", "so\n", "so ", "so it is\n"),
        "joined behind a bracket": ("f(\na)\n", "f(\n", "g(", "g(a)\n"),
        "joined by what comes first below": ("f\n  .a()\n", "\n  .a", ".a", "f.a()\n"),
        "joined by the line below": ("f(\n    a)\n", "(\n    a", "(a", "f(a)\n"),
        "both ends, one left out": ("a\r\nb\n", "a\r\nb", "a!\r\nb", "a!\r\nb\n"),
        "both ends, removed": ("a\nb\r\nc\n", "a\nb\r\nc\n", "c\n", "c\n"),
        "both ends above a kept line": ("a\nb\r\nc\n", "b\r\nc\n", "c\n", "a\nc\n"),
        "both ends, in lines": ("f(a\r\nb\n", "a\r\nb", "a,\r\nx\r\nb", "f(a,\r\nx\r\nb\n"),
        "from the middle of an end": (
            "a = 0\r\nb = 1\r\n",
            "\nb = 1",
            "\nc = 2\nb = 1",
            "a = 0\r\nc = 2\r\nb = 1\r\n",
        ),
        "the last one of a file": ("a\nb\n", "b\n", "b", "a\nb"),
        "not the last one by the way": ("a\nb\n", "b\n", "c", "a\nc\n"),
    },
)
def test_line_ends_are_joined_or_kept_as_the_texts_say(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


@cases(
    {
        "taken away": ("a,\nb,\nc\n", ",\n", ",", b"a,b,c\n"),
        "within lines": ("f(1,\r\n2);\r\ng(1,\r\n2);\r\n", "(1,\n2)", "(3)", b"f(3);\r\ng(3);\r\n"),
    },
)
def test_so_they_are_at_every_place(text: str, old: str, new: str, after: bytes) -> None:
    assert edited(text, Edit("f.py", old, new, replace_all=True)) == after


def test_an_edit_that_takes_away_nothing_but_a_line_end_is_refused() -> None:
    with pytest.raises(Conflict, match="nothing but the end of the line above"):
        edited(DEFINITION, edit_of("    a = 1\n", "    a = 1"))
    joined = edited(DEFINITION, edit_of("a = 1\n    return", "a = 1; return"))
    assert joined == b"def f(x):\n    a = 1; return a\n"


def test_where_the_blank_line_that_goes_is_not_there_the_edit_is_made_already() -> None:
    with pytest.raises(AlreadyApplied):
        edited(DEFINITION, edit_of("\n    a = 1\n", "    a = 1\n"))
