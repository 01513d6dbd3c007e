"""What Claude Code and Qwen Code show their model without a call, as `@file`, counts as read.

The lines are those that Claude Code 2.1.330 writes, without what matters to nobody here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.streaming import GREETING, session, told
from tests.support.adopting import adopt, explained
from tests.support.repos import Repo
from tests.support.running import run

Line = dict[str, Any]


def _attach(attachment: Line) -> Line:
    common = {"isSidechain": False, "sessionId": "s", "version": "2.1.330", "cwd": "$ROOT"}
    time = {"timestamp": "2026-11-24T17:37:37.394Z", "uuid": "ec70db56"}
    return {"type": "attachment", "attachment": attachment} | common | time


def _file(name: str, content: str, first: int = 1) -> Line:
    file = {"filePath": f"$ROOT/{name}", "content": content, "startLine": first}
    kind = {"type": "text", "file": file}
    return _attach({"type": "file", "filename": f"$ROOT/{name}", "content": kind})


def _ask(message: str, call: str) -> Line:
    use = {"type": "tool_use", "id": call, "name": "Edit", "input": {}}
    return {"type": "assistant", "message": {"id": message, "content": [use]}, "sessionId": "s"}


SHOWN = _file("greet.py", GREETING.decode())
RULES = _attach(
    {"type": "instructions", "files": [{"path": "$ROOT/CLAUDE.md", "content": "Be kind.\nSay hi."}]}
)
BELOW = _attach(
    {
        "type": "nested_memory",
        "path": "$ROOT/CLAUDE.md",
        "content": {"path": "$ROOT/CLAUDE.md", "content": "Be kind.\nSay hi.\n"},
    }
)


def _edit(repo: Repo, lines: list[Line], name: str, old: str, new: str, *options: str) -> Line:
    """Edit a file with Claude Code's own tool; what the hooks answer before it."""
    transcript = repo.path.parent / "s.jsonl"
    text = "\n".join(map(json.dumps, lines))
    transcript.write_text(text.replace("$ROOT", repo.path.as_posix()) + "\n")
    path = repo.path / name
    given = {"file_path": str(path), "old_string": old, "new_string": new}
    call = {"session_id": "s", "cwd": str(repo.path), "tool_name": "Edit", "tool_input": given}
    call |= {"transcript_path": str(transcript), "tool_use_id": "toolu_9"}
    before = told("claude", call | {"hook_event_name": "PreToolUse"}, *options)
    if not before:
        path.write_text(path.read_text().replace(old, new), newline="")
        told("claude", call | {"hook_event_name": "PostToolUse", "tool_response": {}})
    return before


@pytest.mark.parametrize(
    ("lines", "name", "old", "blind"),
    [
        pytest.param([SHOWN], "greet.py", "Helo", 0, id="a file of the prompt"),
        pytest.param([SHOWN, _ask("m", "toolu_9")], "greet.py", "Helo", 0, id="it is asked for"),
        pytest.param([_file("greet.py", "def greet(name):")], "greet.py", "Helo", 1, id="a part"),
        pytest.param([_file("greet.py", "Other.\n")], "greet.py", "Helo", 1, id="other words"),
        pytest.param([_ask("m", "toolu_9"), SHOWN], "greet.py", "Helo", 1, id="shown later"),
        pytest.param(
            [_ask("m", "toolu_8"), SHOWN, _ask("m", "toolu_9")],
            "greet.py",
            "Helo",
            1,
            id="shown by another call of the same answer",
        ),
        pytest.param(
            [_ask("m", "toolu_8"), SHOWN, _ask("n", "toolu_9")],
            "greet.py",
            "Helo",
            0,
            id="shown by an earlier answer",
        ),
        pytest.param([RULES], "CLAUDE.md", "Say hi", 0, id="instructions"),
        pytest.param([BELOW], "CLAUDE.md", "Say hi", 0, id="instructions of a directory"),
        pytest.param([RULES], "greet.py", "Helo", 1, id="another file"),
    ],
)
def test_what_was_attached_before_the_answer_that_edits_has_been_read(
    lines: list[Line], name: str, old: str, blind: int, greeting: Repo
) -> None:
    greeting.commit({"CLAUDE.md": b"Be kind.\nSay hi.\n"})
    _edit(greeting, lines, name, old, "Hello")
    [call] = session(greeting).calls
    assert call.blind == blind


def test_steered_what_was_attached_counts_for_the_edit_by_the_server(greeting: Repo) -> None:
    assert _edit(greeting, [SHOWN], "greet.py", "Helo", "Hello", "--steer")
    spec = '{"file": "greet.py", "old_text": "Helo", "new_text": "Hello"}'
    done = run("edit", "--session", "claude-s", stdin=spec.encode(), cwd=greeting.path)
    assert done.code == 0
    assert "blind" not in done.out + done.err


@pytest.mark.parametrize(
    ("is_later", "blind"), [pytest.param(False, 0, id="before"), pytest.param(True, 1, id="later")]
)
def test_a_file_in_the_prompt_of_qwen_has_been_read(
    is_later: bool, blind: int, greeting: Repo
) -> None:
    path = greeting.path / "greet.py"
    parts = [{"text": f"\nContent from {path}:\n"}, {"text": GREETING.decode()}]
    prompt = {"type": "user", "uuid": "p", "message": {"role": "user", "parts": parts}}
    use = {"functionCall": {"id": "call_9", "name": "edit", "args": {}}}
    asked = {"type": "assistant", "uuid": "a", "message": {"role": "model", "parts": [use]}}
    transcript = greeting.path.parent / "s.jsonl"
    lines = [asked, prompt] if is_later else [prompt, asked]
    transcript.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    given = {"file_path": str(path), "old_string": "Helo", "new_string": "Hello"}
    call: Line = {"session_id": "s", "cwd": str(greeting.path), "tool_name": "edit"}
    call |= {"tool_input": given, "transcript_path": str(transcript), "tool_use_id": "call_9"}
    told("qwen", call | {"hook_event_name": "PreToolUse"})
    path.write_text(path.read_text().replace("Helo", "Hello"), newline="")
    told("qwen", call | {"hook_event_name": "PostToolUse", "tool_response": {}})
    [found] = session(greeting).calls
    assert found.blind == blind


def test_adopt_finds_what_was_attached(greeting: Repo, tmp_path: Path) -> None:
    run("init", cwd=greeting.path)
    greeting.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    greeting.git("add", "-A")
    given = {"file_path": "$ROOT/greet.py", "old_string": "Helo", "new_string": "Hello"}
    use = {"type": "tool_use", "id": "toolu_9", "name": "Edit", "input": given}
    asked = _attach({}) | {"type": "assistant", "message": {"id": "m", "content": [use]}}
    result = {"type": "tool_result", "tool_use_id": "toolu_9", "content": "updated"}
    detail: Line = {"filePath": "$ROOT/greet.py", "oldString": "Helo", "newString": "Hello"}
    detail |= {"originalFile": GREETING.decode(), "userModified": False}
    answer = _attach({}) | {"type": "user", "message": {"content": [result]}}
    lines = [SHOWN, asked, answer | {"toolUseResult": detail}]
    text = "\n".join(map(json.dumps, lines)).replace("$ROOT", greeting.path.as_posix())
    (tmp_path / "s.jsonl").write_text(text + "\n")
    [(path, _, kind)] = explained(adopt(greeting, tmp_path / "s.jsonl", "--staged"))
    assert (path, kind) == ("greet.py", "receipt")
