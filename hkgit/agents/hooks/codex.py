"""codex.py: Codex. Its hooks (developers.openai.com/codex/hooks) are worded as Claude Code's.

It reads files with shell commands alone, so these become receipts. Hooks of a project run once
the user has trusted the project and them.
"""

from __future__ import annotations

from hkgit.agents.events import Tool, ToolEvent, patching, shell, tool_event
from hkgit.agents.hooks import claude
from hkgit.agents.setup.settings import JsonPart, Part, TomlPart, is_steering
from hkgit.text.json_nodes import JsonObject

NAME = "codex"
EDIT_TOOL = "mcp__hkgit__edit"

EDITS: dict[str, Tool] = {"apply_patch": patching("command", "input", "patch")}
LOOKS: dict[str, Tool] = {"Bash": shell("command")}

_SERVER = """\
[mcp_servers.hkgit]
command = "hkgit"
args = ["mcp"]
"""

_APPROVED = 'default_tools_approval_mode = "approve"\n'
"""Else it asks for each call, and where nobody answers it refuses."""


def parts(command: str) -> list[Part]:
    """The settings that connect it, with the command of its hooks."""
    return [
        TomlPart(".codex/config.toml", _SERVER + (_APPROVED if is_steering(command) else "")),
        JsonPart(
            ".codex/hooks.json",
            {"hooks": claude.hooks(command, EDITS, LOOKS)},
            owner=f"hkgit hook {NAME}",
        ),
    ]


def event(payload: JsonObject) -> ToolEvent | None:
    """What a hook's input speaks of; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "PreToolUse", "PostToolUse")


denial = claude.denial
remark = claude.remark
