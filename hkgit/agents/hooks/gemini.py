"""gemini.py: Gemini CLI. Its hooks: geminicli.com/docs/hooks/reference."""

from __future__ import annotations

from hkgit.agents.events import (
    Tool,
    ToolEvent,
    ToolReading,
    editing,
    reading,
    shell,
    tool_event,
    whole_number,
)
from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, Part
from hkgit.text.json_nodes import JsonObject

NAME = "gemini"

EDITS: dict[str, Tool] = {
    "replace": editing(
        "file_path", "old_string", "new_string", "expected_replacements", "allow_multiple"
    ),
    "write_file": editing("file_path", "content"),
}


def _read(arguments: JsonObject, answer: object) -> ToolReading | None:
    """Lines from `start_line` to `end_line`, or, as it once was, `limit` lines after `offset`."""
    start, end = whole_number(arguments.get("start_line")), whole_number(arguments.get("end_line"))
    path = arguments.get("file_path", arguments.get("absolute_path"))
    if not isinstance(path, str):
        return None
    if start is None and end is None and "offset" in arguments:
        counted = dict(arguments) | {"offset": (whole_number(arguments["offset"]) or 0) + 1}
        found = reading("path")(counted | {"path": path}, answer)
        return found if isinstance(found, ToolReading) else None
    first = max(start or 1, 1)
    return ToolReading(path, first, first + 1999 if end is None else end)


LOOKS: dict[str, Tool] = {"read_file": _read, "run_shell_command": shell("command")}


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    run = [{"name": "hkgit", "type": "command", "command": command}]
    before, after = "|".join(EDITS), "|".join([*EDITS, *LOOKS])
    hooks = {
        "BeforeTool": [{"matcher": before, "hooks": run}],
        "AfterTool": [{"matcher": after, "hooks": run}],
    }
    servers = {"hkgit": MCP_SERVER}
    return [JsonPart(".gemini/settings.json", {"mcpServers": servers, "hooks": hooks})]


def event(payload: JsonObject) -> ToolEvent | None:
    """What a hook's input speaks of; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "BeforeTool", "AfterTool")


def denial(reason: str) -> JsonObject:
    """The output that stops a call; the model reads the reason."""
    return {"decision": "deny", "reason": reason}


def remark(text: str) -> JsonObject | None:
    """The output that tells the model something after a call."""
    return {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": text}}
