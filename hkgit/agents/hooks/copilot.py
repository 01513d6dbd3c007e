"""copilot.py: GitHub Copilot, in the terminal and in the cloud: .github/hooks/*.json.

docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference; its payload names
no event: what has a result is over. Servers: .vscode/mcp.json is read by VS Code.
"""

from __future__ import annotations

import json
from pathlib import Path

from hkgit.agents.events import (
    Tool,
    ToolEvent,
    ToolReading,
    editing,
    patching,
    session_name,
    shell,
    whole_number,
)
from hkgit.agents.setup.settings import MCP_SERVER, FilePart, JsonPart, Part
from hkgit.text.json_nodes import JsonObject

NAME = "copilot"

EDITS: dict[str, Tool] = {
    "edit": editing("path", "old_str", "new_str", command="str_replace"),
    "create": editing("path", "file_text", command="create"),
    "apply_patch": patching("patch", "input", "command"),
}


def _view(arguments: JsonObject, answer: object) -> ToolReading | None:
    path, lines = arguments.get("path"), arguments.get("view_range")
    if not isinstance(path, str):
        return None
    if not isinstance(lines, list) or len(lines) != 2:
        return ToolReading(path, 1, 2000)
    first, last = (whole_number(each) or 1 for each in lines)
    return ToolReading(path, max(first, 1), last if last >= first else first + 1999)


LOOKS: dict[str, Tool] = {"view": _view, "bash": shell("command")}


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    run = [{"type": "command", "bash": command, "powershell": command}]
    hooks = {"version": 1, "hooks": {"preToolUse": run, "postToolUse": run}}
    server = {"type": "stdio", **MCP_SERVER}
    return [
        JsonPart(".vscode/mcp.json", {"servers": {"hkgit": server}}),
        FilePart(".github/hooks/hkgit.json", json.dumps(hooks, indent=2) + "\n"),
    ]


def event(payload: JsonObject) -> ToolEvent | None:
    """What a hook's input speaks of; None where it does not matter here."""
    arguments = payload.get("toolArgs")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    tool = (EDITS | LOOKS).get(str(payload.get("toolName")))
    result = payload.get("toolResult")
    if tool is None or not isinstance(arguments, dict):
        return None
    if isinstance(result, dict) and result.get("resultType", "success") != "success":
        return None
    did = tool(arguments, result)
    session = session_name(NAME, payload.get("sessionId"))
    directory = Path(str(payload.get("cwd") or "."))
    return None if did is None else ToolEvent(result is None, session, directory, did)


def denial(reason: str) -> JsonObject:
    """The output that stops a call; the model reads the reason."""
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def remark(text: str) -> JsonObject | None:
    """After a call nothing that a hook says is read."""
    return None
