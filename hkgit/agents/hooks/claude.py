"""claude.py: Claude Code. Its hooks: code.claude.com/docs/en/hooks; its servers: .mcp.json."""

from __future__ import annotations

from hkgit.agents.events import Tool, ToolEvent, editing, reading, shell, tool_event
from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, Part
from hkgit.text.json_nodes import JsonObject

NAME = "claude"

EDITS: dict[str, Tool] = {
    "Edit": editing("file_path", "old_string", "new_string", "replace_all"),
    "MultiEdit": editing("file_path", "edits"),
    "Write": editing("file_path", "content"),
}
LOOKS: dict[str, Tool] = {"Read": reading("file_path"), "Bash": shell("command")}


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    return [
        JsonPart(".mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(".claude/settings.json", {"hooks": hooks(command, EDITS, LOOKS)}),
    ]


def hooks(command: str, edits: dict[str, Tool], looks: dict[str, Tool]) -> dict[str, object]:
    """The hooks before a tool is used and after it."""
    run = [{"type": "command", "command": command}]
    before, after = "|".join(edits), "|".join([*edits, *looks])
    return {
        "PreToolUse": [{"matcher": before, "hooks": run}],
        "PostToolUse": [{"matcher": after, "hooks": run}],
    }


def event(payload: JsonObject) -> ToolEvent | None:
    """What a hook's input speaks of; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "PreToolUse", "PostToolUse")


def denial(reason: str) -> JsonObject:
    """The output that stops a call; the model reads the reason."""
    said = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}


def remark(text: str) -> JsonObject | None:
    """The output that tells the model something after a call."""
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}}
