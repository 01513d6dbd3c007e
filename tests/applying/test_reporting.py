"""Outcomes as published: JSON by its schema, words that an agent can act on."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hkgit.applying.outcome import outcome_json, refusal_text, render_apply_json
from hkgit.applying.planner import plan
from hkgit.cli.schema import find_schema
from hkgit.edits import AnyEdit, CreateFile, Edit, File, MappingSnapshot, ReplaceRange
from hkgit.text.document import MOST_LINES
from tests.support.planning import in_sequence, on_base, spec_of

DATA = b"x = 1\ny = 2\nx = 1\n\xff\n"
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
    [outcome] = in_sequence({"f": DATA}, Edit("f", "y = 2\n", "y = 3\n")).outcomes
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
    made = in_sequence({"f": DATA}, edit)
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
    made = on_base({"f": DATA}, REFUSED["stale"][0], REFUSED["ambiguous"][0])
    assert made.first_error is not None
    assert made.first_error.exit_code == REFUSED["stale"][1]
    said = refusal_text(made.outcomes).splitlines()
    assert [line[:7] for line in said if line.startswith("edit")] == ["edit 1:", "edit 2:"]


def test_one_edit_has_the_keys_of_harnesskit_beside_its_own() -> None:
    made = in_sequence({"f": DATA}, Edit("f", "y = 2\n", "y = 3\n"))
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
    made = on_base({"f": DATA}, ReplaceRange("f", 1, 1, ()), ReplaceRange("f", 2, 2, ()))
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
