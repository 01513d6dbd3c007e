"""Claude Code. Its hooks: code.claude.com/docs/en/hooks; its servers: .mcp.json."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hkgit.agents.events import (
    END,
    NotebookReading,
    PendingToolEdit,
    ServerCall,
    Shell,
    ShellChange,
    ShellHunk,
    ToolEvent,
    ToolReading,
)
from hkgit.agents.setup.settings import (
    HOOK_SECONDS,
    MCP_SERVER,
    JsonPart,
    Part,
    guard,
    is_of_user,
    is_steering,
)
from hkgit.agents.tool_answers import searching
from hkgit.agents.tools import (
    SAID,
    Tool,
    editing,
    telling_original,
    text_of,
    tool_event,
    whole_number,
)
from hkgit.agents.transcripts.json_fields import table, tables
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "claude"
EDIT_TOOL = "mcp__hkgit__edit"
DENIAL: JsonObject = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": SAID,
    }
}
NOTE: JsonObject | None = {
    "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": SAID}
}

FAILED = "PostToolUseFailure"
"""The event after a command that ended with an error: the model sees its output all the same."""

_SERVER = "mcp__hkgit__"
"""So the names of the tools of hkgit's server begin."""

_PREVIEW = 2000
"""So many characters the model sees of an output that is too large, which goes into a file."""


def _edit_notebook(arguments: JsonObject, answer: object) -> PendingToolEdit | None:
    path = arguments.get("notebook_path")
    return PendingToolEdit(path) if isinstance(path, str) else None


def _find_original(answer: object) -> object:
    return table(answer).get("originalFile")


EDITS: dict[str, Tool] = {
    "Edit": telling_original(
        editing("file_path", "old_string", "new_string", "replace_all"), _find_original
    ),
    "MultiEdit": telling_original(editing("file_path", "edits"), _find_original),
    "Write": editing("file_path", "content"),
    "NotebookEdit": _edit_notebook,
}


def _read(arguments: JsonObject, answer: object) -> ToolReading | NotebookReading | None:
    """Read the lines that an answer says it shows; it repeats none of a file shown before."""
    path, file = arguments.get("file_path"), table(table(answer).get("file"))
    cells = file.get("cells")
    if isinstance(path, str) and isinstance(cells, list):
        sources = (cell.get("source") for cell in tables(cells))
        return NotebookReading(path, tuple(each for each in sources if isinstance(each, str)))
    first, text = whole_number(file.get("startLine")), file.get("content")
    if not isinstance(path, str) or first is None or not isinstance(text, str):
        return None
    return ToolReading(path, max(first, 1), END, text)


def _run(arguments: JsonObject, answer: object) -> Shell | None:
    """A command, with what the model is shown of its output."""
    command = arguments.get("command")
    if not isinstance(command, str):
        return None
    parts = [table(answer).get(name) for name in ("stdout", "stderr")]
    output = answer if isinstance(answer, str) else text_of(parts)
    if table(answer).get("persistedOutputPath") is not None:
        output, _, _ = output[:_PREVIEW].rpartition("\n")
    return Shell(command, output, changes=tuple(_changes(table(answer).get("bashEditDiff"))))


def _changes(diff: object) -> Iterator[ShellChange]:
    """What a command has changed; files beyond the first few are told without their lines."""
    for file in tables(table(diff).get("files")):
        path = file.get("filePath")
        if isinstance(path, str):
            yield ShellChange(
                path=path,
                hunks=tuple(map(_hunk, tables(file.get("hunks")))),
                is_created=file.get("created") is True,
                is_deleted=file.get("deleted") is True,
            )


def _hunk(value: JsonObject) -> ShellHunk:
    told = value.get("lines")
    lines = [str(line) for line in (told if isinstance(told, list) else ())]
    old, new = (tuple(line[1:] for line in lines if line[:1] in (" ", mark)) for mark in ("-", "+"))
    return ShellHunk(whole_number(value.get("newStart")) or 0, old, new)


def _find_content(answer: object) -> object:
    """Find the lines that a search has found; nothing where it names files alone, or counts."""
    return table(answer).get("content")


LOOKS: dict[str, Tool] = {
    "Read": _read,
    "Bash": _run,
    "Grep": searching(is_base=False, shown=_find_content),
}


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    failed = {FAILED: [{"matcher": "Bash", "hooks": hook_commands(command)}]}
    called = hooks(command, [*EDITS, "Bash"], [*EDITS, *LOOKS])
    called["PreToolUse"].append({"matcher": f"{_SERVER}.*", "hooks": _sub_agent_hook(command)})
    settings: dict[str, object] = {"hooks": called | failed}
    if is_steering(command):
        # Else it asks for each call, and where nobody answers it refuses.
        settings["permissions"] = {"allow": ["mcp__hkgit"]}
        settings["enabledMcpjsonServers"] = ["hkgit"]
    return [
        JsonPart(".mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(".claude/settings.json", settings, owner=f"hkgit hook {NAME}"),
    ]


def hook_commands(command: str) -> list[dict[str, object]]:
    """Write what a hook runs."""
    return [{"type": "command", "command": guard(command), "timeout": HOOK_SECONDS}]


def _sub_agent_hook(command: str) -> list[dict[str, object]]:
    """What a hook runs that matters to sub-agents alone: for others nothing is started."""
    pipe = f'printf "%s\\n" "$call" | {command}'
    script = f"{{ call=$(cat); case $call in *agent_id*) {pipe} ;; esac; }}"
    return hook_commands(script if is_of_user(command) else f"sh -c '{script}'")


def hooks(
    command: str, before: Iterable[str], after: Iterable[str]
) -> dict[str, list[dict[str, object]]]:
    """Write the hooks before some tools are used and after some are."""
    run = hook_commands(command)
    return {
        "PreToolUse": [{"matcher": "|".join(before), "hooks": run}],
        "PostToolUse": [{"matcher": "|".join(after), "hooks": run}],
    }


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    if payload.get("hook_event_name") == FAILED:
        payload = {**payload, **word_failure(payload)}
        return tool_event(NAME, payload, LOOKS, "PreToolUse", "PostToolUse")
    if str(payload.get("tool_name")).startswith(_SERVER):
        return _find_server_call(payload)
    found = tool_event(NAME, payload, EDITS | LOOKS, "PreToolUse", "PostToolUse")
    return found and _with_own_transcript(found, payload.get("agent_id"))


def _with_own_transcript(event: ToolEvent, reader: object) -> ToolEvent:
    """An event with the transcript of the sub-agent that makes its call, if one does."""
    if event.transcript is None or not isinstance(reader, str):
        return event
    folder = event.transcript.with_suffix("") / "subagents"
    return replace(event, transcript=folder / f"agent-{reader}.jsonl")


def word_failure(payload: JsonObject) -> JsonObject:
    """Word the event after a command that failed as the one after any other."""
    return {"hook_event_name": "PostToolUse", "tool_response": payload.get("error")}


def _find_server_call(payload: JsonObject) -> ToolEvent | None:
    """A call of hkgit's server by a sub-agent; it is served in the checkout of the main agent."""
    if payload.get("agent_id") is None or payload.get("hook_event_name") != "PreToolUse":
        return None
    name = str(payload["tool_name"])
    home = {"cwd": os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")}
    tools: dict[str, Tool] = {name: lambda arguments, answer: ServerCall()}
    return tool_event(NAME, {**payload, **home}, tools, "PreToolUse", "")
