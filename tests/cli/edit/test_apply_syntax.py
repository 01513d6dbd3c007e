"""An edit that was not exact and breaks a file is refused with the line, wherever it comes from."""

import json

import pytest

from hkgit import Edit, apply_edits
from hkgit.agents.servers.connection import Connection
from tests.support.running import Bench
from tests.support.specs import SOURCE, edit, harnesskit, line_of, protocol

OLD, NEW = "exit_code =  2\n", "exit_code = (2\n"
LOOSE: dict[str, str] = {"file": SOURCE, "old_text": OLD, "new_text": NEW}
TEXT = harnesskit({**LOOSE})
EXACT = harnesskit(edit("    exit_code = 2\n", "    exit_code = (2\n"))


@pytest.mark.parametrize("command", ["apply", "edit"])
def test_it_is_refused_with_the_line_and_nothing_changes(bench: Bench, command: str) -> None:
    line = line_of(bench, "exit_code = 2")
    words = f"line {line} is no longer Python"
    result = bench.expect_refusal(4, words, TEXT, "--json", command=command)
    [outcome] = result.json()["edits"]
    assert outcome["status"] == "invalid"
    assert words in outcome["error"]["what"]
    assert outcome["candidates"][0]["range_hash"] == bench.hash(SOURCE, line, line)


def test_the_advice_of_the_refusal_lands_it_and_the_commit_verifies(bench: Bench) -> None:
    refused = bench.apply(TEXT)
    option = next(word for word in refused.err.split() if word.startswith("--"))
    assert bench.apply(TEXT, option).code == 0
    assert b"exit_code = (2\n" in bench.repo.show("HEAD", SOURCE)
    [commit] = bench.run("verify", "HEAD~1..HEAD", "--json").json()["commits"]
    assert commit["replay"] == "strict"
    assert commit["policy"]["passes"] is True


def test_what_is_exact_lands_with_a_note_unless_asked_otherwise(bench: Bench) -> None:
    assert bench.apply(EXACT, "--check-syntax").code == 4
    landed = bench.apply(EXACT, "--json")
    assert landed.code == 0
    assert "is no longer Python" in landed.json()["edits"][0]["notes"][0]


def test_the_library_refuses_the_same_and_can_be_told_not_to(bench: Bench) -> None:
    loose = Edit(SOURCE, OLD, NEW)
    refused = apply_edits([loose], bench.repo.path)
    assert refused.outcomes[0].status == "invalid"
    assert refused.files == {}
    assert apply_edits([loose], bench.repo.path, dry_run=True, check_syntax=False).ok


@pytest.mark.parametrize("call", ["apply", "edit"])
def test_a_call_refuses_the_same_and_can_be_told_not_to(bench: Bench, call: str) -> None:
    session = Connection(bench.repo.path, None)
    text = {"text": json.dumps(LOOSE)}
    refused = session.answer(call, text)
    landed = session.answer(call, {**text, "check_syntax": False})
    assert refused.document["status"] == "invalid"
    assert refused.is_error is True
    assert not landed.is_error


def test_a_new_file_and_one_that_was_broken_are_not_guarded(bench: Bench) -> None:
    create: dict[str, object] = {"op": "create_file", "path": "new.py", "new_text": "def (\n"}
    assert bench.apply(protocol(create)).code == 0
    again = harnesskit(edit("def  (\n", "def ((\n", "new.py"))
    assert bench.apply(again).code == 0
