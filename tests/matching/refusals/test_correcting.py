"""A refusal proposes the edit as it would be right, and names the places that were meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import Edit
from hkgit.errors import HkgitError, Near, NoMatch
from hkgit.matching.advice import MOST
from tests.matching.editing import edit_of, edited
from tests.support.cases import cases
from tests.support.properties import examples

TEXT = """\
def area(width, height):
    check(width, 5)
    result = width * height
    return result


def length(width):
    check(width, 7)
    return width
"""


def refused(text: str, edit: Edit) -> HkgitError:
    """How an edit is refused."""
    with pytest.raises(HkgitError) as caught:
        edited(text, edit)
    return caught.value


def proposed(text: str, old: str, new: str) -> tuple[str, str] | None:
    """The old and new text of the edit that a refusal proposes."""
    correction = refused(text, edit_of(old, new)).corrected
    if correction is None:
        return None
    assert isinstance(correction, Edit)
    return correction.old_text, correction.new_text


BODY = "    check(width, 5)\n    result = width * height\n    return result\n"


@cases(
    "old, new, expected",
    {
        "a line to be removed says something else": (
            BODY.replace("* height", "* length"),
            BODY.replace("* height", "* 2"),
            (BODY, BODY.replace("* height", "* 2")),
        ),
        "the author's number, not a mix of both": (
            BODY.replace("5", "6"),
            BODY.replace("5", "8"),
            (BODY, BODY.replace("5", "8")),
        ),
        "one line alone": (
            "    results = width + height\n",
            "    result = 1\n",
            ("    result = width * height\n", "    result = 1\n"),
        ),
        "the new text repeats the misquotation": (
            "    result = width * heigth\n",
            "    result = round(width * heigth, 2)\n",
            ("    result = width * height\n", "    result = round(width * height, 2)\n"),
        ),
        "a line beside it repeats the misquotation": (
            "    result = width * heigth\n    return result\n",
            "    result = width * heigth\n    show(heigth)\n    return result\n",
            None,
        ),
        "the quotation leaves a word out": (
            "    check(width)\n    result = width * height\n",
            "    check(2 * width)\n    result = width * height\n",
            (
                "    check(width, 5)\n    result = width * height\n",
                "    check(2 * width, 5)\n    result = width * height\n",
            ),
        ),
        "the new text has the word that the quotation leaves out": (
            "    check(width)\n    result = width * height\n",
            "    check(width, 5, 9)\n    result = width * height\n",
            (
                "    check(width, 5)\n    result = width * height\n",
                "    check(width, 5, 9)\n    result = width * height\n",
            ),
        ),
        "an invented body between lines that are there is too unlike": (
            "def area(width, height):\n    made_up()\n    all_of_it()\n    return result\n",
            "def area(width, height):\n    result = 1\n    return result\n",
            None,
        ),
        "nothing is near": ("def nothing():\n    like = this\n", "x\n", None),
        "what three dots left out is not removed": (
            "def area(width, height):\n    ...\n    return result\n",
            "def area(width, height):\n    return 1\n",
            None,
        ),
    },
)
def test_the_proposal(old: str, new: str, expected: tuple[str, str] | None) -> None:
    assert proposed(TEXT, old, new) == expected


IMPORTS = """\
from git.transaction.commits import (
    CommitPlan,
    Trail,
    commit_worktree,
    read_commits,
)
"""


@cases(
    "old, new",
    {
        "another line is in the place of the one to be removed": (
            IMPORTS.replace("Trail", "check_signature"),
            IMPORTS.replace("    Trail,\n", ""),
        ),
        "a word that it brings is there already": (
            IMPORTS.replace("transaction.commits", "transaction"),
            IMPORTS.replace("transaction.commits", "commits"),
        ),
    },
)
def test_nothing_is_proposed_where_it_is_unclear_what_the_change_means(old: str, new: str) -> None:
    assert proposed(IMPORTS, old, new) is None


def test_nothing_is_proposed_where_two_places_are_as_near() -> None:
    twice = TEXT.replace("check(width, 7)", "check(width, 5)")
    assert proposed(twice, "    check(width, 55)\n", "    check(width, 6)\n") is None


BLOCK = "def area(width):\n    result = width * width\n    return result\n"
LONGER = BLOCK.replace("    return", "    check(result, 2 * width)\n    log(result)\n    return")


@cases(
    "text, name, is_proposed",
    {
        "another name above lines that others may have too": (BLOCK, "volume", False),
        "no such name": (BLOCK.partition("\n")[2], "area", False),
        "another name above much that surely is meant": (LONGER, "areas", True),
    },
)
def test_a_block_of_another_name_may_be_another_one(
    text: str, name: str, is_proposed: bool
) -> None:
    old = text.replace("area", name) if "def" in text else BLOCK
    new = old.replace("return result", "return round(result)")
    assert (proposed(text, old, new) is not None) == is_proposed


def test_neither_of_two_blocks_that_are_as_near_is_the_place() -> None:
    text = "class A:\n    def get(self):\n        return self.a\n"
    old = text.replace("A", "C").replace(".a", ".c")
    error = refused(text + "\n" + text.replace("A", "B").replace(".a", ".b"), edit_of(old, ""))
    assert isinstance(error, NoMatch)
    assert [(near.start_line, near.end_line) for near in error.near] == [(1, 3), (5, 7)]


def test_a_place_is_named_once_however_its_lines_are_paired() -> None:
    error = refused("a()\nb()\nd()\n", edit_of("a()\nb()\nc()\nd()\n", "a()\nb()\nc()\nd()\ne()\n"))
    assert isinstance(error, NoMatch)
    assert [(near.start_line, near.end_line) for near in error.near] == [(1, 3)]


def test_nothing_is_proposed_for_an_edit_of_all_places() -> None:
    edit = Edit("f.py", "    results = width + height\n", "    result = 1\n", replace_all=True)
    assert refused(TEXT, edit).corrected is None


def test_nothing_is_proposed_that_costs_more_than_to_read() -> None:
    long = f"x = '{'y' * MOST}'\n"
    assert proposed(f"a\n{long}b\n", "a\nx = 'y'\nb\n", "a\nb\n") is None


def test_equal_places_are_named_with_what_tells_them_apart() -> None:
    error = refused(TEXT, edit_of("    check(width, ", "    test(width, "))
    assert error.near == (Near(2, 2), Near(8, 8))


def test_a_small_file_without_anything_near_is_named_whole() -> None:
    assert refused(TEXT, edit_of("qqq zzz\n", "x\n")).near == (Near(1, 9),)


def test_a_large_file_without_anything_near_is_not() -> None:
    assert refused(TEXT * 20, edit_of("qqq zzz\n", "x\n")).near == ()


def test_places_in_equal_surroundings_are_named_all_the_same() -> None:
    error = refused("a\nb\n" * 40, edit_of("b\n", "c\n"))
    assert [near.start_line for near in error.near] == [2, 4, 6]


LINE = st.sampled_from(["a = 1", "b = 2", "  c(a, b)", "", "}", "return d(a)"])


@examples(100)
@given(st.lists(LINE, min_size=1, max_size=12), st.lists(LINE, min_size=1, max_size=4))
def test_a_proposal_can_be_applied_as_it_is(lines: list[str], wanted: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    old = "".join(f"{line}!\n" for line in wanted)
    try:
        edited(text, edit_of(old, "new = 1\n"))
    except HkgitError as error:
        correction = error.corrected
        if isinstance(correction, Edit):
            assert text.count(correction.old_text) == 1
            edited(text, correction)


@cases(
    "line, quoted",
    {
        "its end": ("function test() {}", "function test()"),
        "its beginning": ("a function test() {", "function test() {"),
    },
)
def test_what_an_old_line_leaves_out_is_not_proposed_away(line: str, quoted: str) -> None:
    old, new = f"\n{quoted}\n\t", f"\n{quoted.replace('test', 'best')}\n\t"
    assert proposed(f"{line}\n", old, new) is None
    whole = proposed(f"{line}\n", old, f"\n{line.replace('test', 'best')}\n\t")
    assert whole in (None, (f"{line}\n", f"{line.replace('test', 'best')}\n"))


AREA = """\
def area(width, height):
    check(width)
    result = width * height
    return result
x = 1
"""


@cases(
    "old, said",
    {
        "the nearest lines": (
            "def area(width, height):\n    check(height)\n    result = 1\n    exit()\n",
            r"Nearest: lines? 1",
        ),
        "the nearest line": ("    results = width + height\n", "line 3, .. % alike"),
        "the shortest line": ("  x = 3\n", "Line 5 says 'x = 1', the edit 'x = 3'"),
        "that it is part of a word": ("are", "only inside a longer word, 'area'"),
        "that nothing is like it": ("qqq zzz\n", "No similar line was found"),
    },
)
def test_a_text_that_is_nowhere(old: str, said: str) -> None:
    with pytest.raises(NoMatch, match=said):
        edited(AREA, edit_of(old, "x\n"))


def test_the_first_line_that_differs_is_quoted_from_both_sides() -> None:
    old = "    check(width)\n    result = width + height\n    return result\n"
    with pytest.raises(HkgitError, match=r"Line 3 says '.*\*.*', the edit '.*\+.*'"):
        edited(AREA, edit_of(old, old.replace("result", "r")))
