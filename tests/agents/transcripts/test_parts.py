"""Parts of files in logs: what a reading of some lines has shown is found by `hkgit adopt`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.adopting import APP, NEW, adopt, explained
from tests.support.cases import cases
from tests.support.repos import Repo

Line = dict[str, Any]
LINES = APP.split("\n")
PART = "\n".join(LINES[3:6])
BELOW = "\n".join(LINES[5:])


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit({"sub/app.py": APP.encode()})
    repo.write("sub/app.py", NEW.encode())
    repo.git("add", "-A")
    return repo


def _qwen(repo: Repo, start: int, count: int, shown: str, **more: str) -> list[Line]:
    path = str(repo.path / "sub/app.py")
    common = {"sessionId": "s", "cwd": str(repo.path), "version": "0.24.4", **more}

    def tell(number: int, tool: str, given: Line, said: str, display: object) -> list[Line]:
        call = {"functionCall": {"id": f"call_{number}", "name": tool, "args": given}}
        answer = {"id": f"call_{number}", "name": tool, "response": {"output": said}}
        times = [f"2026-11-22T22:31:{10 + 2 * number + x}.000Z" for x in range(2)]
        result = {"callId": f"call_{number}", "status": "success", "resultDisplay": display}
        return [
            {"uuid": f"a{number}", "timestamp": times[0], "type": "assistant", **common}
            | {"message": {"role": "model", "parts": [call]}},
            {"uuid": f"b{number}", "timestamp": times[1], "type": "tool_result", **common}
            | {"message": {"parts": [{"functionResponse": answer}]}, "toolCallResult": result},
        ]

    edit = {"file_path": path, "old_string": "Helo", "new_string": "Hello"}
    display = {"fileName": "app.py", "originalContent": APP, "newContent": NEW}
    read = {"file_path": path, "offset": start - 1, "limit": count}
    return [*tell(1, "read_file", read, shown, ""), *tell(2, "edit", edit, "done", display)]


def _write(place: Path, lines: list[Line]) -> Path:
    place.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return place


@cases(
    "start, shown, kind",
    {"with the line": (4, PART, "receipt"), "the lines below": (6, BELOW, "none")},
)
def test_a_part_that_qwen_has_read(
    start: int, shown: str, kind: str, changed: Repo, tmp_path: Path
) -> None:
    count = len(shown.split("\n"))
    said = f"Showing lines {start}-{start + count - 1} of 9 total lines.\n\n---\n\n{shown}"
    log = _write(tmp_path / "s.jsonl", _qwen(changed, start, count, said))
    [(path, _, found)] = explained(adopt(changed, log, "--staged"))
    assert (path, found) == ("sub/app.py", kind)


def _cline(repo: Repo, command: str, shown: str) -> Line:
    path = str(repo.path / "sub/app.py")
    done = json.dumps({"query": f"edit:{path}", "result": f"Edited {path}", "success": True})
    ran = [{"query": command, "result": shown, "success": True}]
    calls = [
        ("run_commands", {"commands": [command]}, ran),
        ("editor", {"path": path, "old_text": "Helo", "new_text": "Hello"}, done),
    ]
    messages: list[Line] = []
    for number, (tool, given, answer) in enumerate(calls):
        use = {"type": "tool_use", "id": f"call_{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": answer}
        time = 1795416214769 + 1000 * number
        messages += [
            {"id": f"m{number}", "role": "assistant", "content": [use], "ts": time},
            {"id": f"u{number}", "role": "user", "content": [result], "ts": time + 500},
        ]
    return {"version": 1, "agent": "lead", "sessionId": "s", "messages": messages}


@cases(
    "command, where",
    {
        "it works in a directory": ("cat app.py", "sub"),
        "the command goes there": ("cd sub && cat app.py", ""),
        "it names the directory": ("cat sub/app.py", ""),
    },
)
def test_what_cline_has_read_in_a_shell_in_a_subdirectory(
    command: str, where: str, changed: Repo, tmp_path: Path
) -> None:
    about = {"version": 1, "session_id": "s", "cwd": str(changed.path / where)}
    (tmp_path / "s.json").write_text(json.dumps(about | {"workspace_root": str(changed.path)}))
    _write(tmp_path / "s.messages.json", [_cline(changed, command, APP)])
    answer = adopt(changed, tmp_path / "s.messages.json", "--staged")
    assert [(path, kind) for path, _, kind in explained(answer)] == [("sub/app.py", "receipt")]


def test_what_qwen_was_shown_with_the_prompt(changed: Repo, tmp_path: Path) -> None:
    lines = _qwen(changed, 1, 1, "no such file")[2:]
    parts = [{"text": "@sub/app.py Mend it."}, {"text": "\n--- Content from referenced files ---"}]
    parts += [{"text": f"\nContent from {changed.path}/sub/app.py:\n"}, {"text": APP}]
    shown = {**lines[0], "uuid": "p", "type": "user", "message": {"role": "user", "parts": parts}}
    [(_, _, found)] = explained(
        adopt(changed, _write(tmp_path / "s.jsonl", [shown, *lines]), "--staged")
    )
    assert found == "receipt"


@pytest.mark.parametrize("is_reader", [True, False])
def test_a_sub_agent_of_qwen_has_readings_of_its_own(
    is_reader: bool, changed: Repo, tmp_path: Path
) -> None:
    """It has a log of its own, where an answer does not say that it is one."""
    own = {"isSidechain": True, "agentId": "a1"}
    lines = _qwen(changed, 1, 9, APP)
    for line in lines:
        if "toolCallResult" in line:
            del line["toolCallResult"]["status"]
    for line in lines if is_reader else lines[:2]:
        line.update(own)
    if not is_reader:
        lines[3]["toolCallResult"]["status"] = "success"
    answer = adopt(changed, _write(tmp_path / "s.jsonl", lines), "--staged")
    assert [kind for *_, kind in explained(answer)] == ["receipt" if is_reader else "none"]


@pytest.mark.parametrize("is_reader", [True, False])
def test_a_sub_agent_of_cline_has_readings_of_its_own(
    is_reader: bool, changed: Repo, tmp_path: Path
) -> None:
    """Its messages stand beside those of its agent, which say where both worked."""
    home = tmp_path / "s"
    home.mkdir()
    (home / "s.json").write_text(json.dumps({"session_id": "s", "cwd": str(changed.path)}))
    own, edit = (_cline(changed, "cat sub/app.py", APP) for _ in range(2))
    edit["messages"] = edit["messages"][2:]
    own["sessionId"] = "s__a1"
    if not is_reader:
        own["messages"] = own["messages"][:2]
    _write(home / "a1.messages.json", [own])
    _write(home / "s.messages.json", [] if is_reader else [edit])
    if is_reader:
        (home / "s.messages.json").unlink()
    answer = adopt(changed, home, "--staged")
    assert [kind for *_, kind in explained(answer)] == ["receipt" if is_reader else "none"]
