"""The library, the command line, MCP and reflection make the same of every text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hkgit import HkgitError, apply_edits, apply_with_reflection, line_hash, range_hash
from hkgit.agents.servers.connection import Connection
from hkgit.applying.reporting import outcome_json
from hkgit.cli.main import main
from tests.support.repos import Repo

FILES = {"x": "x,k\n", "src/f.py": "def f():\n    return 1\n\n\ndef g():\n    return 1\n"}
SIDES = "--- a/x\n+++ b/x\n"
HASH = range_hash(FILES["x"])


PLANNED = {"would_apply": "applied", "not_applied": "applied"}
"""What a dry run and a refused batch call an edit that has its place, as the library does."""


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def operation(**said: object) -> str:
    return json.dumps({"version": "1", "operations": [said]})


TEXTS = {
    "protocol": operation(
        op="replace_range", path="x", start_line=1, end_line=1, expected_hash=HASH, new_text="y\n"
    ),
    "protocol, stale": operation(
        op="delete_range", path="x", start_line=1, end_line=1, expected_hash="0" * 64
    ),
    "harnesskit": '{"file": "x", "old_text": "x,k", "new_text": "y"}',
    "harnesskit, twice": '{"file": "src/f.py", "old_text": "    return 1\\n", "new_text": "x"}',
    "harnesskit, nothing": '{"edits": [{"file": "x", "old_text": "x", "new_text": "y"},'
    ' {"file": "x", "old_text": "y", "new_text": "x"}]}',
    "harnesskit, XML": '<edit file="x"><old>x,k</old><new>y</new></edit>',
    "search-replace": block("f.py", "def f():\n    return 1\n", "def f():\n    return 2\n"),
    "search-replace, mark": block("x", "x,k\n", "y\n>>>>>>> END\n"),
    "search-replace, cut off": block("x", "x,k\n", "y\n")[:-16],
    "search-replace, one after the other": block("x", "x,k\n", "y\n") + block("x", "y\n", "z\n"),
    "unified-diff": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y\n",
    "unified-diff, on one base": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y,k\n{SIDES}@@ -1 +1 @@\n-y,k\n+z\n",
    "unified-diff, no such file": f"{SIDES}@@ -1 +1 @@\n-x,k\n+y\n".replace("/x", "/xx"),
    "apply-patch": patch("*** Update File: x", "@@", "-x,k", "+y"),
    "apply-patch, two places": patch("*** Update File: src/f.py", "@@", "-    return 1", "+    2"),
    "apply-patch, over a file": patch("*** Add File: x", "+y"),
    "hashline": json.dumps({"path": "x", "hash_start": line_hash("x,k")}),
    "hashline, unknown": json.dumps({"path": "x", "hash_start": "zz"}),
    "text-editor": '{"command": "str_replace", "path": "x", "old_str": "x,k", "new_str": "y"}',
    "text-editor, absent": '{"file_path": "x", "old_string": "nowhere", "new_string": "y"}',
    "nothing known": "please change it\n",
}

Said = tuple[Any, ...]


def told(outcomes: list[dict[str, Any]]) -> list[Said]:
    """What answers have in common: what became of each edit, and why."""
    return [
        (each["path"], _status(each), each["tier"], each["diff"], _what(each)) for each in outcomes
    ]


def _status(outcome: dict[str, Any]) -> str:
    status = str(outcome["status"])
    return PLANNED.get(status, status)


def _what(outcome: dict[str, Any]) -> str | None:
    return None if outcome["error"] is None else str(outcome["error"]["what"])


def by_library(text: str) -> list[Said] | str:
    try:
        return told([outcome_json(each) for each in apply_edits(text, FILES).outcomes])
    except HkgitError as error:
        return error.what


def by_reflection(text: str) -> list[Said] | str:
    result = apply_with_reflection(text, FILES, lambda _: "", max_reflections=0)
    if not result.outcomes:
        return (result.problem or "").split("\n")[0].split(": ", 1)[1]
    return told([outcome_json(each) for each in result.outcomes])


def by_command(text: str) -> list[Said] | str:
    asked = ["edit", "--dry-run", "--json", "-"]
    done = CliRunner().invoke(main, asked, input=text, prog_name="hkgit")
    return answered(json.loads(done.stdout))


def by_mcp(text: str, root: Path) -> list[Said] | str:
    return answered(Connection(root, None).answer("edit", {"text": text, "dry_run": True}).document)


def answered(document: dict[str, Any]) -> list[Said] | str:
    return told(document["edits"]) if document.get("edits") else str(document["error"]["what"])


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_way_in_answers_alike(repo: Repo, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit(dict(FILES))
    monkeypatch.chdir(repo.path)
    expected = by_library(text)
    assert by_reflection(text) == expected
    assert by_mcp(text, repo.path) == expected
    assert by_command(text) == expected


def test_two_sections_of_a_diff_speak_of_one_base() -> None:
    result = apply_edits(TEXTS["unified-diff, on one base"], FILES)
    assert (result.ok, result.files) == (False, {})
