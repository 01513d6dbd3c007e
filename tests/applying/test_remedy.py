"""What the next call needs stands in the outcome: places with hash and text, a corrected edit."""

from __future__ import annotations

import json

from hkgit import dialects
from hkgit.applying.outcome import Candidate, EditOutcome, refusal_text
from hkgit.applying.planner import plan
from hkgit.applying.remedy import MOST, MOST_IN_ALL, SHOWN, measure_size
from hkgit.edits import Edit, File, ReplaceRange, encode_text
from hkgit.text.document import range_hash
from tests.support.cases import cases
from tests.support.planning import in_sequence, on_base, snapshot
from tests.support.repos import Repo

DATA = b"x = 1\ny = 2\nz = 3\nx = 1\nw = 4\n"
SECOND = range_hash(DATA, 4, 5)


def refused(*edits: Edit | ReplaceRange, data: bytes = DATA) -> EditOutcome:
    """The outcome of the last edit."""
    return in_sequence({"f": data}, *edits).outcomes[-1]


def test_an_ambiguous_edit_gets_every_place_with_hash_and_text() -> None:
    wide = (range_hash(DATA, 1, 2), range_hash(DATA, 4, 5))
    assert refused(Edit("f", "x = 1\n", "x = 9\n")).candidates == (
        Candidate(1, 2, wide[0], None, "x = 1\ny = 2\n"),
        Candidate(4, 5, wide[1], None, "x = 1\nw = 4\n"),
    )


def test_a_candidate_is_an_edit_that_lands() -> None:
    chosen = refused(Edit("f", "x = 1\n", "x = 9\n")).candidates[1]
    edit = Edit("f", chosen.text or "", "x = 9\nw = 4\n", chosen.range_hash)
    after = in_sequence({"f": DATA}, edit).files[0].after
    assert after == File(DATA.replace(b"x = 1\nw", b"x = 9\nw"))


def test_a_stale_range_gets_the_lines_as_they_are() -> None:
    edit = ReplaceRange("f", 2, 3, ("q",), "0" * 64)
    [found] = on_base({"f": DATA}, edit).outcomes[0].candidates
    assert found == Candidate(2, 3, range_hash(DATA, 2, 3), None, "y = 2\nz = 3\n")


def test_a_stale_range_that_moved_gets_both_places() -> None:
    edit = ReplaceRange("f", 1, 1, ("q",), range_hash(DATA, 3, 3))
    outcome = on_base({"f": DATA}, edit).outcomes[0]
    assert [each.start_line for each in outcome.candidates] == [1, 3]


def test_no_more_is_shown_than_a_reading_would_cost() -> None:
    data = b"".join(b"x = 1\n%d\n" % n + b"y" * 900 + b"\n" for n in range(9))
    found = refused(Edit("f", "x = 1\n", "x = 9\n"), data=data).candidates
    assert len(found) == SHOWN
    assert sum(len(each.text or "") for each in found) <= MOST


def test_a_place_too_long_to_show_has_neither_its_lines_nor_their_hash() -> None:
    data = b"a\n" + b"b" * MOST + b"\nc\n"
    edit = ReplaceRange("f", 1, 3, (), "0" * 64)
    [long] = on_base({"f": data}, edit).outcomes[0].candidates
    assert (long.start_line, long.end_line) == (1, 3)
    assert long.text is long.range_hash is None


def test_a_thousand_refusals_hold_no_more_than_a_few() -> None:
    edits = [Edit("f", f"x = 1{' ' * n}!\n", "x = 9\n") for n in range(1000)]
    made = on_base({"f": b"y = 2\n" + b"x = 1" + b"y" * 900 + b"\n"}, *edits)
    assert 0 < sum(map(measure_size, made.outcomes)) <= MOST_IN_ALL


def test_what_an_earlier_edit_of_the_spec_wrote_is_no_candidate() -> None:
    data = b"def total(items):\n    return sum(items)\n"
    first = Edit("f", "    return sum(items)\n", "    return sum(items) + 1\n")
    like_it = refused(first, Edit("f", "    return sum(itemz)\n", "    pass\n"), data=data)
    assert "Line 2 says 'return sum(items) + 1'" in str(like_it.error)
    assert like_it.candidates == ()
    beside = refused(first, Edit("f", "def totel(items):\n", "    pass\n"), data=data)
    assert [each.text for each in beside.candidates] == ["def total(items):\n"]


@cases(
    "spec, has_hash",
    {
        "harnesskit": (
            json.dumps({"file": "f.py", "old_text": "y = 3\nz = 3", "new_text": "y = 4\nz = 3"}),
            True,
        ),
        "search-replace": (
            "f.py\n<<<<<<< SEARCH\ny = 3\nz = 3\n=======\ny = 4\nz = 3\n>>>>>>> REPLACE\n",
            False,
        ),
        "apply-patch": (
            "*** Begin Patch\n*** Update File: f.py\n@@\n-y = 3\n+y = 4\n z = 3\n*** End Patch\n",
            True,
        ),
        "unified-diff": (
            "--- a/f.py\n+++ b/f.py\n@@ -2,2 +2,2 @@\n-y = 3\n+y = 4\n z = 3\n",
            False,
        ),
    },
)
def test_the_corrected_edit_is_as_the_spec_or_json(spec: str, has_hash: bool) -> None:
    parsed = dialects.parse(spec)
    [outcome] = plan(parsed, snapshot({"f.py": DATA})).outcomes
    again = dialects.parse(outcome.corrected or "", parsed.dialect)
    made = plan(again, snapshot({"f.py": DATA}))
    assert made.files[0].after is not None
    assert made.files[0].after.data == DATA.replace(b"y = 2", b"y = 4")
    assert (made.outcomes[0].evidence.kind == "hash") == has_hash


def test_the_words_hold_the_corrected_edit_or_else_the_places() -> None:
    outcome = refused(Edit("f", "x = 1\n", "x = 9\n"))
    assert f"Lines 4-5, hash {SECOND[:12]}:\nx = 1\nw = 4" in refusal_text([outcome])


DEEP = b"".join(b"line %d\n" % n for n in range(40)) + DATA


@cases(
    "data",
    {
        "at the top": DATA,
        "far below": DEEP,
        "lines end with CRLF": DEEP.replace(b"\n", b"\r\n"),
        "above blank lines": DATA[:18] + b"\n\n",
        "no end of the last line": DATA[:-1],
        "the last line": b"x = 1\nz = 3\ny = 2",
    },
)
def test_a_corrected_diff_is_one_that_git_applies(repo: Repo, data: bytes) -> None:
    spec = "--- a/f.py\n+++ b/f.py\n@@ @@\n-y = 3\n+y = 4\n z = 3\n"
    if data.endswith(b"y = 2"):
        spec = "--- a/f.py\n+++ b/f.py\n@@ @@\n z = 3\n-y = 3\n+y = 4\n"
    [outcome] = plan(dialects.parse(spec), snapshot({"f.py": data})).outcomes
    (repo.path / "f.py").write_bytes(data)
    shown = refusal_text([outcome]).partition("Corrected: ")[2]
    repo.git("apply", "-", stdin=encode_text(f"{shown}\n"))
    assert (repo.path / "f.py").read_bytes() == data.replace(b"y = 2", b"y = 4")
