"""Confidence is counted by bins and by rows of its table, and drawn the same every time."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from benchmarks.engines.adapters.local import hkgit
from benchmarks.engines.cases import Case
from benchmarks.engines.diagram import Landing, drawn, numbers
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.fitting import fitted, laplace
from benchmarks.engines.grading import Truth
from benchmarks.engines.report import run

LANDINGS = [
    *[Landing("exact", 1000, True)] * 8,
    *[Landing("fuzzy", 990, True)] * 3,
    Landing("fuzzy", 990, False),
    Landing("fuzzy", 909, True),
]


def cells(table: str) -> list[list[str]]:
    return [[*map(str.strip, line.split("|")[1:-1])] for line in table.splitlines()[2:]]


def test_there_is_a_row_a_bin_of_all_and_of_each_tier() -> None:
    """Ten bins, of which the first takes whatever is below; errors are weighted by their sizes."""
    assert cells(numbers(LANDINGS)) == [
        ["all", "to 0.91", "1", "1", "0.909", "1.000", "0.0808"],
        ["all", "0.99 to 1.00", "12", "11", "0.997", "0.917", "0.0808"],
        ["exact", "0.99 to 1.00", "8", "8", "1.000", "1.000", "0.0000"],
        ["fuzzy", "to 0.91", "1", "1", "0.909", "1.000", "0.2102"],
        ["fuzzy", "0.99 to 1.00", "4", "3", "0.990", "0.750", "0.2102"],
    ]


def test_the_picture_is_the_same_for_the_same_numbers_and_is_xml() -> None:
    picture = drawn(LANDINGS)
    assert picture == drawn(list(reversed(LANDINGS)))
    root = ElementTree.fromstring(picture)
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "3 of 4 right at 0.990" in titles


def test_what_nobody_has_seen_wrong_may_be_wrong_yet() -> None:
    assert [laplace(0, 0), laplace(998, 998), laplace(98, 99)] == [500, 999, 980]


def test_a_number_is_fitted_for_each_row_of_the_table() -> None:
    """One edit lands exactly, one by the tier whitespace, one is refused."""
    before, after = b"one\ntwo\n", b"one\n2\n"
    truth = Truth(Verdict.LAND, before, after)
    edits = [Case("l", "n", before, old, "2\n", truth) for old in ("two\n", "two  \n", "zwei\n")]
    with hkgit(Path()) as engine:
        rows = cells(fitted(run(engine, edits)))
    assert [row[1:] for row in rows] == [["1", "1", "666"]] * 2
    assert rows[0][0] == "exact from 1000"
