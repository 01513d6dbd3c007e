"""Codex's code mode and its events: what a script has read and changed, and what the model saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.adopting import adopt, begin, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import CodexLog

APP = "import sys\n\n\ndef greet(name):\n\tprint('Helo, ' + name)\n"
NEW = APP.replace("Helo", "Hello")
PATCH = (
    "*** Begin Patch\n*** Update File: app.py\n@@\n-\tprint('Helo, ' + name)\n"
    "+\tprint('Hello, ' + name)\n*** End Patch\n"
)
DIFF = "@@ -4,2 +4,2 @@\n def greet(name):\n-\tprint('Helo, ' + name)\n+\tprint('Hello, ' + name)\n"
SCRIPT = f"const r = await tools.exec_command(c); await tools.apply_patch(`{PATCH}`); text(r);"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begin(tmp_path_factory.mktemp("scripts"), {"app.py": APP}, {"app.py": NEW})


def events(repo: Repo) -> tuple[dict[str, Any], dict[str, Any]]:
    """A reading and a change inside a script."""
    place = f"file://{repo.path}"
    command = ["/bin/zsh", "-lc", "cat app.py"]
    ran = {"command": command, "aggregated_output": APP, "exit_code": 0}
    change = {"type": "update", "unified_diff": DIFF, "move_path": None}
    changed = {"changes": {f"{place}/app.py": change}, "stdout": "Success."}
    items = [
        {"type": "CommandExecution", "id": "exec-1", "cwd": place, "status": "completed"} | ran,
        {"type": "FileChange", "id": "exec-2", "status": "completed"} | changed,
    ]
    read, written = ({"type": "item_completed", "item": item} for item in items)
    return read, written


def log_scripts(repo: Repo, shown: str, place: Path) -> Path:
    """Two scripts: one reads, the other writes; some versions tell each event twice."""
    log = CodexLog(repo.path)
    for number, (event, said) in enumerate(zip(events(repo), (shown, "done"), strict=True)):
        call = {"call_id": f"call_{number}"}
        log.line(
            "response_item", call | {"type": "custom_tool_call", "name": "exec", "input": SCRIPT}
        )
        log.line("event_msg", event)
        log.line("event_msg", event)
        output = [
            {"type": "input_text", "text": text} for text in ("Script completed\nOutput:\n", said)
        ]
        log.line("response_item", call | {"type": "custom_tool_call_output", "output": output})
    place.write_text("\n".join(log.lines) + "\n")
    return place


@cases(
    "shown, evidence",
    {
        "shown": (APP, "receipt"),
        "shown as JSON": (json.dumps({"output": APP}), "receipt"),
        "not shown": ("done", "quote"),
    },
)
def test_what_a_script_has_changed_is_explained_once(
    repo: Repo, tmp_path: Path, shown: str, evidence: str
) -> None:
    """Only what the script passed on counts as read."""
    place = log_scripts(repo, shown, tmp_path / "rollout.jsonl")
    answer = adopt(repo, place, "--working-tree", "-n")
    assert explained(answer) == [("app.py", [5, 5], evidence)]
    assert answer["changes"][0]["skipped"] == []


def test_a_patch_that_failed_explains_nothing(repo: Repo, tmp_path: Path) -> None:
    place = log_scripts(repo, APP, tmp_path / "rollout.jsonl")
    place.write_text(place.read_text().replace('"status": "completed"', '"status": "failed"'))
    adopt(repo, place, "--working-tree", "-n", code=6)
