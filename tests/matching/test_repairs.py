"""What went wrong with an edit on its way is undone, if only then its old text stands."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hkgit.edits import Edit
from hkgit.errors import HkgitError, InvalidInput, NoMatch
from hkgit.matching.repairs import READINGS, REPAIRS
from tests.matching.editing import edit_of, edited, placed
from tests.support.cases import cases
from tests.support.properties import examples

TEXT = 'def f():\n    print("a < b")\n    return 1\n'
AFTER = b'def f():\n    print("b > a")\n    return 1\n'


@cases(
    "old, new, repair",
    {
        "escaped quotes": ('    print(\\"a < b\\")\n', '    print(\\"b > a\\")\n', "quotes"),
        "entities": (
            "    print(&quot;a &lt; b&quot;)\n",
            "    print(&quot;b &gt; a&quot;)\n",
            "entities",
        ),
        "characters that nobody sees": (
            '    pr\u200bint("a < b")\n',
            '    pr\u200bint("b > a")\n',
            "typography",
        ),
        "curly quotes": (
            "    print(\u201ca < b\u201d)\n",
            "    print(\u201cb > a\u201d)\n",
            "typography",
        ),
        "a JSON string": (
            'def f():\\n    print(\\"a < b\\")\\n',
            'def f():\\n    print(\\"b > a\\")\\n',
            "escapes",
        ),
        "escaped line feeds": (
            'def f():\\n    print("a < b")\\n',
            'def f():\\n    print("b > a")\\n',
            "newlines",
        ),
        "a fence": (
            '```python\n    print("a < b")\n```\n',
            '```python\n    print("b > a")\n```\n',
            "fence",
        ),
        "a fence around the old text only": (
            '```\n    print("a < b")\n```\n',
            '    print("b > a")\n',
            "fence",
        ),
        "line numbers and a bar": (
            '1|def f():\n2|    print("a < b")\n',
            '1|def f():\n2|    print("b > a")\n',
            "line-numbers",
        ),
        "line numbers, a bar and a blank": (
            '  1 | def f():\n  2 |     print("a < b")\n',
            '  1 | def f():\n  2 |     print("b > a")\n',
            "spaced-line-numbers",
        ),
        "line numbers and a tab": (
            '     2\t    print("a < b")\n',
            '     2\t    print("b > a")\n',
            "line-numbers",
        ),
        "line numbers and an arrow, in the old text only": (
            '     2→    print("a < b")\n',
            '    print("b > a")\n',
            "line-numbers",
        ),
    },
)
def test_a_repair_is_made_in_both_texts_and_named(old: str, new: str, repair: str) -> None:
    edit = edit_of(old, new)
    assert edited(TEXT, edit) == AFTER
    assert placed(TEXT, edit).repairs == (repair,)


PADDED = "def g():\n    if a:\n        return 2\n"


@cases(
    "old, new",
    {
        "blanks, then a tab": ("9 \tdef g():\n10\t    if a:\n", "9 \tdef g():\n10\t    if b:\n"),
        "blanks, then a bar": (
            "9  | def g():\n10 |     if a:\n",
            "9  | def g():\n10 |     if b:\n",
        ),
    },
)
def test_numbers_at_the_left_of_their_column_are_taken_off(old: str, new: str) -> None:
    assert edited(PADDED, edit_of(old, new)) == PADDED.replace("if a", "if b").encode()


@cases(
    "old",
    {
        "two blanks": "9   def g():\n10      if a:\n11          return 2\n",
        "one blank": "9  def g():\n10     if a:\n",
        "lines that are all indented": "99      if a:\n100         return 2\n",
    },
)
def test_numbers_at_the_left_of_a_column_of_blanks_are_refused(old: str) -> None:
    with pytest.raises(InvalidInput, match="ambiguous"):
        edited(PADDED, edit_of(old, old.replace("if a", "if b").replace("return 2", "pass")))


def test_numbers_that_stand_in_the_file_are_text() -> None:
    old, new = "9   apples\n10  pears\n", "9   apples\n10  plums\n"
    assert edited(old, edit_of(old, new)) == new.encode()


def test_numbers_that_do_not_count_lines_are_text() -> None:
    with pytest.raises(NoMatch):
        edited("apples\npears\n", edit_of("9   apples\n12  pears\n", "9   apples\n12  plums\n"))


def test_two_repairs_go_together() -> None:
    old, new = '```\n2|    print("a < b")\n```\n', '```\n2|    print("b > a")\n```\n'
    assert placed(TEXT, edit_of(old, new)).repairs == ("fence", "line-numbers")


@cases(
    "text, old, new, after",
    {
        "escapes": ('a = "\\"b\\""\n', 'a = "\\"b\\""\n', 'a = "\\"c\\""\n', b'a = "\\"c\\""\n'),
        "entities": ("a &lt; b\n", "a &lt; b\n", "a &amp; b\n", b"a &amp; b\n"),
        "a table": ("1|a\n2|b\n", "1|a\n", "1|c\n", b"1|c\n2|b\n"),
        "a fence": ("```\na\n```\n", "```\na\n```\n", "```\nb\n```\n", b"```\nb\n```\n"),
        "a group": ("re(r'\\1')\n", "re(r'\\1')\n", "re(r'$&')\n", b"re(r'$&')\n"),
    },
)
def test_what_stands_as_it_is_written_is_not_repaired(
    text: str, old: str, new: str, after: bytes
) -> None:
    assert edited(text, edit_of(old, new)) == after


@cases(
    "old, new",
    {
        "the repaired text is nowhere either": ('    print(\\"a < c\\")\n', "x\n"),
        "numbers that do not follow": ('3|def f():\n9|    print("a < b")\n', "x\n"),
        "a line feed in a string": ('def f():\\n    print("a < b")', 'print("a\\n")'),
    },
)
def test_what_cannot_be_repaired_is_refused(old: str, new: str) -> None:
    with pytest.raises((NoMatch, InvalidInput)):
        edited(TEXT, edit_of(old, new))


LINES = ["def f(a):", "    x = 1", "", "    return a"]


@pytest.mark.parametrize(
    "mark", ["%6d\t", "%d\t", "%4d ", "%5d  ", "%d|", "%2d | ", "%d:", "%d: ", "%6d→", "%d- "]
)
def test_line_numbers_of_every_kind_are_taken_off(mark: str) -> None:
    old = "".join(f"{mark % number}{line}\n" for number, line in enumerate(LINES, 98))
    text = "# f\n" + "\n".join(LINES) + "\n"
    after = text.replace("x = 1", "x = 2")
    assert edited(text, edit_of(old, old.replace("x = 1", "x = 2"))) == after.encode()


@cases(
    "text, old, new, after",
    {
        "a new line without one": (
            "def f():\n    return x\n",
            "1 | def f():\n2 |     return x\n",
            "1 | def f():\n    y = 1\n2 |     return x\n",
            "def f():\n    y = 1\n    return x\n",
        ),
        "a new item without one": (
            "- a\n- b\n",
            "1 | - a\n2 | - b\n",
            "1 | - a\n  - c\n2 | - b\n",
            "- a\n  - c\n- b\n",
        ),
        "a new line without one above a blank line that has one": (
            "a = 1\n\nb = 2\n",
            "1\ta = 1\n2\t\n3\tb = 2\n",
            "1\ta = 1\nc = 3\n2\t\n3\tb = 2\n",
            "a = 1\nc = 3\n\nb = 2\n",
        ),
        "the old text alone, a fragment of digits at the end of the new one": (
            "name:\n      0.22.0\n",
            "39 | name:\n40 |       0",
            "title:\n      0",
            "title:\n      0.22.0\n",
        ),
        "the old text alone, a new line that begins with another number": (
            "ports:\n  80\n",
            "1:ports:\n2:  80\n",
            "ports:\n8080: http\n",
            "ports:\n8080: http\n",
        ),
    },
)
def test_only_the_numbers_of_lines_are_taken_off(text: str, old: str, new: str, after: str) -> None:
    assert edited(text, edit_of(old, new)) == after.encode()


@cases(
    "old, new",
    {
        "that go down": ("3|    x = 1\n4|    y = 2\n", "4|    y = 1\n3|    z = 2\n"),
        "before a column that nothing shows": ("9        x = 1\n", "    y\n"),
    },
)
def test_numbers_that_can_be_read_in_two_ways_are_refused(old: str, new: str) -> None:
    with pytest.raises(HkgitError):
        edited("    x = 1\n    y = 2\n", edit_of(old, new))


def test_a_line_keeps_the_space_at_its_end_that_does_not_break() -> None:
    text, old = "\tx = 1\u00a0\n\tb = 2\n", "    x = 1\u00a0\n    b = 2\n"
    after = text.replace("x = 1", "x = 5").encode()
    assert edited(text, edit_of(old, old.replace("x = 1", "x = 5"))) == after


def test_a_new_line_keeps_its_form_feed() -> None:
    text, old = "\tx = 1\n\tb = 2\n", "    x = 1\n    b = 2\n"
    assert edited(text, edit_of(old, old + "\x0cclass A:\n")) == text.encode() + b"\x0cclass A:\n"


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


ODD_LINES = (
    "def f(a):",
    "    return x",
    "- one",
    "  - two",
    "0.22.0",
    "      0.5",
    "8080: http",
    "  7 apples",
    "12",
    "| a | b |",
    '\tx = "y"',
    "\tprint('a < b')",
    '    say("hi\\n", r"\\d")',
    "&amp; more &lt;",
    "\x0cclass A:",
    "a\u00a0b\u00a0",
    "",
    "    ",
    "`code` and ${x}",
    "~~~",
    "end",
)
"""Lines that look like marks, and lines that end or begin with what is easily lost."""

Damage = Callable[[str, Sequence[bool]], str]
"""What happened to a text; where single lines may be without the damage, it says which have it."""


def numbered(form: str) -> Damage:
    """Put a number before each line, or before some."""

    def number(text: str, has_mark: Sequence[bool]) -> str:
        rows = zip(re.findall(r".*\n|.+", text), has_mark, count(9), strict=False)
        return "".join(form % n + line if is_marked else line for line, is_marked, n in rows)

    return number


def replaced(*pairs: tuple[str, str]) -> Damage:
    """Replace characters throughout."""

    def replace(text: str, _: Sequence[bool]) -> str:
        for plain, other in pairs:
            text = text.replace(plain, other)
        return text

    return replace


DAMAGES: dict[str, Damage] = {
    "backslashes": replaced(("\\", "\\\\")),
    "misquoted": replaced(),
    "fence": lambda text, has_mark: f"```\n{text}```\n" if has_mark[0] else text,
    "line-numbers": numbered("%2d|"),
    "spaced-line-numbers": numbered("%2d | "),
    "escapes": replaced(("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ('"', '\\"')),
    "quotes": replaced(('"', '\\"')),
    "newlines": replaced(("\n", "\\n")),
    "tabs": lambda text, _: re.sub(r"^\t", r"\\t", text, flags=re.MULTILINE),
    "entities": replaced(("&", "&amp;"), ("<", "&lt;")),
    "typography": replaced((" ", " \u200b")),
}
"""What each repair undoes."""


def test_every_repair_is_held_to_its_damage() -> None:
    assert DAMAGES.keys() == REPAIRS.keys()


@st.composite
def misread(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[str, Edit, str]:
    """A file, an edit that was damaged on its way, and the file as it should be after it."""
    marked = [line for line in ODD_LINES if all(map(differs, names, [line] * len(names)))]
    core = draw(st.sampled_from(marked or ODD_LINES))
    others = draw(st.permutations([line for line in ODD_LINES if line != core]))
    at = draw(st.integers(0, 4))
    lines = [*others[:at], core, *others[at : at + draw(st.integers(1, 4))]]
    start, end = draw(st.integers(0, at)), draw(st.integers(at + 1, len(lines)))
    kept = draw(st.sampled_from([lines[start:end], []]))[: draw(st.integers(0, 3))]
    added = draw(st.lists(st.sampled_from(ODD_LINES), max_size=3))
    text, old, new = map(joined, (lines, lines[start:end], [*kept, *added]))
    cut = draw(st.integers(0, len(lines[end - 1])))
    if cut and new.strip() and "fence" not in names:
        # Of the last line but the beginning is quoted.
        old, new = old[:-cut], new.removesuffix("\n")
    assume(old.rpartition("\n")[2].strip() or old.endswith("\n"))
    has_mark = draw(st.lists(st.booleans(), min_size=9, max_size=9) | st.just([True] * 9))
    damaged = old, new
    for name in reversed(names):
        before = damaged[0]
        damaged = DAMAGES[name](damaged[0], [True] * 9), DAMAGES[name](damaged[1], has_mark)
        assume(damaged[0] != before)
    assume(damaged[0] not in text and text.count(old) == 1)
    return text, edit_of(*damaged), text.replace(old, new)


def differs(name: str, line: str) -> bool:
    """Whether a damage shows in a line."""
    return DAMAGES[name](f"{line}\n", [True]) != f"{line}\n"


def joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.sampled
@pytest.mark.parametrize("names", READINGS, ids=" and ".join)
@examples(90)
@given(st.data())
def test_a_repaired_edit_writes_its_new_text_whole_and_nothing_else(
    names: tuple[str, ...], data: st.DataObject
) -> None:
    text, edit, after = data.draw(misread(names))
    with contextlib.suppress(HkgitError):
        assert edited(text, edit).decode() == after
