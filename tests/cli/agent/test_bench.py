"""`hkgit bench --transcripts`: the counts, the list of what to look at, and the JSON of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.logs import Claude, Codex, as_text
from tests.support.running import run

FILE = "one\ntwo\nthree\n"
PATCH = "*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+2\n*** End Patch"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One log of each form, one of none."""
    place = tmp_path_factory.mktemp("logs")
    (place / "deep").mkdir()
    claude = Claude().edit(FILE, "two\n", "2\n").lost_edit("twoo\nthree\n", "II\nthree\n")
    (place / "deep" / "claude.jsonl").write_text(claude.text)
    (place / "codex.jsonl").write_text(Codex().patch(PATCH).text)
    edit = {"file": "a.txt", "old_text": "two\n", "new_text": "2\n"}
    plain = {"file": "a.txt", "before": FILE, "call": edit, "after": "one\nII\nthree\n"}
    (place / "plain.jsonl").write_text(as_text([plain]))
    (place / "other.jsonl").write_text('{"unheard": "of"}\n')
    return place


def test_the_counts(logs: Path) -> None:
    result = run("bench", "--transcripts", logs, cwd=logs)
    assert result.code == 0
    assert result.out.splitlines()[-7:] == [
        "4 calls in 4 logs",
        "       1 landed as logged",
        "       1 landed otherwise than logged",
        "       1 refused by both",
        "       1 not replayable",
        "               1 the log does not hold what the file said",
        "1 log in no form that is known",
    ]


def test_what_came_out_otherwise_is_shown(logs: Path) -> None:
    lines = run("bench", "--transcripts", logs / "plain.jsonl", cwd=logs).out.splitlines()
    assert lines[0] == "plain.jsonl:1  call  a.txt: landed otherwise than logged"
    assert {"    -II", "    +2"} <= set(lines)


def test_the_same_as_json(logs: Path) -> None:
    document = run("bench", "--transcripts", logs, "--json", cwd=logs).json()
    assert document["calls"] == 4
    assert document["ends"]["landed as logged"] == 1
    differing = [each for each in document["replays"] if each["got"] is not None]
    assert [each["got"] for each in differing] == [{"a.txt": "one\n2\nthree\n"}]


def test_a_directory_without_logs_is_invalid(tmp_path: Path) -> None:
    assert run("bench", "--transcripts", tmp_path, cwd=tmp_path).code == 4
