"""What a mistake does to the edit, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from benchmarks.engines.corpus import Hunk
from benchmarks.engines.drafts import ADDED, GONE, KEPT, Draft, Row, Verdict, drafted
from benchmarks.engines.labels import LABELS
from benchmarks.engines.labels.changes import is_at_change, partner

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


@pytest.mark.parametrize(
    ("label", "old"),
    [
        pytest.param("none", text(*PLACE), id="none"),
        pytest.param("dedented", text(*(line[4:] for line in PLACE)), id="dedented"),
        pytest.param("indented", text(*("    " + line for line in PLACE)), id="indented"),
        pytest.param("stripped", "\n".join(PLACE).strip(), id="stripped"),
        pytest.param("crlf-edit", text(*PLACE).replace("\n", "\r\n"), id="crlf"),
        pytest.param("tabs-in-edit", text(*PLACE).replace("    ", "\t"), id="tabs"),
        pytest.param("other-unit", text(*PLACE).replace("    ", "  "), id="unit"),
        pytest.param("escaped-newlines", text(*PLACE).replace("\n", "\\n"), id="newlines"),
        pytest.param("context-joined", text(f"{LINES[1]} # for people", *LINES[3:6]), id="joined"),
        pytest.param("crlf-file", text(*PLACE), id="the file alone"),
    ],
)
def test_what_the_old_text_becomes(label: str, old: str) -> None:
    assert made(label).old == old


EDITED = [
    "dedented",
    "indented",
    "stripped",
    "crlf-edit",
    "tabs-in-edit",
    "other-unit",
    "fence",
    "escaped-newlines",
    "line-numbers",
    "context-joined",
    "context-identifier",
    "trailing-added",
    "context-line-extra",
    "removed-token",
]


@pytest.mark.parametrize("label", EDITED)
def test_a_mistake_in_the_edit_leaves_file_and_result_alone(label: str) -> None:
    assert made(label).before == draft().before
    assert made(label).ideal == draft().ideal


@pytest.mark.parametrize("label", EDITED)
def test_a_mistake_in_the_edit_is_in_the_old_text(label: str) -> None:
    assert made(label).old.encode() not in draft().before or label == "stripped"


@pytest.mark.parametrize(
    ("label", "before"),
    [
        pytest.param("crlf-file", text(*LINES).replace("\n", "\r\n"), id="crlf"),
        pytest.param("tabs-in-file", text(*LINES).replace("    ", "\t"), id="tabs"),
        pytest.param("no-final-newline", text(*LINES[:6])[:-1], id="no final newline"),
        pytest.param("already-applied", text(*LINES).replace("+ 1", "+ 2"), id="already applied"),
    ],
)
def test_what_the_file_becomes(label: str, before: str) -> None:
    assert made(label).before.decode() == before


@pytest.mark.parametrize(
    ("label", "verdict"),
    [
        pytest.param("dedented", Verdict.LAND, id="dedented"),
        pytest.param("removed-token", Verdict.REFUSE, id="removed token"),
        pytest.param("changed-meanwhile", Verdict.REFUSE, id="changed meanwhile"),
        pytest.param("duplicate", Verdict.REFUSE, id="duplicate"),
        pytest.param("already-applied", Verdict.REFUSE, id="already applied"),
        pytest.param("leaked-marker", Verdict.REFUSE, id="leaked marker"),
    ],
)
def test_what_an_engine_owes(label: str, verdict: Verdict) -> None:
    assert made(label).verdict is verdict


def rows(kinds: str, *lines: str) -> Draft:
    """A draft made of such rows alone."""
    pairs = zip(kinds, lines, strict=True)
    return replace(draft(), rows=tuple(Row(kind, line, line) for kind, line in pairs))


@pytest.mark.parametrize(
    ("kinds", "lines", "at", "expected"),
    [
        pytest.param("  + ", ("a", "b", "new", "c"), 0, False, id="apart"),
        pytest.param("  + ", ("a", "b", "new", "c"), 1, True, id="beside"),
        pytest.param("  + ", ("a", "x", "x", "c"), 0, True, id="slides up to it"),
        pytest.param(" ++  ", ("a", "x", "y", "x", "c"), 4, True, id="slides down to it"),
        pytest.param("  - ", ("a", "", "", "c"), 0, True, id="a removed blank line slides"),
        pytest.param("   + ", ("", "", "", "new", "c"), 0, True, id="only blank lines between"),
        pytest.param(" -+  ", ("a", "x", "y", "y", "c"), 4, False, id="a replaced line stays"),
    ],
)
def test_whether_a_line_borders_on_a_change(
    kinds: str, lines: tuple[str, ...], at: int, expected: bool
) -> None:
    assert is_at_change(rows(kinds, *lines), at) is expected


@pytest.mark.parametrize(
    ("kinds", "lines", "expected"),
    [
        pytest.param("-+", ("value = 1", "value = 2"), 1, id="edited"),
        pytest.param("-+", ("value = 1", "import os"), None, id="another line"),
        pytest.param("-- ", ("value = 1", "x", "value = 2"), None, id="removed only"),
        pytest.param("--++", ("value = 1", "x", "value = 2", "y"), 2, id="as far down its run"),
    ],
)
def test_the_edited_form_of_a_removed_line(
    kinds: str, lines: tuple[str, ...], expected: int | None
) -> None:
    assert partner(rows(kinds, *lines), 0) == expected


def test_kept_rows_have_no_edited_form() -> None:
    assert partner(rows(KEPT + GONE + ADDED, "a", "b", "b2"), 0) is None
