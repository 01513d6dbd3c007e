"""What a model was shown before its calls counts as read: with its prompt, or before a fork.

A prompt shows files (`@file`), instructions and the like. The transcript of a conversation that
goes on from another, or is a fork of it, begins with what that of the former one has. The lines are
those that the programs of `tests/agents/real` write, without what matters to nobody here.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.streaming import GREETING, Talk, change, session, told
from tests.support.adopting import adopt, explained
from tests.support.cases import cases
from tests.support.repos import Repo
from tests.support.running import run
from tests.support.transcripts import GOOSE, OPENCODE, ClaudeLog, make_database

Line = dict[str, Any]
TEXT = GREETING.decode()
NUMBERED = "".join(f"{number}: {line}\n" for number, line in enumerate(TEXT.splitlines(), 1))

OLD, NEW = "Helo", "Hello"
LINES = f'@@\n-    print("{OLD}, " + name)\n+    print("{NEW}, " + name)\n'
PATCH = f"*** Begin Patch\n*** Update File: greet.py\n{LINES}*** End Patch\n"
REPLACED = {"file_path": "greet.py", "old_string": OLD, "new_string": NEW}
EDITS: dict[str, tuple[str, Line]] = {
    "claude": ("Edit", REPLACED),
    "codex": ("apply_patch", {"command": PATCH}),
    "gemini": ("replace", REPLACED),
    "goose": ("edit", {"path": "greet.py", "before": OLD, "after": NEW}),
    "kilo": ("edit", {"filePath": "greet.py", "oldString": OLD, "newString": NEW}),
    "opencode": ("edit", {"filePath": "greet.py", "oldString": OLD, "newString": NEW}),
    "pi": ("edit", {"path": "greet.py", "edits": [{"oldText": OLD, "newText": NEW}]}),
    "qwen": ("edit", REPLACED),
}
"""How each agent edits the file."""


def write(repo: Repo, lines: Iterable[Line]) -> dict[str, str]:
    """Write a transcript; what a hook is told of the call `call_9` in it."""
    transcript = repo.path.parent / "s.jsonl"
    text = "".join(f"{json.dumps(each)}\n" for each in lines)
    transcript.write_text(text.replace("$ROOT", repo.path.as_posix()))
    return {"tool_use_id": "call_9", "transcript_path": str(transcript)}


def edit(repo: Repo, agent: str, lines: Iterable[Line] = (), **about: Any) -> int:
    """Let an agent with that transcript edit the file; how many edits are blind."""
    tool, given = EDITS[agent]
    end = Talk(repo.path, agent=agent, **write(repo, lines) | about).begin(tool, **given)
    change(repo.path / "greet.py", (OLD, NEW))
    end("ok")
    return session(repo).blind


COMMON: Line = {"isSidechain": False, "sessionId": "s", "version": "2.1.330", "cwd": "$ROOT"}


def attach(attachment: Line) -> Line:
    time = {"timestamp": "2024-05-05T17:37:37.394Z", "uuid": "ec70db56"}
    return {"type": "attachment", "attachment": attachment} | COMMON | time


def attach_file(content: str, name: str = "greet.py") -> Line:
    file = {"filePath": f"$ROOT/{name}", "content": content, "startLine": 1}
    kind = {"type": "text", "file": file}
    return attach({"type": "file", "filename": f"$ROOT/{name}", "content": kind})


def ask(message: str, call: str, tool: str = "Edit", **given: str) -> Line:
    use = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return COMMON | {"type": "assistant", "message": {"id": message, "content": [use]}}


def answer(call: str, said: str, detail: Line) -> Line:
    result = {"type": "tool_result", "tool_use_id": call, "content": said}
    line = {"type": "user", "message": {"content": [result]}, "toolUseResult": detail}
    return COMMON | line | {"uuid": call}


def read(message: str, content: str = TEXT, **more: object) -> list[Line]:
    file = {"filePath": "$ROOT/greet.py", "content": content, "startLine": 1}
    asked = ask(message, "toolu_1", "Read", file_path="$ROOT/greet.py")
    shown = answer("toolu_1", content, {"type": "text", "file": file})
    return [asked | more, shown | more]


SHOWN, NOW = attach_file(TEXT), ask("now", "call_9")
RULES = {"type": "instructions", "files": [{"path": "$ROOT/greet.py", "content": TEXT}]}
BELOW = {"type": "nested_memory", "path": "$ROOT/greet.py", "content": {"content": TEXT}}
CAT = [
    ask("m", "toolu_2", "Bash", command="cat greet.py"),
    answer("toolu_2", TEXT, {"stdout": TEXT, "stderr": ""}),
]


@cases(
    "lines, blind",
    {
        "a file of the prompt": ([SHOWN], 0),
        "it is asked for": ([SHOWN, NOW], 0),
        "a part": ([attach_file("def greet(name):")], 1),
        "other words": ([attach_file("Other.\n")], 1),
        "another file": ([attach_file(TEXT, "other.py")], 1),
        "shown later": ([NOW, SHOWN], 1),
        "shown by another call of the same answer": ([ask("now", "call_8"), SHOWN, NOW], 1),
        "shown by an earlier answer": ([ask("m", "call_8"), SHOWN, NOW], 0),
        "instructions": ([attach(RULES)], 0),
        "instructions of a directory": ([attach(BELOW)], 0),
        "read before a fork": ([*read("m"), NOW], 0),
        "read in a shell": ([*CAT, NOW], 0),
        "it was otherwise then": ([*read("m", "Other.\n"), NOW], 1),
        "a part was read": ([*read("m", "def greet(name):\n"), NOW], 1),
        "by the same answer": ([*read("now"), NOW], 1),
        "maybe by the same answer": (read("m"), 1),
        "by a sub-agent": ([*read("m", isSidechain=True, agentId="a1"), NOW], 1),
        "nothing": ([NOW], 1),
    },
)
def test_what_the_transcript_of_claude_code_has_before_the_answer_that_edits(
    lines: list[Line], blind: int, greeting: Repo
) -> None:
    assert edit(greeting, "claude", lines) == blind


def test_steered_what_was_attached_counts_for_the_edit_by_the_server(greeting: Repo) -> None:
    talk = Talk(greeting.path, "s", "--steer", **write(greeting, [SHOWN]))
    assert talk.tell("before", "Edit", **REPLACED)
    spec = f'{{"file": "greet.py", "old_text": "{OLD}", "new_text": "{NEW}"}}'
    done = run("edit", "--session", "claude-s", stdin=spec.encode(), cwd=greeting.path)
    assert done.code == 0
    assert "blind" not in done.out + done.err


def test_adopt_finds_what_was_attached(greeting: Repo) -> None:
    greeting.write("greet.py", GREETING.replace(b"Helo", b"Hello"))
    log = ClaudeLog(greeting.path, "s")
    log.edit("greet.py", OLD, NEW, TEXT)
    log.lines.insert(0, json.dumps(SHOWN).replace("$ROOT", greeting.path.as_posix()))
    assert explained(adopt(greeting, log, "-n")) == [("greet.py", [2, 2], "receipt")]


def prompt_qwen(path: Path) -> tuple[Line, Line]:
    parts = [{"text": f"\nContent from {path}:\n"}, {"text": TEXT}]
    asked = {"type": "user", "uuid": "p", "message": {"role": "user", "parts": parts}}
    use = {"functionCall": {"id": "call_9", "name": "edit", "args": {}}}
    return asked, {"type": "assistant", "uuid": "a", "message": {"role": "model", "parts": [use]}}


def prompt_gemini(path: Path) -> tuple[Line, Line]:
    parts = [{"text": "\nContent from @greet.py:\n"}, {"text": TEXT}]
    return {"type": "user", "id": "p", "content": parts}, {"type": "gemini", "id": "a"}


def instruct_gemini(path: Path) -> tuple[Line, Line]:
    ends = [f"--- {x}ontext from: {path} ---" for x in ("C", "End of C")]
    first = {"type": "user", "content": [{"text": f"{ends[0]}\n{TEXT}{ends[1]}"}]}
    return {"$set": {"messages": [first]}}, {"type": "gemini", "id": "a"}


def prompt_pi(path: Path) -> tuple[Line, Line]:
    text = {"type": "text", "text": f'<file name="{path}">\n{TEXT}\n</file>\nMend it.'}
    asked = {"id": "p", "message": {"role": "user", "content": [text]}}
    return asked, {"id": "a", "message": {"role": "assistant", "content": [{"id": "call_9"}]}}


@pytest.mark.parametrize("is_later", [False, True], ids=["before", "later"])
@pytest.mark.parametrize("prompt", [prompt_qwen, prompt_gemini, instruct_gemini, prompt_pi])
def test_a_file_in_the_prompt_has_been_read(
    prompt: Callable[[Path], tuple[Line, Line]], is_later: bool, greeting: Repo
) -> None:
    lines = prompt(greeting.path / "greet.py")
    agent = prompt.__name__.partition("_")[2]
    assert edit(greeting, agent, lines[:: -1 if is_later else 1]) == is_later


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_file_in_the_prompt_of_cline_has_been_read(
    is_shown: bool, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINE_DIR", str(greeting.path.parent))
    path = greeting.path / "greet.py"
    place = greeting.path.parent / "data" / "sessions" / "s" / "s.messages.json"
    place.parent.mkdir(parents=True)
    parts = [{"type": "file", "path": str(path), "content": TEXT}] if is_shown else []
    messages = [{"id": "p", "role": "user", "content": parts}]
    place.write_text(json.dumps({"sessionId": "s", "messages": messages}))
    given = {"path": str(path), "old_text": OLD, "new_text": NEW}
    call = {"name": "editor", "input": given, "output": {"success": True, "result": "ok"}}
    common = {"sessionContext": {"rootSessionId": "s"}, "workspaceRoots": [str(greeting.path)]}
    told("cline", common | {"hookName": "tool_call", "tool_call": call})
    change(path, (OLD, NEW))
    told("cline", common | {"hookName": "tool_result", "tool_result": call})
    assert session(greeting).blind == (not is_shown)


@pytest.mark.parametrize(
    ("folder", "blind"), [(".", 0), ("sub", 0), ("..", 1)], ids=["here", "below", "elsewhere"]
)
def test_the_instructions_of_codex_have_been_read(folder: str, blind: int, greeting: Repo) -> None:
    greeting.commit({"AGENTS.md": GREETING, "sub/a.txt": b"a\n"})
    place = (greeting.path / folder).resolve()
    rules = f"<INSTRUCTIONS>\n{TEXT}\n</INSTRUCTIONS>"
    part = {"type": "input_text", "text": f"# AGENTS.md instructions for {place}\n\n{rules}"}
    shown = {"type": "response_item", "payload": {"role": "user", "content": [part]}}
    talk = Talk(greeting.path, agent="codex", **write(greeting, [shown]))
    end = talk.begin("apply_patch", command=PATCH.replace("greet.py", "AGENTS.md"))
    change(greeting.path / "AGENTS.md", (OLD, NEW))
    end("ok")
    assert session(greeting).blind == blind


def fork_qwen(root: Path) -> list[Line]:
    asked = {"functionCall": {"id": "r", "name": "read_file", "args": {"file_path": "greet.py"}}}
    output = {"functionResponse": {"id": "r", "response": {"output": TEXT}}}
    parts = [("assistant", asked), ("tool_result", output)]
    parts.append(("assistant", {"functionCall": {"id": "call_9"}}))
    common = {"sessionId": "s", "cwd": str(root), "toolCallResult": {"status": "success"}}
    return [
        common | {"type": kind, "uuid": f"u{number}", "message": {"parts": [part]}}
        for number, (kind, part) in enumerate(parts)
    ]


def fork_pi(root: Path) -> list[Line]:
    asked = {"id": "r", "name": "read", "arguments": {"path": "greet.py"}}
    said = [{"type": "text", "text": TEXT}]
    lines: list[Line] = [
        {"role": "assistant", "content": [asked]},
        {"role": "toolResult", "toolCallId": "r", "content": said},
        {"role": "assistant", "content": [{"id": "call_9", "name": "edit"}]},
    ]
    head = {"type": "session", "id": "s", "cwd": str(root), "parentSession": "former.jsonl"}
    told = ({"type": "message", "id": f"i{n}", "message": each} for n, each in enumerate(lines))
    return [head, *told]


def fork_codex(root: Path) -> list[Line]:
    given = json.dumps({"cmd": "cat greet.py"})
    said = f"Exit code: 0\nOutput:\n{TEXT}"
    lines: list[Line] = [
        {"type": "function_call", "call_id": "r", "name": "exec_command", "arguments": given},
        {"type": "function_call_output", "call_id": "r", "output": said},
        {"type": "custom_tool_call", "call_id": "call_9", "name": "apply_patch"},
    ]
    head = {"type": "session_meta", "payload": {"id": "s", "cwd": str(root)}}
    return [head, *({"type": "response_item", "payload": each} for each in lines)]


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "nothing"])
@pytest.mark.parametrize("fork", [fork_qwen, fork_pi, fork_codex])
def test_what_was_read_before_a_fork_has_been_read(
    fork: Callable[[Path], list[Line]], is_read: bool, greeting: Repo
) -> None:
    lines = fork(greeting.path)
    agent = fork.__name__.partition("_")[2]
    assert edit(greeting, agent, lines if is_read else lines[-1:]) == (not is_read)


STATE = {"status": "completed", "input": {"filePath": "greet.py"}, "output": NUMBERED}
SHOWN_PARTS = (
    'Called the Read tool with the following input: {"filePath": "greet.py"}',
    f"<path>greet.py</path>\n{NUMBERED}",
)


@cases(
    "parts, turn, blind",
    {
        "in the prompt": (
            [{"type": "text", "synthetic": True, "text": text} for text in SHOWN_PARTS],
            "m2",
            0,
        ),
        "read": ([{"type": "tool", "tool": "read", "callID": "r", "state": STATE}], "m2", 0),
        "by the same answer": (
            [{"type": "tool", "tool": "read", "callID": "r", "state": STATE}],
            "m1",
            1,
        ),
        "nothing": ([], "m2", 1),
    },
)
@pytest.mark.parametrize("agent", ["opencode", "kilo"])
def test_what_the_database_of_opencode_has(
    agent: str,
    parts: list[Line],
    turn: str,
    blind: int,
    greeting: Repo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(greeting.path.parent))
    rows = [(f"p{at}", "m1", "s", at, json.dumps(part)) for at, part in enumerate(parts)]
    place, sessions = greeting.path.parent / agent, [("s", str(greeting.path), "1")]
    make_database(place / f"{agent}.db", OPENCODE, sessions, rows)
    assert edit(greeting, agent, turn=turn) == blind


@cases(
    "commands, blind",
    {
        "before": (["cat greet.py", "ls"], 0),
        "maybe by the same answer": (["ls", "cat greet.py"], 1),
    },
)
def test_what_the_database_of_goose_has_of_a_fork(
    commands: list[str], blind: int, greeting: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """goose copies the messages; what asks for the edit it keeps only afterwards."""
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(greeting.path.parent))
    rows: list[tuple[object, ...]] = []
    for call, command in enumerate(commands):
        text = TEXT if command.startswith("cat") else "greet.py\n"
        value = {"name": "shell", "arguments": {"command": command}}
        result = {"value": {"content": [{"type": "text", "text": text}]}}
        asked = {"type": "toolRequest", "toolCall": {"value": value}}
        for part in (asked, {"type": "toolResponse", "toolResult": result}):
            rows.append((len(rows), "s", call, json.dumps([part | {"id": str(call)}])))
    place, sessions = "data/sessions/sessions.db", [("s", str(greeting.path), "1")]
    make_database(greeting.path.parent / place, GOOSE, sessions, rows)
    assert edit(greeting, "goose", tool_call_id="e") == blind
