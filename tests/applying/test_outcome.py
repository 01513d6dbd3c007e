"""Outcomes as published: JSON by its schema, and all that the next call needs."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit import dialects
from hkgit.applying.outcome import (
    Candidate,
    EditOutcome,
    outcome_json,
    refusal_text,
    render_apply_json,
)
from hkgit.applying.planner import plan
from hkgit.applying.remedy import MOST, MOST_IN_ALL, SHOWN, measure_size
from hkgit.cli.schema import find_schema
from hkgit.edits import AnyEdit, CreateFile, Edit, File, MappingSnapshot, ReplaceRange, encode_text
from hkgit.text.document import MOST_LINES, range_hash
from tests.support.cases import cases
from tests.support.planning import in_sequence, on_base, snapshot, spec_of
from tests.support.repos import Repo

TEXT = b"x = 1\ny = 2\nx = 1\n\xff\n"
REFUSED: dict[str, tuple[AnyEdit, int]] = {
    "no_match": (Edit("f", "nowhere\n", "x\n"), 1),
    "ambiguous": (Edit("f", "x = 1\n", "x = 3\n"), 2),
    "stale": (ReplaceRange("f", 1, 1, ("x",), "0" * 64), 3),
    "already_applied": (Edit("f", "y = 1\n", "y = 2\n"), 1),
    "invalid": (CreateFile(".git/x", "x"), 4),
}
"""By status an edit that is refused, and the exit code of that."""


def valid(document: Any) -> Any:
    """The document, once it is valid by the schema of outcomes."""
    schema = find_schema("outcome")
    # A key that no type has is no key of an outcome.
    assert document.keys() <= schema["properties"].keys()
    Draft202012Validator(schema).validate(document)
    return document


def test_the_json_of_an_applied_edit() -> None:
    [outcome] = in_sequence({"f": TEXT}, Edit("f", "y = 2\n", "y = 3\n")).outcomes
    assert valid(outcome_json(outcome)) == {
        "number": 1,
        "path": "f",
        "file": "f",
        "status": "applied",
        "tier": "exact",
        "match_type": "exact",
        "similarity": 1.0,
        "confidence": outcome.confidence,
        "evidence": "quote",
        "expected_hash": None,
        "lines": [[2, 2]],
        "repairs": [],
        "notes": [],
        "matched_text": "y = 2\n",
        "diff": "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
        "@@ -1,4 +1,4 @@\n x = 1\n-y = 2\n+y = 3\n x = 1\n \ufffd\n",
        "error": None,
        "candidates": [],
        "corrected": None,
    }


@pytest.mark.parametrize("status", REFUSED)
def test_the_json_of_a_refused_edit_says_what_to_do_next(status: str) -> None:
    edit, code = REFUSED[status]
    made = in_sequence({"f": TEXT}, edit)
    document = valid(outcome_json(made.outcomes[0]))
    error = made.first_error
    assert error is not None
    assert document["status"] == status
    assert document["error"] == {
        "where": error.where,
        "what": error.what,
        "fix": error.fix,
        "exit_code": code,
    }
    assert made.outcomes[0].hint == error.fix != ""


def test_of_several_refusals_the_first_decides_and_each_has_its_words() -> None:
    made = on_base({"f": TEXT}, REFUSED["stale"][0], REFUSED["ambiguous"][0])
    assert made.first_error is not None
    assert made.first_error.exit_code == REFUSED["stale"][1]
    said = refusal_text(made.outcomes).splitlines()
    assert [line[:7] for line in said if line.startswith("edit")] == ["edit 1:", "edit 2:"]


def test_one_edit_has_the_keys_of_harnesskit_beside_its_own() -> None:
    made = in_sequence({"f": TEXT}, Edit("f", "y = 2\n", "y = 3\n"))
    document = render_apply_json("applied", made.outcomes, "c0ffee")
    keys = {"status", "file", "match_type", "confidence", "matched_text"}
    assert {key: document[key] for key in keys} == {
        "status": "applied",
        "file": "f",
        "match_type": "exact",
        "matched_text": "y = 2\n",
        "confidence": made.outcomes[0].confidence,
    }


def test_several_edits_have_not() -> None:
    made = on_base({"f": TEXT}, ReplaceRange("f", 1, 1, ()), ReplaceRange("f", 2, 2, ()))
    assert list(render_apply_json("applied", made.outcomes, None)) == ["status", "edits", "commit"]


def test_a_spec_of_many_unfound_edits_reads_its_file_once_and_holds_no_copies() -> None:
    """Each refusal held all that the search for its place had read."""
    text = "".join(f"some words of line {number}\n" for number in range(3000))
    read = _Counting({"f": File(text.encode())})
    edits = [Edit("f", f"none\nof it {number}\n", "x\n") for number in range(20)]
    made = plan(spec_of(edits, sequential=False), read)
    assert [each.status for each in made.outcomes] == ["no_match"] * len(edits)
    assert read.asked == 1
    errors = [each.error for each in made.outcomes]
    assert all(each is not None and each.__traceback__ is None for each in errors)


def test_a_file_of_too_many_lines_is_refused_before_it_is_split() -> None:
    edit = ReplaceRange("f", 1, 1, ("x",), "0" * 64)
    made = on_base({"f": b"\n" * (MOST_LINES + 1)}, edit)
    assert made.outcomes[0].status == "invalid"
    assert "more than 2000000 lines" in str(made.first_error)


class _Counting(MappingSnapshot):
    """A snapshot that counts how often its files are read."""

    asked = 0

    def get(self, path: str) -> File | None:
        _Counting.asked += 1
        return super().get(path)


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
        "a diff": ("--- a/f.py\n+++ b/f.py\n@@ -2,2 +2,2 @@\n-y = 3\n+y = 4\n z = 3\n", False),
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


def test_a_candidate_of_a_diff_has_its_lines_in_the_base() -> None:
    """Whatever hunks above it add; here what is refused would write a header of a hunk."""
    hunks = "@@ @@\n-x = 1\n+x = 2\n+v = 0\n y = 2\n@@ @@\n-x = 1\n+@@ -1,2 +1,2 @@\n w = 4\n"
    spec = f"--- a/f\n+++ b/f\n{hunks}"
    *_, outcome = plan(dialects.parse(spec), snapshot({"f": DATA})).outcomes
    [found] = outcome.candidates
    assert found == Candidate(4, 5, SECOND, None, "x = 1\nw = 4\n")


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
