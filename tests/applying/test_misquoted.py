"""Where evidence shows that the author saw the very lines, a misquoted one is a slip of the pen."""

from __future__ import annotations

import pytest

from hkgit.edits import Edit, Read
from tests.support.planning import hash_of, in_sequence, on_base, only, refusal, result

SOURCE = b"""import os


def load(path):
    data = open(path).read()
    size = len(data)
    return parse(data, size)


def save(path, data):
    open(path, "w").write(data)
    return True
"""
LOAD = SOURCE.decode().split("\n\n\n")[1] + "\n"
MISQUOTED = LOAD.replace("read()", "readall()")
AFTER = SOURCE.replace(b"open(path).read()", b"read(path)")


def _edit(old: str, expected: str | None = None) -> Edit:
    wrong, right = "open(path).readall()", "open(path).read()"
    new = old.replace(wrong, "read(path)").replace(right, "read(path)")
    return Edit("f.py", old, new, expected_hash=expected)


@pytest.mark.parametrize(
    ("expected", "reads"),
    [
        pytest.param(hash_of(SOURCE, 4, 7), (), id="the hash of the lines"),
        pytest.param(hash_of(SOURCE, 1, 12), (), id="the hash of the file"),
        pytest.param(None, (Read("f.py", 1, 8, hash_of(SOURCE, 1, 8), "receipt"),), id="a receipt"),
    ],
)
def test_evidence_lets_a_misquoted_line_give_way(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert result(made) == {"f.py": AFTER}
    assert only(made).repairs == ("misquoted",)
    assert only(made).confidence == 0.985


@pytest.mark.parametrize(
    ("expected", "reads"),
    [
        pytest.param(None, (), id="none"),
        pytest.param(hash_of(SOURCE, 10, 12), (), id="the hash of other lines"),
        pytest.param(
            None,
            (Read("f.py", 10, 12, hash_of(SOURCE, 10, 12), "receipt"),),
            id="a receipt of other lines",
        ),
    ],
)
def test_without_evidence_of_the_place_it_is_a_conflict(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert refusal(made).startswith("conflict: f.py:4: ")


@pytest.mark.parametrize(
    "old",
    [
        pytest.param(LOAD.replace("    size = len(data)\n", ""), id="a line too few"),
        pytest.param(LOAD.replace("    return", "    check(size)\n    return"), id="one too many"),
        pytest.param(LOAD + "\n", id="a line below"),
    ],
)
def test_a_hash_finds_the_lines_that_the_quotation_misses(old: str) -> None:
    made = on_base({"f.py": SOURCE}, _edit(old, hash_of(SOURCE, 4, 7)))
    assert result(made) == {"f.py": AFTER}
    assert only(made).base_lines == ((4, 7),)
    assert only(made).evidence.kind == "hash"


def test_a_part_of_a_word_is_replaced_where_the_line_was_seen() -> None:
    edit = Edit("f.py", "pars", "brows", expected_hash=hash_of(SOURCE, 7, 7))
    assert result(on_base({"f.py": SOURCE}, edit)) == {"f.py": SOURCE.replace(b"pars", b"brows")}


def test_a_hash_of_lines_that_an_earlier_edit_removed_finds_nothing() -> None:
    first = Edit("f.py", LOAD, "")
    again = Edit("f.py", LOAD + "x\n", "", expected_hash=hash_of(SOURCE, 4, 7))
    made = in_sequence({"f.py": f"import os\n{LOAD}".encode()}, first, again)
    assert [outcome.error is None for outcome in made.outcomes] == [True, False]
