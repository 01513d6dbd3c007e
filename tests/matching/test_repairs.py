"""What went wrong with an edit on its way is undone, if only then its old text stands."""

from __future__ import annotations

import pytest

from hkgit.errors import HkgitError, InvalidInput, NoMatch
from tests.matching.editing import edit_of, edited, placed

TEXT = 'def f():\n    print("a < b")\n    return 1\n'
AFTER = b'def f():\n    print("b > a")\n    return 1\n'


@pytest.mark.parametrize(
    ("old", "new", "repair"),
    [
        pytest.param(
            '    print(\\"a < b\\")\n',
            '    print(\\"b > a\\")\n',
            "quotes",
            id="escaped quotes",
        ),
        pytest.param(
            "    print(&quot;a &lt; b&quot;)\n",
            "    print(&quot;b &gt; a&quot;)\n",
            "entities",
            id="entities",
        ),
        pytest.param(
            '    pr\u200bint("a < b")\n',
            '    pr\u200bint("b > a")\n',
            "zero-width",
            id="characters that nobody sees",
        ),
        pytest.param(
            'def f():\\n    print(\\"a < b\\")\\n',
            'def f():\\n    print(\\"b > a\\")\\n',
            "escapes",
            id="a JSON string",
        ),
        pytest.param(
            'def f():\\n    print("a < b")\\n',
            'def f():\\n    print("b > a")\\n',
            "newlines",
            id="escaped line feeds",
        ),
        pytest.param(
            '```python\n    print("a < b")\n```\n',
            '```python\n    print("b > a")\n```\n',
            "fence",
            id="a fence",
        ),
        pytest.param(
            '```\n    print("a < b")\n```\n',
            '    print("b > a")\n',
            "fence",
            id="a fence around the old text only",
        ),
        pytest.param(
            '1|def f():\n2|    print("a < b")\n',
            '1|def f():\n2|    print("b > a")\n',
            "line-numbers",
            id="line numbers and a bar",
        ),
        pytest.param(
            '  1 | def f():\n  2 |     print("a < b")\n',
            '  1 | def f():\n  2 |     print("b > a")\n',
            "spaced-line-numbers",
            id="line numbers, a bar and a blank",
        ),
        pytest.param(
            '     2\t    print("a < b")\n',
            '     2\t    print("b > a")\n',
            "line-numbers",
            id="line numbers and a tab",
        ),
        pytest.param(
            '     2→    print("a < b")\n',
            '    print("b > a")\n',
            "line-numbers",
            id="line numbers and an arrow, in the old text only",
        ),
    ],
)
def test_a_repair_is_made_in_both_texts_and_named(old: str, new: str, repair: str) -> None:
    edit = edit_of(old, new)
    assert edited(TEXT, edit) == AFTER
    assert placed(TEXT, edit).repairs == (repair,)


PADDED = "def g():\n    if a:\n        return 2\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "9   def g():\n10      if a:\n11          return 2\n",
            "9   def g():\n10      if b:\n11          return 2\n",
            id="two blanks behind the widest",
        ),
        pytest.param(
            "9  def g():\n10     if a:\n",
            "9  def g():\n10     if b:\n",
            id="one blank behind the widest",
        ),
        pytest.param(
            "99      if a:\n100         return 2\n",
            "99      if b:\n100         return 2\n",
            id="lines that are all indented",
        ),
        pytest.param(
            "9       if a:\n10          return 2\n",
            "    if b:\n        return 2\n",
            id="numbers in the old text alone",
        ),
        pytest.param(
            "9 \tdef g():\n10\t    if a:\n",
            "9 \tdef g():\n10\t    if b:\n",
            id="blanks, then a tab",
        ),
        pytest.param(
            "9  | def g():\n10 |     if a:\n",
            "9  | def g():\n10 |     if b:\n",
            id="blanks, then a bar",
        ),
    ],
)
def test_numbers_at_the_left_of_their_column_are_taken_off(old: str, new: str) -> None:
    assert edited(PADDED, edit_of(old, new)) == PADDED.replace("if a", "if b").encode()


def test_numbers_that_stand_in_the_file_are_text() -> None:
    old, new = "9   apples\n10  pears\n", "9   apples\n10  plums\n"
    assert edited(old, edit_of(old, new)) == new.encode()


def test_numbers_that_do_not_count_lines_are_text() -> None:
    with pytest.raises(NoMatch):
        edited("apples\npears\n", edit_of("9   apples\n12  pears\n", "9   apples\n12  plums\n"))


def test_two_repairs_go_together() -> None:
    old, new = '```\n2|    print("a < b")\n```\n', '```\n2|    print("b > a")\n```\n'
    assert placed(TEXT, edit_of(old, new)).repairs == ("fence", "line-numbers")


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        pytest.param(
            'a = "\\"b\\""\n',
            'a = "\\"b\\""\n',
            'a = "\\"c\\""\n',
            b'a = "\\"c\\""\n',
            id="escapes",
        ),
        pytest.param("a &lt; b\n", "a &lt; b\n", "a &amp; b\n", b"a &amp; b\n", id="entities"),
        pytest.param("1|a\n2|b\n", "1|a\n", "1|c\n", b"1|c\n2|b\n", id="a table"),
        pytest.param(
            "```\na\n```\n",
            "```\na\n```\n",
            "```\nb\n```\n",
            b"```\nb\n```\n",
            id="a fence",
        ),
        pytest.param("re(r'\\1')\n", "re(r'\\1')\n", "re(r'$&')\n", b"re(r'$&')\n", id="a group"),
    ],
)
def test_what_stands_as_it_is_written_is_not_repaired(
    text: str, old: str, new: str, after: bytes
) -> None:
    assert edited(text, edit_of(old, new)) == after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('    print(\\"a < c\\")\n', "x\n", id="the repaired text is nowhere either"),
        pytest.param('3|def f():\n9|    print("a < b")\n', "x\n", id="numbers that do not follow"),
        pytest.param(
            'def f():\\n    print("a < b")',
            'print("a\\n")',
            id="a line feed in a string",
        ),
    ],
)
def test_what_cannot_be_repaired_is_refused(old: str, new: str) -> None:
    with pytest.raises((NoMatch, InvalidInput)):
        edited(TEXT, edit_of(old, new))


LINES = ["def f(a):", "    x = 1", "", "    return a"]


@pytest.mark.parametrize(
    "mark", ["%6d\t", "%d\t", "%4d ", "%5d  ", "%d|", "%3d | ", "%d:", "%d: ", "%6d→", "%d- "]
)
def test_line_numbers_of_every_kind_are_taken_off(mark: str) -> None:
    old = "".join(f"{mark % number}{line}\n" for number, line in enumerate(LINES, 98))
    text = "# f\n" + "\n".join(LINES) + "\n"
    after = text.replace("x = 1", "x = 2")
    assert edited(text, edit_of(old, old.replace("x = 1", "x = 2"))) == after.encode()


ESCAPED = 'a = "x\\n"\nb = r"\\d+"\n'


def test_doubled_backslashes_are_halved_in_both_texts() -> None:
    old, new = 'b = r"\\\\d+"\n', 'b = r"\\\\w+"\n'
    assert edited(ESCAPED, edit_of(old, new)) == ESCAPED.replace("d+", "w+").encode()
    assert placed(ESCAPED, edit_of(old, new)).repairs == ("backslashes",)


def test_backslashes_that_are_doubled_in_part_are_not_guessed_at() -> None:
    old = 'a = "x\\\\n"\nb = r"\\\\d+"\n'
    new = 'a = "x\\\\n"\nb = r"\\\\w+\\d"\n'
    with pytest.raises(HkgitError):
        edited(ESCAPED, edit_of(old, new))
