"""Codex. Its hooks (developers.openai.com/codex/hooks) are worded as Claude Code's.

It reads files with shell commands alone, so these become receipts. Hooks of a project run once
the user has trusted the project and them.
"""

from __future__ import annotations

import re

from hkgit.agents.events import Editing, Pause, Shell, ToolEvent, UnshownShell, UntoldEdit
from hkgit.agents.hooks import claude
from hkgit.agents.setup.settings import JsonPart, Part, TomlPart, is_steering
from hkgit.agents.tools import Tool, patching, shell, tool_event
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "codex"
EDIT_TOOL = "mcp__hkgit__edit"
DENIAL, NOTE = claude.DENIAL, claude.NOTE

EDITS: dict[str, Tool] = {"apply_patch": patching("command", "input", "patch")}
LOOKS: dict[str, Tool] = {"Bash": shell("command")}

_PAUSES: dict[str, Tool] = {"Stop": lambda arguments, answer: Pause()}

_SCRIPTED = "exec-"
"""So the calls are named that a script of the model's makes (code mode)."""

_HEREDOC = re.compile(
    r"\A\s*apply_?patch\s+<<-?\s*['\"]?\w+['\"]?\n"
    r"(\*\*\* Begin Patch\n.*?^\*\*\* End Patch)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)

_SERVER = """\
[mcp_servers.hkgit]
command = "hkgit"
args = ["mcp"]
"""

_APPROVED = 'default_tools_approval_mode = "approve"\n'
"""Else it asks for each call, and where nobody answers it refuses."""


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    return [
        TomlPart(".codex/config.toml", _SERVER + (_APPROVED if is_steering(command) else "")),
        JsonPart(
            ".codex/hooks.json",
            {"hooks": _hooks(command)},
            owner=f"hkgit hook {NAME}",
        ),
    ]


def _hooks(command: str) -> dict[str, object]:
    """Those of Claude Code; before a shell command too, and at the end of a turn."""
    run, both = claude.hook_commands(command), "|".join([*EDITS, *LOOKS])
    return {
        "PreToolUse": [{"matcher": both, "hooks": run}],
        "PostToolUse": [{"matcher": both, "hooks": run}],
        "Stop": [{"hooks": run}],
    }


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    stage, call = payload.get("hook_event_name"), payload.get("tool_use_id")
    if stage == "Stop":
        asked = {"hook_event_name": "PostToolUse", "tool_name": "Stop", "tool_input": {}}
        found = tool_event(NAME, {**payload, **asked}, _PAUSES, "PreToolUse", "PostToolUse")
    else:
        found = tool_event(NAME, payload, EDITS | LOOKS, "PreToolUse", "PostToolUse")
    if found is None:
        return None
    if isinstance(found.did, Shell) and found.is_before:
        return replace(found, did=_find_patch(found.did.command) or found.did)
    if isinstance(found.did, Shell) and isinstance(call, str) and call.startswith(_SCRIPTED):
        return replace(found, did=UnshownShell(found.did, call))
    return found


def _find_patch(command: str) -> UntoldEdit | None:
    """Find the patch of a command that Codex itself carries out: it says nothing after that."""
    patch = _HEREDOC.search(command)
    return None if patch is None else UntoldEdit(Editing(patch[1], "apply-patch"))
