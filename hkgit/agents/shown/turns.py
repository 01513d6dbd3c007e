"""turns.py: find the answer of the model that asked for a call, in the agent's transcript.

A model may ask for several calls in one answer. It has not seen what one of them shows when it
writes the others, so they are no evidence for one another. Agents write an answer down before they
make its calls; each line of such a transcript is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from hkgit.text.json_nodes import JsonObject

_BLOCK = 2**18
_TAIL = 8 * 2**20
"""So many bytes of a transcript are looked through, from its end."""

_ASKING = ("function_call", "custom_tool_call", "local_shell_call")


def find_turn(transcript: Path, call: str) -> str:
    """Name the answer of the model that asked for a call; "" where the transcript lacks it."""
    is_found = False
    for record in _list_lines(transcript, (call.encode(), b"_output")):
        payload = _table(record.get("payload"))  # Codex's lines; it tells no answers apart
        if is_found:
            if str(payload.get("type")).endswith("_output"):
                return str(payload.get("call_id"))
        elif payload.get("call_id") == call and payload.get("type") in _ASKING:
            is_found = True
        elif (name := _name_answer(record, call)) is not None:
            return name
    return "first" if is_found else ""


def find_last_turn(transcript: Path) -> str:
    """Name the last answer of the model: its calls are made before it gives the next one."""
    for record in _list_lines(transcript, (b'"gemini"', b"assistant.message")):
        if record.get("type") == "gemini":
            return str(record.get("id"))
        if record.get("type") == "assistant.message":
            return str(_table(record.get("data")).get("messageId"))
    return ""


def _name_answer(record: JsonObject, call: str) -> str | None:
    """Name an answer of the model that asks for a call; None for one that does not."""
    message = _table(record.get("message"))
    parts = message.get("content") or message.get("parts")
    for part in parts if isinstance(parts, list) else ():
        asked = _table(part).get("functionCall") or part
        if _table(asked).get("id") == call:
            return str(message.get("id") or record.get("uuid"))
    return None


def _list_lines(transcript: Path, words: tuple[bytes, ...]) -> Iterator[JsonObject]:
    """List the lines in which one of these words stands, the last one first."""
    for line in read_backwards(transcript):
        if any(word in line for word in words):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


def read_backwards(transcript: Path) -> Iterator[bytes]:
    """Read the lines of a file, the last one first; what is cut off is left out."""
    try:
        with transcript.open("rb") as stream:
            end = stream.seek(0, 2)
            lowest, rest = max(end - _TAIL, 0), b""
            while end > lowest:
                start = max(end - _BLOCK, lowest)
                stream.seek(start)
                rest, *lines = (stream.read(end - start) + rest).split(b"\n")
                yield from reversed(lines)
                end = start
            if not lowest:
                yield rest
    except OSError:
        return


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
