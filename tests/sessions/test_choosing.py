"""Which edits are in what is staged: those whose result is nearest to it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.edits import EXECUTABLE, File
from hkgit.sessions import placement
from hkgit.sessions.placement import choose_edits, measure_distance
from tests.support.cases import cases
from tests.support.properties import examples

BASE = [f"line {number}\n" for number in range(10)]
NUMBERS = st.sets(st.integers(0, 9))


def make(numbers: Sequence[int]) -> list[File | None]:
    """A file in which some of ten lines are written anew."""
    lines = [f"{number * 111111}\n" if number in numbers else BASE[number] for number in range(10)]
    return [File("".join(lines).encode())]


@given(NUMBERS, NUMBERS)
@examples(50)
def test_the_edits_that_are_staged_are_found(edits: set[int], staged: set[int]) -> None:
    found = choose_edits(sorted(edits), make, make(sorted(edits & staged)), sorted(edits))
    assert set(found) == edits & staged


@cases(
    {
        "as written": (b"x = [1,2]\n", [1]),
        "after a formatter": (b"x = [1, 2]\n", [1]),
        "after a formatter that breaks lines": (b"x = [\n    1,\n    2,\n]\n", [1]),
        "taken out": (b"", []),
        "by somebody else": (b"def something_else():\n", []),
    },
)
def test_an_insertion_is_known_again(staged: bytes, expected: list[int]) -> None:
    def insert(numbers: Sequence[int]) -> list[File | None]:
        return [File(b"above\n" + b"x = [1,2]\n" * len(numbers) + b"below\n")]

    assert choose_edits([1], insert, [File(b"above\n" + staged + b"below\n")], [1]) == expected


def test_of_very_many_edits_none_is_tried_by_itself() -> None:
    edits = list(range(placement.TRIED + 1))
    assert choose_edits(edits, make, make([]), edits) == edits


@cases(
    {
        "the same": (File(b"a\n"), File(b"a\n"), 0),
        "a letter": (File(b"a\nb\n"), File(b"a\nc\n"), 2),
        "the mode": (File(b"a\n"), File(b"a\n", EXECUTABLE), 1),
        "both absent": (None, None, 0),
    },
)
def test_how_far_two_files_are_apart(left: File | None, right: File | None, apart: int) -> None:
    assert measure_distance(left, right) == apart


def test_large_files_are_compared_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "_COMPARED", 3)
    assert measure_distance(File(b"one\ntwo\n"), File(b"ONE\ntwo\nthree\n")) == len(
        "one\nONE\nthree\n"
    )
