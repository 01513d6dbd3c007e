"""Qwen Code. Its hooks (features/hooks of its manual) are worded as Claude Code's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hkgit.agents.events import Did, ToolEvent, ToolReading
from hkgit.agents.hooks import claude, gemini
from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, Part, is_steering
from hkgit.agents.tool_answers import find_range, searching, showing
from hkgit.agents.tools import (
    Tool,
    editing,
    reading,
    shell,
    telling_original,
    text_of,
    tool_event,
    whole_number,
)
from hkgit.text.strict_json import JsonObject

NAME = "qwen"
EDIT_TOOL = "mcp__hkgit__edit"
DENIAL, NOTE = claude.DENIAL, claude.NOTE


def _find_shown(answer: object) -> object:
    """Find what the model is shown; beside it stands what a person is, which may be more."""
    return answer.get("llmContent") if isinstance(answer, Mapping) else answer


def _text(answer: object) -> str:
    return text_of(_find_shown(answer))


def _find_original(answer: object) -> object:
    display = answer.get("returnDisplay") if isinstance(answer, Mapping) else None
    return display.get("originalContent") if isinstance(display, Mapping) else None


EDITS: dict[str, Tool] = {
    "edit": telling_original(
        showing(editing("file_path", "old_string", "new_string", "replace_all"), _text, find_range),
        _find_original,
    ),
    "write_file": editing("file_path", "content"),
}


_FRAME = re.compile(r"^(Directory: .*)\nOutput: ", re.MULTILINE)
"""What stands before an output: the end of it in the line of its first."""


def _run(arguments: JsonObject, answer: object) -> Did | None:
    return shell("command", "directory")(arguments, _FRAME.sub(r"\1\n", _text(answer), count=1))


def _read(arguments: JsonObject, answer: object) -> ToolReading | None:
    """`limit` lines after the first `offset`, as they stand in the answer."""
    counted = dict(arguments) | {"offset": (whole_number(arguments.get("offset")) or 0) + 1}
    found = reading("file_path")(counted, _find_shown(answer))
    return found if isinstance(found, ToolReading) else None


_SHELL = "run_shell_command"

LOOKS: dict[str, Tool] = {
    "read_file": _read,
    _SHELL: _run,
    "grep_search": searching(is_base=True, shown=_find_shown, naming=gemini.LISTED),
}


_NEW = '{\n  "$version": 4\n}\n'
"""Settings that do not name their version it rewrites, and what hooks start is a protected path."""


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    server: dict[str, object] = dict(MCP_SERVER)
    if is_steering(command):
        server["trust"] = True  # else it asks for each call, and where nobody answers it refuses
    hooks = claude.hooks(command, [*EDITS, _SHELL], [*EDITS, *LOOKS])
    hooks[claude.FAILED] = [{"matcher": _SHELL, "hooks": claude.hook_commands(command)}]
    settings = {"mcpServers": {"hkgit": server}, "hooks": hooks}
    owner = f"hkgit hook {NAME}"
    return [JsonPart(".qwen/settings.json", settings, _NEW, owner=owner)]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    if payload.get("hook_event_name") == claude.FAILED:
        payload = {**payload, **claude.word_failure(payload)}
    # Its transcript names calls as the model does.
    named = {**payload, "tool_use_id": payload.get("tool_call_id") or payload.get("tool_use_id")}
    return tool_event(NAME, named, EDITS | LOOKS, "PreToolUse", "PostToolUse")
