"""File, edit and result are read off the same rows; a mistake changes only one of them."""

from dataclasses import replace
from random import Random

import pytest

from benchmarks.engines.corpus import Hunk
from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, Verdict, drafted
from benchmarks.engines.labels import LABELS
from benchmarks.engines.labels.changes import is_at_change, partner
from benchmarks.engines.rivals import has_rival, stands_elsewhere
from tests.support.cases import cases

NUMBERS = ("top", "one", "two", "three", "end")
NUMBERED = Hunk("p", "f.py", NUMBERS, 2, 3, ("TWO", "2b"), ())


def draft_numbers(above: int = 1, below: int = 1) -> Draft:
    return drafted(NUMBERED, above, below)


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
    assert draft_numbers(above, below).old == old
    assert draft_numbers(above, below).new == new


def test_a_line_that_stays_inside_a_change_is_a_kept_row() -> None:
    hunk = Hunk("p", "f.py", NUMBERS, 1, 4, ("ONE", "two", "THREE"), ())
    kinds = [row.kind for row in drafted(hunk, 0, 0).rows]
    assert kinds == [GONE, ADDED, KEPT, GONE, ADDED]


def test_a_file_may_end_without_a_newline_or_have_the_change_already() -> None:
    short = replace(draft_numbers(), file_is_terminated=False)
    assert (short.before[-3:], short.ideal[-3:]) == (b"end", b"end")
    assert replace(draft_numbers(), applied=True).before == draft_numbers().ideal


@cases(
    {
        "the place may differ": (True, (b"top\n", b"end\n")),
        "the changed rows may differ": (False, (b"top\none\n", b"three\nend\n")),
    },
)
def test_what_is_fixed_before_and_after(context: bool, fixed: tuple[bytes, bytes]) -> None:
    head, tail = draft_numbers().bounds(context=context)
    assert (draft_numbers().ideal[:head], draft_numbers().ideal[-tail:]) == fixed


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
    assert has_rival(replace(draft_numbers(), below=below)) is expected


def test_where_context_is_misquoted_a_place_with_other_context_is_a_rival() -> None:
    wrong = draft_numbers(1, 0).misquoting(0, "uno")
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
    assert stands_elsewhere(Draft(("top",), here, below, NUMBERED)) is expected


LINES = (
    "class Counter:",
    "    def count(self, start):",
    "        # for people",
    "        self.seen = start",
    "        total = start + 1",
    "        return total",
    "# the end of it",
)
HUNK = Hunk("p", "f.py", LINES, 4, 5, ("        total = start + 2",), ())
PLACE = LINES[1:6]


def draft() -> Draft:
    """Three lines of context above the one that changes, and the one below."""
    return drafted(HUNK, 3, 1)


def made(label: str) -> Draft:
    found = LABELS[label].mistake(Random(0), draft())
    assert found is not None
    return found


def text(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


OLD = {
    "none": text(*PLACE),
    "dedented": text(*(line[4:] for line in PLACE)),
    "indented": text(*("    " + line for line in PLACE)),
    "stripped": "\n".join(PLACE).strip(),
    "crlf-edit": text(*PLACE).replace("\n", "\r\n"),
    "tabs-in-edit": text(*PLACE).replace("    ", "\t"),
    "other-unit": text(*PLACE).replace("    ", "  "),
    "escaped-newlines": text(*PLACE).replace("\n", "\\n"),
    "context-joined": text(f"{LINES[1]} # for people", *LINES[3:6]),
    "crlf-file": text(*PLACE),
}
BEFORE = {
    "crlf-file": text(*LINES).replace("\n", "\r\n"),
    "tabs-in-file": text(*LINES).replace("    ", "\t"),
    "no-final-newline": text(*LINES[:6])[:-1],
    "already-applied": text(*LINES).replace("+ 1", "+ 2"),
}


def test_what_the_old_text_and_the_file_become() -> None:
    assert {label: made(label).old for label in OLD} == OLD
    assert {label: made(label).before.decode() for label in BEFORE} == BEFORE


EDITED = (
    "dedented indented stripped crlf-edit tabs-in-edit other-unit fence escaped-newlines"
    " line-numbers context-joined context-identifier trailing-added context-line-extra"
    " removed-token"
)


@pytest.mark.parametrize("label", EDITED.split())
def test_a_mistake_in_the_edit_is_in_the_old_text_alone(label: str) -> None:
    assert made(label).before == draft().before
    assert made(label).ideal == draft().ideal
    assert made(label).old.encode() not in draft().before or label == "stripped"


def test_what_an_engine_owes() -> None:
    refused = ("removed-token", "changed-meanwhile", "duplicate", "leaked-marker")
    assert {made(label).verdict for label in refused} == {Verdict.REFUSE}
    assert made("already-applied").verdict is Verdict.REFUSE
    assert made("dedented").verdict is Verdict.LAND


def rows(kinds: str, *lines: str) -> Draft:
    """A draft made of such rows alone."""
    pairs = zip(kinds, lines, strict=True)
    return replace(draft(), rows=tuple(Row(kind, line, line) for kind, line in pairs))


@cases(
    {
        "apart": ("  + ", ("a", "b", "new", "c"), 0, False),
        "beside": ("  + ", ("a", "b", "new", "c"), 1, True),
        "slides up to it": ("  + ", ("a", "x", "x", "c"), 0, True),
        "slides down to it": (" ++  ", ("a", "x", "y", "x", "c"), 4, True),
        "a removed blank line slides": ("  - ", ("a", "", "", "c"), 0, True),
        "only blank lines between": ("   + ", ("", "", "", "new", "c"), 0, True),
        "a replaced line stays": (" -+  ", ("a", "x", "y", "y", "c"), 4, False),
    },
)
def test_whether_a_line_borders_on_a_change(
    kinds: str, lines: tuple[str, ...], at: int, expected: bool
) -> None:
    assert is_at_change(rows(kinds, *lines), at) is expected


@cases(
    {
        "edited": ("-+", ("value = 1", "value = 2"), 1),
        "kept": (KEPT + GONE + ADDED, ("a", "b", "b2"), None),
        "another line": ("-+", ("value = 1", "import os"), None),
        "removed only": ("-- ", ("value = 1", "x", "value = 2"), None),
        "as far down its run": ("--++", ("value = 1", "x", "value = 2", "y"), 2),
    },
)
def test_the_edited_form_of_a_removed_line(
    kinds: str, lines: tuple[str, ...], expected: int | None
) -> None:
    assert partner(rows(kinds, *lines), 0) == expected
