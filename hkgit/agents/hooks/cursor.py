"""Cursor. Its hooks: cursor.com/docs/hooks.

It tells of an edit only when it is made, with old and new text; so before its tools write, the
recorder keeps how the file was. `beforeReadFile` has the whole of a file, whatever of it the model
is shown; so what counts is the answer of the tool. What a person types and Tab completes is theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.agents.events import Did, PendingToolEdit, Shell, ToolEvent
from hkgit.agents.setup.settings import HOOK_SECONDS, MCP_SERVER, JsonPart, Part, guard_in_time
from hkgit.agents.tools import SAID, make_editing, reading, session_name, text_of
from hkgit.text.strict_json import JsonObject

NAME = "cursor"
EDIT_TOOL = "edit"
DENIAL: JsonObject = {  # in the words of old and new versions
    "permission": "deny",
    "user_message": SAID,
    "agent_message": SAID,
    "decision": "deny",
    "reason": SAID,
}
NOTE: JsonObject | None = {"additional_context": SAID}

_BEFORE, _AFTER = "preToolUse", "postToolUse"


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    run = {"command": guard_in_time(command), "timeout": HOOK_SECONDS}
    hooks = {
        _BEFORE: [run | {"matcher": "Write|Delete"}],
        _AFTER: [run | {"matcher": "Read|Delete"}],
        "afterFileEdit": [run],
        "afterShellExecution": [run],
    }
    return [
        JsonPart(".cursor/mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(
            ".cursor/hooks.json",
            {"hooks": hooks},
            '{\n  "version": 1\n}\n',
            owner=f"hkgit hook {NAME}",
        ),
    ]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    did = _did(payload)
    if did is None:
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else payload.get("cwd") or "."
    session = session_name(NAME, payload.get("conversation_id"))
    stage = payload.get("hook_event_name")
    return ToolEvent(
        is_before=stage == _BEFORE, session=session, directory=Path(str(root)), did=did
    )


def _did(payload: JsonObject) -> Did | None:
    path, given = payload.get("file_path"), payload.get("tool_input")
    match payload.get("hook_event_name"):
        case "afterFileEdit" if isinstance(path, str):
            return make_editing(path, payload.get("edits"))
        case "afterShellExecution":
            command, output = payload.get("command"), payload.get("output")
            if isinstance(command, str) and isinstance(output, str):
                return Shell(command, output)
        case "postToolUse" if payload.get("tool_name") == "Read" and isinstance(given, dict):
            return reading(_name_path(given))(given, _unwrap(payload.get("tool_output")))
        case "preToolUse" | "postToolUse" if isinstance(given, dict):
            name = given.get(_name_path(given))
            return PendingToolEdit(name) if isinstance(name, str) else None
    return None


def _name_path(given: Mapping[str, object]) -> str:
    return "file_path" if "file_path" in given else "path"


def _unwrap(output: object) -> object:
    """What a tool has answered: text, or, of later versions, JSON in a text."""
    if isinstance(output, str) and output.startswith(("{", "[", '"')):
        with suppress(ValueError, RecursionError):
            return text_of(json.loads(output))
    return output
