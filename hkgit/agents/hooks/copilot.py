"""GitHub Copilot, in the terminal and in the cloud: .github/hooks/*.json.

docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference; its payload names
no event: what has a result is over. Servers: the terminal reads .mcp.json, VS Code its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.agents.events import END, ToolEvent, ToolReading
from hkgit.agents.lookups import find_last_turn
from hkgit.agents.setup.settings import (
    HOOK_SECONDS,
    MCP_SERVER,
    POWERSHELL,
    JsonPart,
    Part,
    guard_in_time,
)
from hkgit.agents.tool_answers import name_by_heads, searching
from hkgit.agents.tools import (
    SAID,
    Tool,
    editing,
    patching,
    session_name,
    shell,
    text_of,
    whole_number,
)
from hkgit.text.strict_json import JsonObject

NAME = "copilot"
EDIT_TOOL = "hkgit-edit"
DENIAL: JsonObject = {"permissionDecision": "deny", "permissionDecisionReason": SAID}
NOTE: JsonObject | None = {"additionalContext": SAID}

EDITS: dict[str, Tool] = {
    "edit": editing("path", "old_str", "new_str", command="str_replace"),
    "create": editing("path", "file_text", command="create"),
    "apply_patch": patching("patch", "input", "command"),
}


def _view(arguments: JsonObject, answer: object) -> ToolReading | None:
    """The lines of a file that are asked for; a large file's answer holds none of them."""
    path, lines, text = arguments.get("path"), arguments.get("view_range"), _text(answer)
    if not isinstance(path, str):
        return None
    if not isinstance(lines, list) or len(lines) != 2:
        return ToolReading(path, 1, END, text)
    first, last = (whole_number(each) or 1 for each in lines)
    return ToolReading(path, max(first, 1), last if last >= first else END, text)


def _text(answer: object) -> str:
    """What the model is shown of an answer."""
    return text_of(answer.get("textResultForLlm")) if isinstance(answer, Mapping) else ""


_LISTED = name_by_heads(r"([^\s].*) \(\d+ match\(es\)\):", r"  (\d+)([:-]) (.*)")
"""Its answer to a search with many hits; of a few it shows the lines as rg prints them."""

LOOKS: dict[str, Tool] = {
    "view": _view,
    "bash": shell("command"),
    "grep": searching(is_base=False, shown=_text, naming=_LISTED),
}


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    quiet = f"{POWERSHELL}-ErrorAction SilentlyContinue) {{ {command} }}; exit 0"
    call = {"type": "command", "bash": guard_in_time(command), "powershell": quiet}
    run = [{**call, "timeoutSec": HOOK_SECONDS}]
    hooks = {"version": 1, "hooks": {"preToolUse": run, "postToolUse": run}}
    server = {"type": "stdio", **MCP_SERVER}
    return [
        JsonPart(".mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(".vscode/mcp.json", {"servers": {"hkgit": server}}),
        JsonPart(".github/hooks/hkgit.json", hooks, owner=f"hkgit hook {NAME}"),
    ]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    arguments = _arguments(payload.get("toolArgs"))
    tool = (EDITS | LOOKS).get(str(payload.get("toolName")))
    result = payload.get("toolResult")
    if tool is None or not isinstance(arguments, dict):
        return None
    has_failed = isinstance(result, dict) and result.get("resultType", "success") != "success"
    if has_failed and payload.get("toolName") != "bash":  # what fails may have changed files
        return None
    did = tool(arguments, result)
    session = session_name(NAME, payload.get("sessionId"))
    directory = Path(str(payload.get("cwd") or "."))
    if did is None:
        return None
    is_before = result is None
    turn = "" if is_before else find_last_turn(_find_transcript(str(payload.get("sessionId"))))
    return ToolEvent(is_before=is_before, session=session, directory=directory, did=did, turn=turn)


def _find_transcript(session: str) -> Path:
    home = os.environ.get("COPILOT_HOME") or Path("~/.copilot").expanduser()
    return Path(home, "session-state", session, "events.jsonl")


def _arguments(given: object) -> object:
    """The arguments of a call: an object, the text of one, or a patch as it is."""
    if not isinstance(given, str):
        return given
    if given.lstrip().startswith("*** Begin Patch"):
        return {"patch": given}
    with suppress(ValueError, RecursionError):
        return json.loads(given)
    return None
