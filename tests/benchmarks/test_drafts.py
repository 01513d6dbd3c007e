"""File, edit and result are read off the same rows."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.engines.corpus import Hunk
from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, drafted
from benchmarks.engines.rivals import has_rival, stands_elsewhere
from tests.support.cases import cases

LINES = ("top", "one", "two", "three", "end")
HUNK = Hunk("p", "f.py", LINES, 2, 3, ("TWO", "2b"), ())


def draft(above: int = 1, below: int = 1) -> Draft:
    return drafted(HUNK, above, below)


@cases(
    {
        "no context": (0, 0, "two\n", "TWO\n2b\n"),
        "context above": (1, 0, "one\ntwo\n", "one\nTWO\n2b\n"),
        "more context than there is": (
            9,
            9,
            "top\none\ntwo\nthree\nend\n",
            "top\none\nTWO\n2b\nthree\nend\n",
        ),
    },
)
def test_the_edit_with_its_context(above: int, below: int, old: str, new: str) -> None:
    assert draft(above, below).old == old
    assert draft(above, below).new == new


def test_a_line_that_stays_inside_a_change_is_a_kept_row() -> None:
    hunk = Hunk("p", "f.py", LINES, 1, 4, ("ONE", "two", "THREE"), ())
    kinds = [row.kind for row in drafted(hunk, 0, 0).rows]
    assert kinds == [GONE, ADDED, KEPT, GONE, ADDED]


def test_a_file_may_end_without_a_newline_or_have_the_change_already() -> None:
    short = replace(draft(), file_is_terminated=False)
    assert (short.before[-3:], short.ideal[-3:]) == (b"end", b"end")
    assert replace(draft(), applied=True).before == draft().ideal


@cases(
    {
        "the place may differ": (True, (b"top\n", b"end\n")),
        "the changed rows may differ": (False, (b"top\none\n", b"three\nend\n")),
    },
)
def test_what_is_fixed_before_and_after(context: bool, fixed: tuple[bytes, bytes]) -> None:
    head, tail = draft().bounds(context=context)
    assert (draft().ideal[:head], draft().ideal[-tail:]) == fixed


@cases(
    {
        "nothing like it": (("end", "x"), False),
        "a copy": (("end", "one", "two", "three"), True),
        "a copy with other blanks": (("end", "  one", "\ttwo", "three "), True),
        "without the removed line": (("end", "one", "TOO", "three"), False),
        "the removed line with less context": (("end", "two"), False),
    },
)
def test_a_rival_has_the_removed_lines_and_as_much_context(
    below: tuple[str, ...], expected: bool
) -> None:
    assert has_rival(replace(draft(), below=below)) is expected


def test_where_context_is_misquoted_a_place_with_other_context_is_a_rival() -> None:
    wrong = draft(1, 0).misquoting(0, "uno")
    assert has_rival(replace(wrong, below=("eins", "two"))) is True


@cases(
    {
        "only at its place": (("two",), ("three",), False),
        "inside a line": (("two",), ("a two",), True),
        "only elsewhere": (("x",), ("two",), True),
    },
)
def test_old_text_to_the_letter_outside_its_place(
    rows: tuple[str, ...], below: tuple[str, ...], expected: bool
) -> None:
    here = tuple(Row(GONE, real, "two") for real in rows)
    assert stands_elsewhere(Draft(("top",), here, below, HUNK)) is expected
