"""`hkgit apply`: what it answers, as a line, as a diff, as JSON."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.cases import cases
from tests.support.running import Bench, run
from tests.support.specs import NEW, OLD, SOURCE, edit, harnesskit, protocol, search_replace

OTHER = "class Conflict(HkgitError):"
SEED = {"file", "match_type", "confidence", "matched_text"}
"""The keys that stand beside the others with exactly one edit."""


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Draft202012Validator:
    """The published schema of an outcome."""
    published = run("schema", "outcome", cwd=tmp_path_factory.mktemp("schema")).json()
    Draft202012Validator.check_schema(published)
    return Draft202012Validator(published)


def test_success_is_one_line_as_git_prints_it_with_the_least_sure_edit(bench: Bench) -> None:
    drifted = edit(f"{OLD}   ", NEW)
    result = bench.apply(harnesskit(drifted, edit(OTHER, f"{OTHER}  # three")))
    expected = r"\[main ([0-9a-f]{7})\] Apply 2 edits to 1 file"
    found = re.fullmatch(rf"{expected} \(lowest confidence (0\.\d\d), whitespace\)\n", result.out)
    assert found is not None, result.out
    assert bench.repo.head.startswith(found[1])


DOCUMENTS = {
    "applied": (search_replace(), (), 0, "applied"),
    "would be applied": (search_replace(), ("--dry-run",), 0, "would_apply"),
    "no match": (search_replace("nowhere to be found"), (), 1, "no_match"),
    "ambiguous": (search_replace("    exit_code = 3", "x"), (), 2, "ambiguous"),
    "stale": (harnesskit(edit(expected_hash="0123456789ab")), (), 3, "stale"),
    "malformed": ("{", (), 4, "invalid"),
    "blank": ("", (), 4, "invalid"),
    "empty": (protocol(), (), 4, "invalid"),
    "outside": (search_replace(path="../x.py"), (), 4, "invalid"),
    "changes nothing": (search_replace(new=OLD), (), None, None),
    "not verified": (search_replace(), ("--verify", "false"), 5, "verify_failed"),
    "git refused": (search_replace(), ("--branch", "main"), 7, "git_refused"),
}


@cases(DOCUMENTS)
def test_json_is_one_document_with_the_seed_s_keys_for_one_edit(
    spec: str,
    options: tuple[str, ...],
    code: int | None,
    status: str | None,
    bench: Bench,
    schema: Draft202012Validator,
) -> None:
    result = bench.apply(spec, "--json", *options)
    answer = result.json()
    if code is not None:
        assert result.code == code
        assert answer["status"] == status
    assert result.code == answer.get("error", {"exit_code": 0})["exit_code"]
    is_read = spec not in ("{", "", protocol())
    assert len(answer["edits"]) == (is_read and code != 7)
    keys = {"status", "edits", "commit"} | ({"error"} if result.code else set())
    keys |= {"dry_run"} if "--dry-run" in options else set()
    assert set(answer) == keys | (SEED if answer["edits"] else set())
    for outcome in answer["edits"]:
        schema.validate(outcome)
    assert answer["commit"] == (bench.repo.head if code == 0 and not options else None)


def test_json_says_on_standard_error_what_people_should_know(bench: Bench) -> None:
    result = bench.apply(search_replace(), "--json")
    assert "blind edit" in result.err
    assert result.json()["status"] == "applied"


def dry_run(bench: Bench, spec: str, *options: str) -> tuple[str, str]:
    """The diff that --dry-run shows, and the message."""
    result = bench.apply(spec, "--dry-run", *options)
    assert result.code == 0, result.err
    diff, _, message = result.out.rpartition("\n\nApply ")
    return f"{diff}\n", f"Apply {message}"


def test_a_dry_run_shows_a_diff_that_git_applies_to_the_same_file(bench: Bench) -> None:
    spec = harnesskit(edit(), edit(OTHER, f"{OTHER}\n    # three ways"))
    with bench.untouched():
        diff, _ = dry_run(bench, spec)
    bench.repo.git("apply", stdin=diff.encode())
    by_git = bench.repo.read(SOURCE)
    bench.repo.git("checkout", "-q", ".")
    assert bench.apply(spec).code == 0
    assert bench.repo.read(SOURCE) == by_git


def test_a_dry_run_shows_the_evidence_that_the_commit_would_have(bench: Bench) -> None:
    _, message = dry_run(bench, search_replace())
    assert bench.apply(search_replace()).code == 0
    real = bench.repo.git("log", "-1", "--format=%B")
    # The entry's name depends on the time at which it is made.
    assert re.sub("[0-9a-f]{64}", "", message).rstrip() == re.sub("[0-9a-f]{64}", "", real).rstrip()


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_a_dry_run_as_json_says_so_and_has_the_diff_of_each_edit(
    bench: Bench, command: str
) -> None:
    spec = bench.write(search_replace())
    answer: dict[str, Any] = bench.run(command, spec, "--dry-run", "--json").json()
    [outcome] = answer["edits"]
    assert (answer["status"], answer["dry_run"]) == ("would_apply", True)
    assert outcome["status"] == "would_apply"
    assert f"-{OLD}\n+{NEW}\n" in outcome["diff"]


def test_text_that_is_not_utf_8_survives_and_is_shown_as_json_can(bench: Bench) -> None:
    bench.repo.commit({"latin.txt": b"caf\xe9 1\ncaf\xe9 2\n"})
    spec = b"latin.txt\n<<<<<<< SEARCH\ncaf\xe9 1\n=======\nth\xe9 1\n>>>>>>> REPLACE\n"
    result = bench.apply(spec, "--json")
    assert result.json()["matched_text"] == "caf\ufffd 1\n"
    assert bench.repo.show("HEAD", "latin.txt") == b"th\xe9 1\ncaf\xe9 2\n"


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_nothing_is_called_applied_that_is_not(bench: Bench, command: str) -> None:
    spec = harnesskit(edit(), edit("nowhere to be found", "x"))
    words = "edit 2: src/errors.py"
    answer = bench.expect_refusal(1, words, spec, "--json", command=command).json()
    assert answer["status"] == "no_match"
    assert [each["status"] for each in answer["edits"]] == ["not_applied", "no_match"]
    assert all(each["file"] == each["path"] for each in answer["edits"])


@cases(
    {
        "indented": ("if x:\n    a = 1", "if x:\n    a = 2", ["re-indented"]),
        "spaced": ("    return a", "    return a + b", ["re-spaced"]),
        "as written": ("        a = 1", "        a = 2", []),
    },
)
def test_new_text_in_other_blanks_is_a_repair(
    old: str, new: str, repairs: list[str], bench: Bench
) -> None:
    bench.repo.commit({"b.py": "def f():\n    if x:\n        a = 1\n    return  a\n"})
    spec = json.dumps({"file": "b.py", "old_text": old, "new_text": new}).encode()
    answer = bench.run("edit", "-", "--json", "--dry-run", stdin=spec).json()
    assert answer["edits"][0]["repairs"] == repairs
