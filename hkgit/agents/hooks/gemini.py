"""Gemini CLI. Its hooks: geminicli.com/docs/hooks/reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from hkgit.agents.events import END, Shell, ToolEvent, ToolReading
from hkgit.agents.lookups import find_last_turn
from hkgit.agents.setup.settings import (
    HOOK_SECONDS,
    MCP_SERVER,
    JsonPart,
    Part,
    guard_in_time,
    is_steering,
)
from hkgit.agents.tool_answers import find_code, name_by_heads, searching, showing
from hkgit.agents.tools import (
    SAID,
    Tool,
    editing,
    session_name,
    shell,
    text_of,
    tool_event,
    whole_number,
)
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "gemini"
EDIT_TOOL = "mcp_hkgit_edit"
DENIAL: JsonObject = {"decision": "deny", "reason": SAID}
NOTE: JsonObject | None = {
    "hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": SAID}
}

SETTINGS = ".gemini/settings.json"
SEVERAL = "several"
"""The name of sub-agents at work at once, and of the one answer that all their calls are of."""

_LARGEST = 40_000
"""So many characters of a command's output the model is shown, if no setting says otherwise."""

_FRAME = "<untrusted_context>\nOutput: "
"""What stands before an output, in the line of its first."""

_SETTING = re.compile(r'"truncateToolOutputThreshold"\s*:\s*(\d+)')


def _read(arguments: JsonObject, answer: object) -> ToolReading | None:
    """Lines from `start_line` to `end_line`, or, as it once was, `limit` lines after `offset`."""
    start, end = whole_number(arguments.get("start_line")), whole_number(arguments.get("end_line"))
    path = arguments.get("file_path", arguments.get("absolute_path"))
    if not isinstance(path, str):
        return None
    if start is None and end is None and "offset" in arguments:
        start = (whole_number(arguments["offset"]) or 0) + 1
        count = whole_number(arguments.get("limit"))
        end = None if count is None else start + count - 1
    return ToolReading(path, max(start or 1, 1), END if end is None else end, _text(answer))


def _text(answer: object) -> str:
    """What is meant for the model, not what is displayed to the user beside it."""
    return text_of(answer.get("llmContent", "") if isinstance(answer, Mapping) else answer)


EDITS: dict[str, Tool] = {
    name: showing(tool, _text, find_code)
    for name, tool in {
        "replace": editing(
            "file_path", "old_string", "new_string", "expected_replacements", "allow_multiple"
        ),
        "write_file": editing("file_path", "content"),
    }.items()
}


def _run(arguments: JsonObject, answer: object) -> Shell | None:
    did = shell("command", "dir_path")(arguments, _text(answer))
    return did if isinstance(did, Shell) else None


LISTED = name_by_heads("File: (.+)", r"L(\d+)([:-]) (.*)")
"""Its answer to a search, and Qwen Code's."""

_SEARCH = searching("dir_path", is_base=True, shown=_text, naming=LISTED)

_SHELL = "run_shell_command"

LOOKS: dict[str, Tool] = {
    "read_file": _read,
    _SHELL: _run,
    "grep_search": _SEARCH,
    "search_file_content": _SEARCH,
}


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    guarded, limit = guard_in_time(command), HOOK_SECONDS * 1000
    run = [{"name": "hkgit", "type": "command", "command": guarded, "timeout": limit}]
    before, after = "|".join([*EDITS, _SHELL]), "|".join([*EDITS, *LOOKS])
    hooks = {
        "BeforeTool": [{"matcher": before, "hooks": run}],
        "AfterTool": [{"matcher": after, "hooks": run}],
    }
    # Else it asks for each call, and has no such tool where nobody answers.
    server = MCP_SERVER | ({"trust": True} if is_steering(command) else {})
    settings = {"mcpServers": {"hkgit": server}, "hooks": hooks}
    return [JsonPart(SETTINGS, settings, owner=f"hkgit hook {NAME}")]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here.

    The input holds the whole output of a command; its middle is left out before the model sees it.
    """
    found = _find_reader(tool_event(NAME, payload, EDITS | LOOKS, "BeforeTool", "AfterTool"))
    if found is None or not isinstance(found.did, Shell):
        return found
    shown = _cut_middle(found.did.output, min(_find_limits(found.directory)))
    return replace(found, did=replace(found.did, output=shown.replace(_FRAME, "", 1)))


def _find_reader(event: ToolEvent | None) -> ToolEvent | None:
    """An event in the session of the sub-agent that makes the call, if one does.

    The hook is told the main agent alone. A sub-agent at work has a transcript of its own, and has
    written to it since its agent did. Of several at once nobody knows whose call it is: then
    nothing that is read counts.
    """
    if event is None or event.transcript is None:
        return event
    conversation = event.session.removeprefix(f"{NAME}-")
    at_work = _find_sub_agents(event.transcript, conversation)
    if len(at_work) > 1:
        return replace(event, session=session_name(NAME, conversation, SEVERAL), turn=SEVERAL)
    own = at_work[0] if at_work else event.transcript
    reader = own.stem if at_work else None
    turn = "" if event.is_before else find_last_turn(own)
    return replace(event, session=session_name(NAME, conversation, reader), turn=turn)


def _find_sub_agents(transcript: Path, conversation: str) -> list[Path]:
    """Find the transcripts of sub-agents that are newer than that of their agent."""
    with suppress(OSError):
        since = transcript.stat().st_mtime_ns
        own = (transcript.parent / conversation).glob("*.jsonl")
        return [each for each in own if each.stat().st_mtime_ns > since]
    return []


def _find_limits(directory: Path) -> Iterator[int]:
    """Find how much of an output the model is shown: by default, or by either settings file."""
    yield _LARGEST
    for place in (directory, Path.home()):
        try:
            text = (place / SETTINGS).read_text("utf-8", "replace")
        except (OSError, ValueError, RuntimeError):
            continue
        yield from (int(each) for each in _SETTING.findall(text) if int(each) > 0)


def _cut_middle(output: str, limit: int) -> str:
    """The first fifth and the last four, in whole lines; between them a line that no file has."""
    if len(output) <= limit:
        return output
    head = limit // 5
    first, _, _ = output[:head].rpartition("\n")
    _, _, last = output[-(limit - head) :].partition("\n")
    return f"{first}\n\n[characters left out]\n\n{last}"
