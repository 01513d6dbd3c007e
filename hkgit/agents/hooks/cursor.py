"""cursor.py: Cursor. Its hooks: cursor.com/docs/hooks.

It tells of an edit only when it is made, with old and new text; so before a file is read the
recorder keeps how it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from hkgit.agents.events import (
    Did,
    Editing,
    PendingToolEdit,
    Shell,
    ToolEvent,
    ToolReading,
    session_name,
)
from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, Part, guard
from hkgit.text.json_nodes import JsonObject

NAME = "cursor"
EDIT_TOOL = "edit"

_EDIT = "preToolUse"


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    guarded = guard(command)
    run = {"command": guarded}
    hooks = {
        _EDIT: [{"command": guarded, "matcher": "Write"}],
        "beforeReadFile": [run],
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


def event(payload: JsonObject) -> ToolEvent | None:
    """What a hook's input speaks of; None where it does not matter here."""
    did = _did(payload)
    if did is None:
        return None
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else payload.get("cwd") or "."
    session = session_name(NAME, payload.get("conversation_id"))
    return ToolEvent(payload.get("hook_event_name") == _EDIT, session, Path(str(root)), did)


def _did(payload: JsonObject) -> Did | None:
    path, content = payload.get("file_path"), payload.get("content")
    match payload.get("hook_event_name"):
        case "beforeReadFile" if isinstance(path, str) and isinstance(content, str):
            return ToolReading(path, 1, max(len(content.splitlines()), 1))
        case "afterFileEdit" if isinstance(path, str):
            said = {"file_path": path, "edits": _normalize_edits(payload.get("edits"))}
            return Editing(json.dumps(said, ensure_ascii=False), "text-editor")
        case "afterShellExecution":
            command, output = payload.get("command"), payload.get("output")
            if isinstance(command, str) and isinstance(output, str):
                return Shell(command, output)
        case "preToolUse":
            return _find_pending_edit(payload.get("tool_input"))
    return None


def _normalize_edits(edits: object) -> list[dict[str, object]]:
    """What the dialect knows of each edit; the editor adds ranges and lines of its own."""
    return [
        {name: each[name] for name in ("old_string", "new_string") if name in each}
        for each in (edits if isinstance(edits, list) else ())
        if isinstance(each, Mapping)
    ]


def _find_pending_edit(given: object) -> PendingToolEdit | None:
    path = given.get("file_path", given.get("path")) if isinstance(given, Mapping) else None
    return PendingToolEdit(path) if isinstance(path, str) else None


def denial(reason: str) -> JsonObject:
    """The output that stops a call; the model reads the reason."""
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def remark(text: str) -> JsonObject | None:
    """After an edit nothing that a hook says is read."""
    return None
