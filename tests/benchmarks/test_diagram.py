"""Confidence is counted by bins and by rows of its table, and drawn the same every time."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.engines.adapters.local import hkgit
from benchmarks.engines.cases import Case
from benchmarks.engines.diagram import (
    Landing,
    bin_of,
    binned,
    calibration_error,
    drawn,
    landings,
    numbers,
)
from benchmarks.engines.drafts import Verdict
from benchmarks.engines.fitting import fitted, laplace
from benchmarks.engines.grading import Truth
from benchmarks.engines.report import Outcome, run

LANDINGS = [
    *[Landing("exact", 1000, True)] * 8,
    *[Landing("fuzzy", 990, True)] * 3,
    Landing("fuzzy", 990, False),
    Landing("fuzzy", 850, True),
]


@pytest.mark.parametrize(
    ("confidence", "number"), [(0, 0), (909, 0), (910, 1), (989, 8), (990, 9), (1000, 9)]
)
def test_ten_bins_of_which_the_first_takes_whatever_is_below(confidence: int, number: int) -> None:
    assert bin_of(confidence) == number


def test_a_bin_holds_how_many_are_right_and_the_mean_of_what_was_said() -> None:
    last = binned(LANDINGS)[9]
    assert last.landed == 12
    assert last.right == 11
    assert last.mean == pytest.approx((8 * 1 + 4 * 0.99) / 12)


def test_the_error_is_by_how_much_bins_are_off_by_their_weight() -> None:
    fuzzy = [each for each in LANDINGS if each.tier == "fuzzy"]
    assert calibration_error(fuzzy) == pytest.approx((4 * (0.99 - 0.75) + 0.15) / 5)


def test_there_is_a_row_a_bin_of_all_and_of_each_tier() -> None:
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in numbers(LANDINGS).splitlines()[2:]
    ]
    assert rows == [
        ["all", "to 0.91", "1", "1", "0.850", "1.000", "0.0854"],
        ["all", "0.99 to 1.00", "12", "11", "0.997", "0.917", "0.0854"],
        ["exact", "0.99 to 1.00", "8", "8", "1.000", "1.000", "0.0000"],
        ["fuzzy", "to 0.91", "1", "1", "0.850", "1.000", "0.2220"],
        ["fuzzy", "0.99 to 1.00", "4", "3", "0.990", "0.750", "0.2220"],
    ]


def test_the_picture_is_the_same_for_the_same_numbers_and_is_xml() -> None:
    picture = drawn(LANDINGS)
    assert picture == drawn(list(reversed(LANDINGS)))
    root = ElementTree.fromstring(picture)
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "3 of 4 right at 0.990" in titles


def test_what_nobody_has_seen_wrong_may_be_wrong_yet() -> None:
    assert laplace(0, 0) == 500
    assert laplace(998, 998) == 999
    assert laplace(98, 99) == 980


@pytest.fixture
def outcomes() -> list[Outcome]:
    """One edit that lands exactly, one that lands by the tier whitespace, one refused."""
    before, after = b"one\ntwo\n", b"one\n2\n"
    truth = Truth(Verdict.LAND, before, after)
    cases = [Case("l", "n", before, old, "2\n", truth) for old in ("two\n", "two  \n", "zwei\n")]
    with hkgit(Path()) as engine:
        return run(engine, cases)


def test_what_landed_is_counted_by_tier(outcomes: list[Outcome]) -> None:
    assert [(each.tier, each.is_right) for each in landings(outcomes)] == [
        ("exact", True),
        ("whitespace", True),
    ]


def test_a_number_is_fitted_for_each_row_of_the_table(outcomes: list[Outcome]) -> None:
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in fitted(outcomes).splitlines()[2:]
    ]
    assert [row[1:] for row in rows] == [["1", "1", "666"], ["1", "1", "666"]]
    assert rows[0][0] == "exact from 1000"
