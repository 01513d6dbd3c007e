"""Edits of transcripts held against what hkgit makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.logged import LANDED, OTHER, REFUSED, SAME, UNKNOWN, judge, main, replay
from hkgit.agents.events import Editing
from hkgit.workflows.log_steps import Told
from tests.support.cases import cases
from tests.support.logs import PATH, Claude, Codex

FILE = "one\ntwo\nthree\n"
PATCH = "*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+2\n*** End Patch"
HUNK = {"oldStart": 1, "lines": [" one", "-two", "+2", " three"]}
CREATED = {"file_path": PATH, "content": FILE}


@cases(
    "log, end",
    {
        "the same": (Claude().edit(FILE, "two\n", "2\n", structuredPatch=[HUNK]), SAME),
        "quoted wrongly": (Claude().edit(FILE, "two \n", "2\n"), LANDED),
        "not there": (Claude().edit(FILE, "four\n", "4\n"), REFUSED),
        "twice": (Claude().edit(FILE + FILE, "two\n", "2\n"), REFUSED),
        "a person changed it": (Claude().edit(FILE, "two\n", "2\n", userModified=True), LANDED),
        "made": (Claude().call("Write", CREATED, detail={"type": "create"}), SAME),
        "the log holds no file": (Codex().patch(PATCH), UNKNOWN),
    },
)
def test_the_end_of_a_logged_edit(tmp_path: Path, log: Claude | Codex, end: str) -> None:
    (tmp_path / "session.jsonl").write_text(log.text)
    assert [said for _, said in replay(tmp_path)] == [end]


def test_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        Claude().edit(FILE, "two\n", "2\n", structuredPatch=[HUNK]).edit(FILE, "four\n", "4\n").text
    )
    (tmp_path / "session.jsonl").write_text(text)
    main([str(tmp_path)])
    assert capsys.readouterr().out.splitlines() == [
        "session.jsonl:5: refused",
        "2 edits",
        "       1 the same bytes",
        "       1 refused",
    ]


def test_other_bytes_than_the_log_tells() -> None:
    sent = json.dumps({"file_path": "a.txt", "old_string": "two", "new_string": "2"})
    after = {"a.txt": b"one\nII\nthree\n"}
    told = Told(("a.txt",), before={"a.txt": FILE.encode()}, after=after)
    assert judge(Editing(sent, "text-editor", told=told)) == OTHER
