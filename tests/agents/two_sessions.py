"""two_sessions.py: two conversations with Claude Code in one checkout, told step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hkgit.sessions import homes as places
from hkgit.sessions.call_journal import SessionJournal
from tests.agents.streaming import told
from tests.support.repos import Repo

TEXT = "".join(f"{name} = {n}\n" for n, name in enumerate("abcdefgh"))
ONE, TWO = ("a = 0", "a = 10"), ("g = 6", "g = 60")


BOTH = {"claude-one": {"a = 10"}, "claude-two": {"g = 60"}}
FIRST, SECOND = ({name: lines} for name, lines in BOTH.items())


def tell(repo: Repo, name: str, stage: str, command: str, tool: str = "Bash") -> str:
    """Tell the hook of a session's command; what the model is told."""
    asked = {"command": command} if tool == "Bash" else json.loads(command)
    payload: dict[str, Any] = {
        "session_id": name,
        "cwd": str(repo.path),
        "hook_event_name": f"{stage}ToolUse",
        "tool_name": tool,
        "tool_input": asked,
        "tool_use_id": f"{name}-{command}",
        "tool_response": {"stdout": ""},
    }
    answers = told("claude", payload).values()
    return "".join(each["additionalContext"] for each in answers)


def name_call(root: Path, session: str, tool: str, **given: str) -> dict[str, Any]:
    """What a hook is told of a call of a session about the file `x.py`, before its stage."""
    asked = {"file_path": str(root / "x.py")} | given
    named = {"session_id": session, "cwd": str(root), "tool_name": tool}
    return {**named, "tool_input": asked, "tool_use_id": f"{session}-{tool}-{json.dumps(given)}"}


def read(root: Path, session: str) -> None:
    text = (root / "x.py").read_text()
    file = {"filePath": str(root / "x.py"), "content": text, "startLine": 1}
    shown = {"hook_event_name": "PostToolUse", "tool_response": {"type": "text", "file": file}}
    told("claude", name_call(root, session, "Read") | shown)


def begin(root: Path, session: str, tool: str = "Edit", **given: str) -> dict[str, Any]:
    """Tell the hook before a call; what the one after it is told."""
    call = name_call(root, session, tool, **given)
    told("claude", call | {"hook_event_name": "PreToolUse"})
    return call | {"hook_event_name": "PostToolUse", "tool_response": {}}


def begin_edit(root: Path, session: str, old: str, new: str) -> dict[str, Any]:
    return begin(root, session, old_string=old, new_string=new)


def write(root: Path, *pairs: tuple[str, str]) -> None:
    path = root / "x.py"
    for old, new in pairs:
        path.write_text(path.read_text().replace(old, new), newline="")


def change(repo: Repo, pair: tuple[str, str], name: str = "x.py") -> None:
    path = repo.path / name
    text = path.read_text()
    assert pair[0] in text
    path.write_text(text.replace(*pair))


def added(repo: Repo) -> dict[str, set[str]]:
    """The lines that the calls of each session have put in, as its journal tells."""
    found: dict[str, set[str]] = {}
    for folder in places.find_folders(repo.path):
        journal = SessionJournal(folder)
        for call in journal.load().effective:
            for each in call.changes:
                lines = [
                    (b"" if version is None else journal.blobs.get(version.sha256) or b"")
                    .decode()
                    .splitlines()
                    for version in (each.before, each.after)
                ]
                found.setdefault(folder.name, set()).update({*lines[1]} - {*lines[0]})
    return found


def play(repo: Repo, order: str, commands: tuple[str, str] = ("./one x.py", "./two x.py")) -> str:
    """Play steps of the sessions one and two: `1` and `2` are hooks, `a` and `b` the changes."""
    begun: set[str] = set()
    said = ""
    for step in order:
        if step in "ab":
            change(repo, ONE if step == "a" else TWO)
            continue
        name, command = ("one", commands[0]) if step == "1" else ("two", commands[1])
        said += tell(repo, name, "Post" if step in begun else "Pre", command)
        begun.add(step)
    return said
