"""A refusal proposes the edit as it would be right, and names the places that were meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import Edit
from hkgit.errors import HkgitError, Near, NoMatch
from hkgit.matching.advice import MOST
from tests.matching.editing import edit_of, edit_within, edited
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
HEAD, CHECK, RESULT, RETURN = TEXT.splitlines(keepends=True)[:4]
BODY = f"{CHECK}{RESULT}{RETURN}"


def refused(text: str, edit: Edit) -> HkgitError:
    """How an edit is refused."""
    with pytest.raises(HkgitError) as caught:
        edited(text, edit)
    return caught.value


def proposed(text: str, edit: Edit) -> Edit | None:
    """The edit that a refusal proposes."""
    correction = refused(text, edit).corrected
    assert correction is None or isinstance(correction, Edit)
    return correction


@cases(
    {
        "a line to be removed says something else": (
            edit_within(BODY.replace("* height", "* length"), "* length", "* 2"),
            edit_within(BODY, "* height", "* 2"),
        ),
        "the author's number, not a mix of both": (
            edit_within(BODY.replace("5", "6"), "6", "8"),
            edit_within(BODY, "5", "8"),
        ),
        "one line alone": (
            edit_of("    results = width + height\n", "    result = 1\n"),
            edit_of(RESULT, "    result = 1\n"),
        ),
        "the new text repeats the misquotation": (
            edit_of("    result = width * heigth\n", "    result = round(width * heigth, 2)\n"),
            edit_of(RESULT, "    result = round(width * height, 2)\n"),
        ),
        "the quotation leaves a word out": (
            edit_within(f"    check(width)\n{RESULT}", "(width)", "(2 * width)"),
            edit_within(f"{CHECK}{RESULT}", "(width", "(2 * width"),
        ),
        "the new text has the word that the quotation leaves out": (
            edit_within(f"    check(width)\n{RESULT}", "(width)", "(width, 5, 9)"),
            edit_within(f"{CHECK}{RESULT}", "5", "5, 9"),
        ),
    },
)
def test_the_proposal(edit: Edit, expected: Edit) -> None:
    assert proposed(TEXT, edit) == expected


IMPORTS = """\
from git.transaction.commits import (
    CommitPlan,
    Trail,
    commit_worktree,
    read_commits,
)
"""
TWO_CHECKS = TEXT.replace("7", "5")
LONG = f"a\nx = '{'y' * MOST}'\nb\n"


@cases(
    {
        "a line beside it repeats the misquotation": (
            TEXT,
            edit_within(
                f"    result = width * heigth\n{RETURN}", RETURN, f"    show(heigth)\n{RETURN}"
            ),
        ),
        "an invented body between lines that are there is too unlike": (
            TEXT,
            edit_of(
                f"{HEAD}    made_up()\n    all_of_it()\n{RETURN}",
                f"{HEAD}    result = 1\n{RETURN}",
            ),
        ),
        "nothing is near": (TEXT, edit_of("def nothing():\n    like = this\n", "x\n")),
        "what three dots left out is not removed": (
            TEXT,
            edit_of(f"{HEAD}    ...\n{RETURN}", f"{HEAD}    return 1\n"),
        ),
        "two places are as near": (TWO_CHECKS, edit_within("    check(width, 55)\n", "55", "6")),
        "another line is in the place of the one to be removed": (
            IMPORTS,
            edit_within(IMPORTS.replace("Trail", "check_signature"), "    check_signature,\n", ""),
        ),
        "a word that it brings is there already": (
            IMPORTS,
            edit_within(IMPORTS.replace("n.commits", "n"), "git.transaction", "git.commits"),
        ),
        "an edit of all places": (
            TEXT,
            Edit("f.py", "    results = width + height\n", "    result = 1\n", replace_all=True),
        ),
        "it would cost more than to read": (LONG, edit_of("a\nx = 'y'\nb\n", "a\nb\n")),
    },
)
def test_nothing_is_proposed_where(text: str, edit: Edit) -> None:
    assert proposed(text, edit) is None


BLOCK = "def area(width):\n    result = width * width\n    return result\n"
LONGER = BLOCK.replace("    return", "    check(result, 2 * width)\n    log(result)\n    return")


@cases(
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
    edit = edit_within(old, "return result", "return round(result)")
    assert (proposed(text, edit) is not None) == is_proposed


CLASS = "class A:\n    def get(self):\n        return self.a\n"


@cases(
    {
        "each of two blocks that are as near": (
            CLASS + "\n" + CLASS.replace("A", "B").replace(".a", ".b"),
            edit_of(CLASS.replace("A", "C").replace(".a", ".c"), ""),
            [(1, 3), (5, 7)],
        ),
        "a place once, however its lines are paired": (
            "a()\nb()\nd()\n",
            edit_within("a()\nb()\nc()\nd()\n", "d()\n", "d()\ne()\n"),
            [(1, 3)],
        ),
        "a small file without anything near, whole": (TEXT, edit_of("qqq zzz\n", "x\n"), [(1, 9)]),
        "nothing of a large one": (TEXT * 20, edit_of("qqq zzz\n", "x\n"), []),
    },
)
def test_a_text_that_is_nowhere_is_answered_with_what_is_near(
    text: str, edit: Edit, near: list[tuple[int, int]]
) -> None:
    error = refused(text, edit)
    assert isinstance(error, NoMatch)
    assert [(each.start_line, each.end_line) for each in error.near] == near


@cases(
    {
        "with what tells them apart": (
            TEXT,
            edit_of("    check(width, ", "    test(width, "),
            (Near(2, 2), Near(8, 8)),
        ),
        "in equal surroundings all the same": (
            "a\nb\n" * 40,
            edit_of("b\n", "c\n"),
            (Near(2, 2), Near(4, 4), Near(6, 6)),
        ),
    },
)
def test_equal_places_are_named(text: str, edit: Edit, near: tuple[Near, ...]) -> None:
    assert refused(text, edit).near == near


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
    {
        "its end": ("function test() {}", "function test()"),
        "its beginning": ("a function test() {", "function test() {"),
    },
)
def test_what_an_old_line_leaves_out_is_not_proposed_away(line: str, quoted: str) -> None:
    old, new = f"\n{quoted}\n\t", f"\n{quoted.replace('test', 'best')}\n\t"
    assert proposed(f"{line}\n", edit_of(old, new)) is None
    whole = proposed(f"{line}\n", edit_of(old, f"\n{line.replace('test', 'best')}\n\t"))
    assert whole in (None, edit_within(f"{line}\n", "test", "best"))


AREA = f"def area(width, height):\n    check(width)\n{RESULT}{RETURN}x = 1\n"


@cases(
    {
        "the nearest lines": (
            f"{HEAD}    check(height)\n    result = 1\n    exit()\n",
            "Nearest: lines? 1",
        ),
        "the nearest line": ("    results = width + height\n", "line 3, .. % alike"),
        "the shortest line": ("  x = 3\n", "Line 5 says 'x = 1', the edit 'x = 3'"),
        "that it is part of a word": ("are", "only inside a longer word, 'area'"),
        "that nothing is like it": ("qqq zzz\n", "No similar line was found"),
        "the first line that differs, from both sides": (
            f"    check(width)\n    result = width + height\n{RETURN}",
            r"Line 3 says '.*\*.*', the edit '.*\+.*'",
        ),
    },
)
def test_the_words_name(old: str, said: str) -> None:
    with pytest.raises(HkgitError, match=said):
        edited(AREA, edit_of(old, "x\n"))
