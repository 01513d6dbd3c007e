"""goose. Its hooks stand in a plugin: goose-docs.ai, guides, context engineering.

They are not told what a tool has answered; its database of sessions has it by the next call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from hkgit.agents.events import Editing, Pause, Shell, ToolEvent, UnshownShell
from hkgit.agents.setup.settings import HOOK_SECONDS, JsonPart, Part, guard_in_time
from hkgit.agents.tools import SAID, Tool, shell, tool_event
from hkgit.edits import encode_text
from hkgit.evidence.entry import digest
from hkgit.git.goose_shell import find_goose_database, find_goose_start
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "goose"
EDIT_TOOL = "hkgit__edit"
DENIAL: JsonObject = {"decision": "block", "reason": SAID}
NOTE: JsonObject | None = None  # after a call goose does not heed what a hook says

_FOLDER = ".agents/plugins/hkgit"
_BUILTIN = "developer__"
"""Once before the names of goose's own tools."""


def _edit(arguments: JsonObject, answer: object) -> Editing | None:
    path, old, new = (arguments.get(name) for name in ("path", "before", "after"))
    fields = {"file_path": path, "old_string": old, "new_string": new}
    return Editing(json.dumps(fields, ensure_ascii=False), "text-editor") if path else None


def _write(arguments: JsonObject, answer: object) -> Editing | None:
    fields = {"file_path": arguments.get("path"), "content": arguments.get("content")}
    return Editing(json.dumps(fields, ensure_ascii=False), "text-editor")


EDITS: dict[str, Tool] = {"edit": _edit, "write": _write}
LOOKS: dict[str, Tool] = {"shell": shell("command")}

_PAUSES: dict[str, Tool] = {"": lambda arguments, answer: Pause()}


def list_parts(command: str) -> list[Part]:
    """List the plugin's files; goose's servers stand in settings of the user's alone."""
    run = {"type": "command", "command": guard_in_time(command), "timeout": HOOK_SECONDS}
    groups = {
        "PreToolUse": [_rule(EDITS | LOOKS, run)],
        "PostToolUse": [_rule(EDITS | LOOKS, run)],
        "PostToolUseFailure": [_rule(LOOKS, run)],
        "Stop": [{"hooks": [run]}],
    }
    about = {"name": "hkgit", "version": "1.0.0", "description": "Evidence for commits"}
    return [
        JsonPart(f"{_FOLDER}/plugin.json", about),
        JsonPart(f"{_FOLDER}/hooks/hooks.json", {"hooks": groups}, owner=f"hkgit hook {NAME}"),
    ]


def _rule(tools: Mapping[str, Tool], run: JsonObject) -> JsonObject:
    return {"matcher": f"^({_BUILTIN})?({'|'.join(tools)})$", "hooks": [run]}


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    stage, call = payload.get("event"), payload.get("tool_call_id")
    worded: JsonObject = {
        "hook_event_name": stage if stage == "PreToolUse" else "after",
        "tool_name": str(payload.get("tool_name") or "").removeprefix(_BUILTIN),
        "tool_input": {} if stage == "Stop" else payload.get("tool_input"),
        "session_id": _name_session(payload.get("session_id")),
        "cwd": payload.get("working_dir"),
        "tool_use_id": call,
    }
    tools = _PAUSES if stage == "Stop" else EDITS | LOOKS
    found = tool_event(NAME, worded, tools, "PreToolUse", "after")
    if found is None:
        return None
    found = replace(found, transcript=find_goose_database() / str(payload.get("session_id")))
    if isinstance(found.did, Shell):
        return replace(found, did=UnshownShell(found.did, str(call)))
    return found


def _name_session(given: object) -> object:
    """Name a conversation by its id and its beginning, as with a fresh home the ids recur."""
    start = find_goose_start(given) if isinstance(given, str) else None
    return given if start is None else f"{given}-{digest(encode_text(start))[:8]}"
