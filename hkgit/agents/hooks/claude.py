"""claude.py: Claude Code. Its hooks: code.claude.com/docs/en/hooks; its servers: .mcp.json."""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.agents.events import (
    END,
    Shell,
    Tool,
    ToolEvent,
    ToolReading,
    editing,
    text_of,
    tool_event,
    whole_number,
)
from hkgit.agents.setup.settings import (
    HOOK_SECONDS,
    MCP_SERVER,
    JsonPart,
    Part,
    guard,
    is_steering,
)
from hkgit.text.json_nodes import JsonObject

NAME = "claude"
EDIT_TOOL = "mcp__hkgit__edit"

_PREVIEW = 2000
"""So many characters the model sees of an output that is too large, which goes into a file."""

EDITS: dict[str, Tool] = {
    "Edit": editing("file_path", "old_string", "new_string", "replace_all"),
    "MultiEdit": editing("file_path", "edits"),
    "Write": editing("file_path", "content"),
}


def _read(arguments: JsonObject, answer: object) -> ToolReading | None:
    """The lines that an answer says it shows; of a file that was shown before it repeats none."""
    path, file = arguments.get("file_path"), _member(answer, "file")
    first, text = whole_number(_member(file, "startLine")), _member(file, "content")
    if not isinstance(path, str) or first is None or not isinstance(text, str):
        return None
    return ToolReading(path, max(first, 1), END, text)


def _run(arguments: JsonObject, answer: object) -> Shell | None:
    """A command, with what the model is shown of its output."""
    command = arguments.get("command")
    if not isinstance(command, str):
        return None
    parts = [_member(answer, name) for name in ("stdout", "stderr")]
    output = answer if isinstance(answer, str) else text_of(parts)
    if _member(answer, "persistedOutputPath") is not None:
        output, _, _ = output[:_PREVIEW].rpartition("\n")
    return Shell(command, output)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


LOOKS: dict[str, Tool] = {"Read": _read, "Bash": _run}


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    settings: dict[str, object] = {"hooks": hooks(command, EDITS, LOOKS)}
    if is_steering(command):
        # Else it asks for each call, and where nobody answers it refuses.
        settings["permissions"] = {"allow": ["mcp__hkgit"]}
        settings["enabledMcpjsonServers"] = ["hkgit"]
    return [
        JsonPart(".mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(".claude/settings.json", settings, owner=f"hkgit hook {NAME}"),
    ]


def hooks(command: str, edits: dict[str, Tool], looks: dict[str, Tool]) -> dict[str, object]:
    """The hooks before a tool is used and after it."""
    run = [{"type": "command", "command": guard(command), "timeout": HOOK_SECONDS}]
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
