"""OpenCode. Its hooks are functions of a plugin: opencode.ai/docs/plugins."""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.setup.settings import FilePart, JsonPart, Part, add_stamp, read_script
from hkgit.agents.tool_answers import name_by_heads, searching
from hkgit.agents.tools import SAID, Tool, editing, patching, reading, shell, text_of, tool_event
from hkgit.text.strict_json import JsonObject

NAME = "opencode"
EDIT_TOOL = "hkgit_edit"
DENIAL: JsonObject = {"deny": SAID}
NOTE: JsonObject | None = {"remark": SAID}

EDITS: dict[str, Tool] = {
    "edit": editing("filePath", "oldString", "newString", "replaceAll"),
    "write": editing("filePath", "content"),
    "apply_patch": patching("patchText"),
    "patch": patching("patchText"),
}
_LISTED = name_by_heads(r"([^\s].*):", r"  (?:\[\w+\] )?Line (\d+)(:) (.*)")

LOOKS: dict[str, Tool] = {
    "read": reading("filePath"),
    "bash": shell("command", "workdir"),
    "grep": searching(is_base=False, shown=text_of, naming=_LISTED),
}

_NEW = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'
"""A file of settings as OpenCode itself would make of an empty one, in the midst of its work."""


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    return build_parts(command, NAME, "opencode.json", _NEW)


def build_parts(command: str, agent: str, settings: str, new: str) -> list[Part]:
    """Build the settings that connect OpenCode or a fork of it; its folder is named after it."""
    server = {"type": "local", "command": ["hkgit", "mcp"], "enabled": True}
    values = {"agent": agent, "tools": [*EDITS, *LOOKS], "edits": [*EDITS, "bash"]}
    plugin = read_script(command, "opencode", "spawn", **values)
    return [
        JsonPart(settings, {"mcp": {"hkgit": server}}, new),
        FilePart(f".{agent}/plugins/hkgit.js", add_stamp(plugin)),
    ]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of the plugin's input; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "before", "after")
