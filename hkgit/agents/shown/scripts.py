"""scripts.py: find what a call has shown to the model, in the agent's transcript.

Codex's models may write scripts that call tools (code mode); each line of its transcript is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hkgit.text.json_nodes import JsonObject

_TAIL = 8 * 2**20
"""So many bytes of a transcript are looked through, from its end."""


def find_later_output(transcript: Path, call: str) -> str | None:
    """Find what a call has shown; None where the transcript lacks it (yet).

    A transcript is a file of lines, or a session in a database: the database's path, and the
    session's name below it.
    """
    if transcript.parent.suffix == ".db":
        from hkgit.agents.shown.databases import find_database_output

        return find_database_output(transcript.parent, transcript.name, call)
    return find_script_output(transcript, call)


def find_script_output(transcript: Path, call: str) -> str | None:
    """Find what the model was shown once a call of a tool by a script had ended.

    None where the transcript does not say it (yet).
    """
    shown: list[str] | None = None
    for payload in _payloads(transcript):
        if payload.get("type") == "item_completed":
            item = payload.get("item")
            if isinstance(item, dict) and item.get("id") == call:
                shown = []
        elif shown is not None and payload.get("type") == "custom_tool_call_output":
            shown += _texts(payload.get("output"))
    return "\n".join(shown) if shown else None


def _payloads(transcript: Path) -> Iterator[JsonObject]:
    try:
        with transcript.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(size - _TAIL, 0))
            lines = stream.read().splitlines()
    except OSError:
        return
    for line in lines:
        if b"item_completed" in line or b"custom_tool_call_output" in line:
            try:
                payload = json.loads(line).get("payload")
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(payload, dict):
                yield payload


def _texts(output: object) -> Iterator[str]:
    if isinstance(output, str):
        yield output
    for part in output if isinstance(output, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
