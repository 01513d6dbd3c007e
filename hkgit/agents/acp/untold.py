"""untold.py: find in Gemini CLI's transcript what its calls have shown the model.

To an editor it says that it has read a file, or run a command, and not what came of it. It writes
down each answer before it asks its model again, so before the next edit.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from hkgit.agents.acp.announcing import find_table, find_tables
from hkgit.agents.events import ToolEvent
from hkgit.agents.hooks import gemini
from hkgit.agents.transcripts.fields import parse_value
from hkgit.agents.transcripts.locating import find_logs
from hkgit.text.json_nodes import JsonObject

_LARGEST = 2**26
_WAITS = (0.0, 0.1, 0.2)
"""Seconds to wait before each look."""


def find_answers(
    conversation: str, directory: Path, calls: Collection[str], environment: Mapping[str, str]
) -> Iterator[tuple[str, ToolEvent | None]]:
    """Yield calls by their names, each as the event that a hook would have told, if it matters.

    A large answer may not be written down yet.
    """
    found: dict[str, JsonObject] = {}
    for wait in _WAITS:
        time.sleep(wait)
        found = _find_calls(conversation, directory, calls, environment)
        if len(found) == len(calls):
            break
    for name, call in found.items():
        answers = [
            find_table(find_table(each.get("functionResponse")).get("response")).get("output")
            for each in find_tables(call.get("result"))
        ]
        payload = {
            "hook_event_name": "AfterTool",
            "session_id": conversation,
            "cwd": str(directory),
            "tool_name": call.get("name"),
            "tool_input": call.get("args"),
            "tool_response": "\n".join(each for each in answers if isinstance(each, str)),
            "tool_use_id": name,
        }
        yield name, gemini.read_event(payload) if call.get("status") == "success" else None


def _find_calls(
    conversation: str, directory: Path, calls: Collection[str], environment: Mapping[str, str]
) -> dict[str, JsonObject]:
    """Find what the transcript of a conversation says of calls: a line repeats those before it."""
    found: dict[str, JsonObject] = {}
    for path in find_logs([directory.resolve()], environment, "gemini"):
        if conversation[:8] not in path.name or path.stat().st_size > _LARGEST:
            continue
        for line in path.read_bytes().split(b"\n"):
            record = parse_value(line) if b'"toolCalls"' in line else None
            logged = find_tables(find_table(record).get("toolCalls"))
            found |= {str(call["id"]): call for call in logged if call.get("id") in calls}
    return found
