"""What a conversation was shown that another goes on from: a fork of Claude Code, or `--continue`.

The transcript of the new one begins with the lines of the former one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agents.streaming import GREETING, session, told
from tests.support.repos import Repo

Line = dict[str, Any]
COMMON = {"sessionId": "fork", "version": "2.1.330", "cwd": "$ROOT"}


def _ask(message: str, call: str, tool: str, given: Line, **more: object) -> Line:
    use = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return {"type": "assistant", "message": {"id": message, "content": [use]}, **COMMON, **more}


def _answer(call: str, said: str, detail: Line, **more: object) -> Line:
    result = {"type": "tool_result", "tool_use_id": call, "content": said}
    line = {"type": "user", "message": {"content": [result]}, "toolUseResult": detail}
    return {**line, "uuid": call, **COMMON, **more}


def _read(message: str, content: str, **more: object) -> list[Line]:
    file = {"filePath": "$ROOT/greet.py", "content": content, "startLine": 1}
    return [
        _ask(message, "toolu_1", "Read", {"file_path": "$ROOT/greet.py"}, **more),
        _answer("toolu_1", content, {"type": "text", "file": file}, **more),
    ]


def _show(message: str) -> list[Line]:
    given = {"command": "cat greet.py"}
    return [
        _ask(message, "toolu_2", "Bash", given),
        _answer("toolu_2", GREETING.decode(), {"stdout": GREETING.decode(), "stderr": ""}),
    ]


NOW = _ask("now", "toolu_9", "Edit", {})


@pytest.mark.parametrize(
    ("lines", "blind"),
    [
        pytest.param([*_read("m", GREETING.decode()), NOW], 0, id="read"),
        pytest.param([*_show("m"), NOW], 0, id="read in a shell"),
        pytest.param([*_read("m", "Other.\n"), NOW], 1, id="it was otherwise then"),
        pytest.param([*_read("m", "def greet(name):\n"), NOW], 1, id="a part"),
        pytest.param([*_read("now", GREETING.decode()), NOW], 1, id="by the same answer"),
        pytest.param(_read("m", GREETING.decode()), 1, id="maybe by the same answer"),
        pytest.param(
            [*_read("m", GREETING.decode(), isSidechain=True, agentId="a1"), NOW],
            1,
            id="by a sub-agent",
        ),
        pytest.param([NOW], 1, id="nothing"),
    ],
)
def test_what_the_conversation_was_shown_that_it_goes_on_from_has_been_read(
    lines: list[Line], blind: int, greeting: Repo
) -> None:
    transcript = greeting.path.parent / "fork.jsonl"
    text = "\n".join(map(json.dumps, lines)).replace("$ROOT", greeting.path.as_posix())
    transcript.write_text(text + "\n")
    path = greeting.path / "greet.py"
    given = {"file_path": str(path), "old_string": "Helo", "new_string": "Hello"}
    call: Line = {"session_id": "fork", "cwd": str(greeting.path), "tool_name": "Edit"}
    call |= {"tool_input": given, "transcript_path": str(transcript), "tool_use_id": "toolu_9"}
    told("claude", call | {"hook_event_name": "PreToolUse"})
    path.write_text(path.read_text().replace("Helo", "Hello"), newline="")
    told("claude", call | {"hook_event_name": "PostToolUse", "tool_response": {}})
    [found] = session(greeting).calls
    assert found.blind == blind
