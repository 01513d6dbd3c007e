"""Edits of transcripts held against what hkgit makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.logged import LANDED, OTHER, REFUSED, SAME, UNKNOWN, judge, main, replay
from hkgit.agents.events import Editing
from hkgit.workflows.log_steps import Told
from tests.support.cases import cases
from tests.support.transcripts import ClaudeLog, CodexLog

FILE = "one\ntwo\nthree\n"
PATCH = "*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+2\n*** End Patch"
HUNK = {"oldStart": 1, "lines": [" one", "-two", "+2", " three"]}


def log_of(*edits: dict[str, object]) -> ClaudeLog:
    """A session of Claude Code with edits of one file, each with what its result has."""
    log = ClaudeLog("/home/ada")
    for edit in edits:
        sent = {"file_path": "a.txt", "old_string": edit["oldString"], "new_string": "2\n"}
        log.call("Edit", sent, "done", {"filePath": "a.txt", "newString": "2\n", **edit})
    return log


def edit(old: str, before: str = FILE, **more: object) -> dict[str, object]:
    return {"oldString": old, "originalFile": before, **more}


@cases(
    "edits, end",
    {
        "the same": (edit("two\n", structuredPatch=[HUNK]), SAME),
        "quoted wrongly": (edit("two \n"), LANDED),
        "not there": (edit("four\n"), REFUSED),
        "twice": (edit("two\n", FILE + FILE), REFUSED),
        "a person changed it": (edit("two\n", userModified=True), LANDED),
    },
)
def test_the_end_of_a_logged_edit(tmp_path: Path, edits: dict[str, object], end: str) -> None:
    log_of(edits).save(tmp_path / "session.jsonl")
    assert [said for _, said in replay(tmp_path)] == [end]


def test_the_end_of_a_file_that_is_made_and_of_one_that_the_log_does_not_hold(
    tmp_path: Path,
) -> None:
    made, unknown = ClaudeLog("/home/ada"), CodexLog(tmp_path)
    made.write("a.txt", FILE)
    unknown.patch(PATCH)
    made.save(tmp_path / "made.jsonl")
    unknown.save(tmp_path / "unknown.jsonl")
    assert [said for _, said in replay(tmp_path)] == [SAME, UNKNOWN]


def test_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = log_of(edit("two\n", structuredPatch=[HUNK]), edit("four\n"))
    log.save(tmp_path / "session.jsonl")
    main([str(tmp_path)])
    assert capsys.readouterr().out.splitlines() == [
        "session.jsonl:3: refused",
        "2 edits",
        "       1 the same bytes",
        "       1 refused",
    ]


def test_other_bytes_than_the_log_tells() -> None:
    sent = json.dumps({"file_path": "a.txt", "old_string": "two", "new_string": "2"})
    after = {"a.txt": b"one\nII\nthree\n"}
    told = Told(("a.txt",), before={"a.txt": FILE.encode()}, after=after)
    assert judge(Editing(sent, "text-editor", told=told)) == OTHER
