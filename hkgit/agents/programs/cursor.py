"""Cursor. Its hooks: cursor.com/docs/hooks.

It reports an edit only when it is made, with old and new text; so before its tools write, the
recorder keeps how the file was. `beforeReadFile` has the whole of a file, whatever of it the model
is shown; so what counts is the answer of the tool. What a person types and Tab completes is theirs.
"""

from __future__ import annotations

from hkgit.agents.agent import MCP_SERVER, Agent, HookCommand, Keys, Settings
from hkgit.agents.events import HOOK_SECONDS, Did, PendingToolEdit
from hkgit.agents.json_fields import parse_value, text
from hkgit.agents.tools import SAID, Tool, read_edits, reading, shell, text_of
from hkgit.text.strict_json import JsonObject

_BEFORE, _AFTER = "preToolUse", "postToolUse"
_HOOKS = ".cursor/hooks.json"


def _build_settings(command: HookCommand) -> Settings:
    run = {"command": command.guard_in_time(), "timeout": HOOK_SECONDS}
    hooks = {
        _BEFORE: [run | {"matcher": "Write|Delete"}],
        _AFTER: [run | {"matcher": "Read|Delete"}],
        "afterFileEdit": [run],
        "afterShellExecution": [run],
    }
    servers = {"mcpServers": {"hkgit": MCP_SERVER}}
    return {".cursor/mcp.json": servers, _HOOKS: {"hooks": hooks}}


def _edit(arguments: JsonObject, answer: object) -> PendingToolEdit | None:
    path = text(arguments.get("file_path", arguments.get("path")))
    return None if path is None else PendingToolEdit(path)


def _read(arguments: JsonObject, answer: object) -> Did | None:
    name = "file_path" if "file_path" in arguments else "path"
    return reading(name)(arguments, _unwrap(answer))


def _unwrap(output: object) -> object:
    """What a tool has answered: text, or, of later versions, JSON in a text."""
    if isinstance(output, str) and output.startswith(("{", "[", '"')):
        value = parse_value(output)
        return output if value is None else text_of(value)
    return output


EDITS: dict[str, Tool] = {"Write": _edit, "Delete": _edit, "afterFileEdit": read_edits}
LOOKS: dict[str, Tool] = {"Read": _read, "afterShellExecution": shell("command")}
"""It reports edits and commands in events of their own."""


def _reword(payload: JsonObject) -> JsonObject:
    stage, roots = str(payload.get("hook_event_name")), payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else payload.get("cwd")
    said = {**payload, "cwd": root}
    if stage in (_BEFORE, _AFTER):
        return said
    call = {"tool_name": stage, "tool_input": payload, "tool_output": payload.get("output")}
    return {**said, "hook_event_name": _AFTER, **call}


AGENT = Agent(
    name="cursor",
    edits=EDITS,
    looks=LOOKS,
    denial={  # in the words of old and new versions
        "permission": "deny",
        "user_message": SAID,
        "agent_message": SAID,
        "decision": "deny",
        "reason": SAID,
    },
    note={"additional_context": SAID},
    keys=Keys(before=_BEFORE, after=_AFTER, answer="tool_output", session="conversation_id"),
    reword=_reword,
    settings=_build_settings,
    new_settings={_HOOKS: {"version": 1}},
)
