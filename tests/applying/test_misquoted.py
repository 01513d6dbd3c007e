"""Where evidence shows that the author saw the very lines, a misquoted one is a slip of the pen."""

from __future__ import annotations

import pytest

from hkgit.edits import Edit, Read
from tests.support.cases import cases
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


@cases(
    "expected, reads",
    {
        "the hash of the lines": (hash_of(SOURCE, 4, 7), ()),
        "the hash of the file": (hash_of(SOURCE, 1, 12), ()),
        "a receipt": (None, (Read("f.py", 1, 8, hash_of(SOURCE, 1, 8), "receipt"),)),
    },
)
def test_evidence_lets_a_misquoted_line_give_way(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert result(made) == {"f.py": AFTER}
    assert only(made).repairs == ("misquoted",)
    assert only(made).confidence == 0.985


@cases(
    "expected, reads",
    {
        "none": (None, ()),
        "the hash of other lines": (hash_of(SOURCE, 10, 12), ()),
        "a receipt of other lines": (
            None,
            (Read("f.py", 10, 12, hash_of(SOURCE, 10, 12), "receipt"),),
        ),
    },
)
def test_without_evidence_of_the_place_it_is_a_conflict(
    expected: str | None, reads: tuple[Read, ...]
) -> None:
    made = on_base({"f.py": SOURCE}, _edit(MISQUOTED, expected), reads=reads)
    assert refusal(made).startswith("conflict: f.py:4: ")


def test_a_hash_finds_no_line_that_the_quotation_misses() -> None:
    edit = Edit("f.py", "    width = lenn(x)\n", "pass\n", expected_hash=hash_of(SOURCE, 6, 6))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith("no_match: f.py: ")


@pytest.mark.parametrize("line", [3, 8])
def test_the_hash_of_a_line_more_than_is_quoted_is_stale(line: int) -> None:
    edit = _edit(LOAD, hash_of(SOURCE, min(line, 4), max(line, 7)))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith("stale: f.py:4-7: ")


def test_the_hash_of_a_line_like_the_one_that_is_quoted_is_stale() -> None:
    data = b"    check(width, 5)\n    grow(width)\n    check(width, 7)\n"
    edit = Edit("f.py", "    check(width, 5)\n", "x\n", expected_hash=hash_of(data, 3, 3))
    assert refusal(on_base({"f.py": data}, edit)).startswith("stale: f.py:")


def test_the_hash_of_another_line_does_not() -> None:
    edit = Edit("f.py", "    size = lenn(data)\n", "pass\n", expected_hash=hash_of(SOURCE, 7, 7))
    assert refusal(on_base({"f.py": SOURCE}, edit)).startswith("no_match: f.py: ")


def test_a_part_of_a_word_is_replaced_where_the_line_was_seen() -> None:
    edit = Edit("f.py", "pars", "brows", expected_hash=hash_of(SOURCE, 7, 7))
    assert result(on_base({"f.py": SOURCE}, edit)) == {"f.py": SOURCE.replace(b"pars", b"brows")}


def test_a_hash_of_lines_that_an_earlier_edit_removed_finds_nothing() -> None:
    first = Edit("f.py", LOAD, "")
    again = Edit("f.py", LOAD + "x\n", "", expected_hash=hash_of(SOURCE, 4, 7))
    made = in_sequence({"f.py": f"import os\n{LOAD}".encode()}, first, again)
    assert [outcome.error is None for outcome in made.outcomes] == [True, False]


def test_one_quoted_line_with_the_hash_of_exactly_that_line_gives_way() -> None:
    line = "    data = open(path).read()\n"
    edit = _edit(line.replace("read()", "reads()"), hash_of(SOURCE, 5, 5))
    edit = Edit("f.py", edit.old_text, "    data = read(path)\n", expected_hash=edit.expected_hash)
    made = on_base({"f.py": SOURCE}, edit)
    assert result(made) == {"f.py": AFTER}
    assert only(made).repairs == ("misquoted",)
    assert refusal(on_base({"f.py": SOURCE}, Edit("f.py", edit.old_text, edit.new_text)))
