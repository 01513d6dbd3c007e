"""What a conversation was shown that another goes on from: a fork, or `--continue`.

The transcript of the new one begins with what that of the former one has.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.streaming import GREETING, Talk, change, session
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.transcripts import GOOSE, OPENCODE, make_database

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


@cases(
    "lines, blind",
    {
        "read": ([*_read("m", GREETING.decode()), NOW], 0),
        "read in a shell": ([*_show("m"), NOW], 0),
        "it was otherwise then": ([*_read("m", "Other.\n"), NOW], 1),
        "a part": ([*_read("m", "def greet(name):\n"), NOW], 1),
        "by the same answer": ([*_read("now", GREETING.decode()), NOW], 1),
        "maybe by the same answer": (_read("m", GREETING.decode()), 1),
        "by a sub-agent": (
            [*_read("m", GREETING.decode(), isSidechain=True, agentId="a1"), NOW],
            1,
        ),
        "nothing": ([NOW], 1),
    },
)
def test_what_the_conversation_was_shown_that_it_goes_on_from_has_been_read(
    lines: list[Line], blind: int, greeting: Repo
) -> None:
    transcript = greeting.path.parent / "fork.jsonl"
    text = "\n".join(map(json.dumps, lines)).replace("$ROOT", greeting.path.as_posix())
    transcript.write_text(text + "\n")
    given = {"old_string": "Helo", "new_string": "Hello", "file_path": "greet.py"}
    about = {"transcript_path": str(transcript), "tool_use_id": "toolu_9"}
    assert _edit("claude", "Edit", given, greeting, **about) == blind


def _of_qwen(root: Path) -> list[Line]:
    asked = {"functionCall": {"id": "r", "name": "read_file", "args": {"file_path": "greet.py"}}}
    output = {"functionResponse": {"id": "r", "response": {"output": GREETING.decode()}}}
    edit = {"functionCall": {"id": "e"}}
    parts = [("assistant", asked), ("tool_result", output), ("assistant", edit)]
    lines = [
        {"type": kind, "uuid": f"u{number}", "message": {"parts": [part]}}
        for number, (kind, part) in enumerate(parts)
    ]
    common = {"sessionId": "s", "cwd": str(root), "toolCallResult": {"status": "success"}}
    return [common | each for each in lines]


def _of_pi(root: Path) -> list[Line]:
    asked = {
        "role": "assistant",
        "content": [{"id": "r", "name": "read", "arguments": {"path": "greet.py"}}],
    }
    said = [{"type": "text", "text": GREETING.decode()}]
    output = {"role": "toolResult", "toolCallId": "r", "content": said}
    edit = {"role": "assistant", "content": [{"id": "e", "name": "edit"}]}
    head = {"type": "session", "id": "s", "cwd": str(root), "parentSession": "former.jsonl"}
    lines = enumerate((asked, output, edit))
    return [head, *({"type": "message", "id": f"i{n}", "message": each} for n, each in lines)]


def _of_codex(root: Path) -> list[Line]:
    head = {"type": "session_meta", "payload": {"id": "s", "cwd": str(root)}}
    given = json.dumps({"cmd": "cat greet.py"})
    asked = {"type": "function_call", "call_id": "r", "name": "exec_command", "arguments": given}
    said = f"Exit code: 0\nOutput:\n{GREETING.decode()}"
    output = {"type": "function_call_output", "call_id": "r", "output": said}
    edit = {"type": "custom_tool_call", "call_id": "e", "name": "apply_patch"}
    return [head, *({"type": "response_item", "payload": x} for x in (asked, output, edit))]


WORDS = {"file_path": "greet.py", "old_string": "Helo", "new_string": "Hello"}
CHANGE = '@@\n-    print("Helo, " + name)\n+    print("Hello, " + name)\n'
PATCH = f"*** Begin Patch\n*** Update File: greet.py\n{CHANGE}*** End Patch\n"
REPLACED = {"path": "greet.py", "edits": [{"oldText": "Helo", "newText": "Hello"}]}


@cases(
    "agent, tool, given, lines",
    {
        "qwen": ("qwen", "edit", WORDS, _of_qwen),
        "pi": ("pi", "edit", REPLACED, _of_pi),
        "codex": ("codex", "apply_patch", {"command": PATCH}, _of_codex),
    },
)
@pytest.mark.parametrize("asks", ["read", "nothing"])
def test_so_do_forks_of_other_agents(
    agent: str,
    tool: str,
    given: Line,
    lines: Callable[[Path], list[Line]],
    asks: str,
    greeting: Repo,
) -> None:
    transcript = greeting.path.parent / "fork.jsonl"
    found = lines(greeting.path)
    kept = found if asks == "read" else found[-1:]
    transcript.write_text("".join(f"{json.dumps(each)}\n" for each in kept))
    about = {"transcript_path": str(transcript), "tool_use_id": "e"}
    assert _edit(agent, tool, given, greeting, **about) == (asks == "nothing")


@pytest.mark.parametrize("agent", ["opencode", "kilo"])
@pytest.mark.parametrize(("turn", "blind"), [("m2", 0), ("m1", 1)], ids=["before", "same answer"])
def test_so_does_a_fork_in_the_database_of_opencode(
    agent: str, turn: str, blind: int, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(greeting.path.parent))
    shown = "".join(f"{n}: {x}\n" for n, x in enumerate(GREETING.decode().splitlines(), 1))
    state = {"status": "completed", "input": {"filePath": "greet.py"}, "output": shown}
    data = {"type": "tool", "tool": "read", "callID": "r", "state": state}
    sessions, parts = [("s", str(greeting.path), "1")], [("p", "m1", "s", 1, json.dumps(data))]
    make_database(greeting.path.parent / agent / f"{agent}.db", OPENCODE, sessions, parts)
    given = {"filePath": "greet.py", "oldString": "Helo", "newString": "Hello"}
    assert _edit(agent, "edit", given, greeting, turn=turn) == blind


@cases(
    "commands, blind",
    {
        "before": (["cat greet.py", "ls"], 0),
        "maybe by the same answer": (["ls", "cat greet.py"], 1),
    },
)
def test_so_does_a_fork_in_the_database_of_goose(
    commands: list[str], blind: int, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """goose copies the messages; what asks for the edit it keeps only afterwards."""
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(greeting.path.parent))
    messages: list[tuple[object, ...]] = []
    for call, command in enumerate(commands):
        said = GREETING.decode() if command.startswith("cat") else "greet.py\n"
        value = {"name": "shell", "arguments": {"command": command}}
        content = [{"type": "text", "text": said}]
        parts = (
            {"type": "toolRequest", "toolCall": {"value": value}},
            {"type": "toolResponse", "toolResult": {"value": {"content": content}}},
        )
        for part in parts:
            said = json.dumps([part | {"id": str(call)}])
            messages.append((len(messages), "s", call, said))
    place, sessions = "data/sessions/sessions.db", [("s", str(greeting.path), "1")]
    make_database(greeting.path.parent / place, GOOSE, sessions, messages)
    given = {"path": "greet.py", "before": "Helo", "after": "Hello"}
    assert _edit("goose", "edit", given, greeting) == blind


def _edit(agent: str, tool: str, given: Line, repo: Repo, **about: Any) -> int:
    """How many edits are blind after the agent has made one."""
    end = Talk(repo.path, agent=agent, **about).begin(tool, **given)
    change(repo.path / "greet.py", ("Helo", "Hello"))
    end("ok")
    return session(repo).blind
