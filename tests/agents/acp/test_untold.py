"""Gemini CLI tells an editor of no answer; its transcript, as 0.61.0 writes it, has them."""

import json
from pathlib import Path
from typing import Any

import pytest

from hkgit.agents.acp.messages import find_answers
from hkgit.agents.events import END, Shell, ToolReading

CONVERSATION = "b738715e-577e-4887-a836-4ebe0d190d11"


def _call(name: str, tool: str, output: str, status: str = "success", **given: str) -> Any:
    response = {"functionResponse": {"id": name, "name": tool, "response": {"output": output}}}
    return {"id": name, "name": tool, "args": given, "result": [response], "status": status}


READ = _call("r", "read_file", "x\n", file_path="/w/a.py")
RUN = _call("s", "run_shell_command", "<untrusted_context>\nOutput: x\n", command="cat a.py")
FAILED = _call("f", "read_file", "x\n", "error", file_path="/w/a.py")
SEARCH = _call("g", "google_web_search", "x\n", query="x")


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """A home with the transcript of a conversation in a checkout below it."""
    folder = tmp_path / ".gemini/tmp/repo"
    (folder / "chats").mkdir(parents=True)
    (folder / ".project_root").write_text(str((tmp_path / "repo").resolve()))
    lines: list[Any] = [
        {"sessionId": CONVERSATION, "kind": "main"},
        {"id": "m", "type": "gemini", "toolCalls": [READ]},
        {"id": "m", "type": "gemini", "toolCalls": [READ, RUN, FAILED, SEARCH]},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "chats/session-2026-11-23T02-31-b738715e.jsonl").write_text(text + '{"toolCalls": [')
    return {"HOME": str(tmp_path)}


def _find(home: dict[str, str], *calls: str) -> dict[str, Any]:
    directory = Path(home["HOME"]) / "repo"
    told, shown = find_answers(CONVERSATION, directory, calls, home)
    return dict.fromkeys(told) | {each.id: each.did for each in shown}


def test_what_the_model_was_shown_is_found_by_the_call(home: dict[str, str]) -> None:
    assert _find(home, "r", "s") == {
        "r": ToolReading("/w/a.py", 1, END, "x\n", is_whole=True),
        "s": Shell("cat a.py", "x\n"),
    }


def test_what_has_failed_or_shows_no_file_matters_no_more(home: dict[str, str]) -> None:
    assert _find(home, "f", "g") == {"f": None, "g": None}


def test_a_call_that_is_not_written_down_yet_is_not_found(home: dict[str, str]) -> None:
    assert _find(home, "later") == {}
