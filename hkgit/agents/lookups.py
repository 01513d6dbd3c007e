"""What the end of an agent's transcript says of one call.

A model may ask for several calls in one answer. It has not seen what one of them shows when it
writes the others, so they are no evidence for one another. Agents write an answer down before they
make its calls; each line of such a transcript is JSON.

Files of the prompt (`@file`) and instructions (CLAUDE.md) are attachments in its transcript. Those
that stand behind the answer which asks for a call were not there yet when that was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hkgit.agents.events import END, ToolReading
from hkgit.agents.json_fields import parse_value, table, tables
from hkgit.text.strict_json import JsonObject

_TAIL = 8 * 2**20
_BLOCK = 2**18
"""So many bytes of a transcript are looked through, from its end, and at once."""

_ASKING = ("function_call", "custom_tool_call", "local_shell_call")


def find_turn(transcript: Path, call: str) -> str:
    """Name the answer of the model that asked for a call; "" where the transcript lacks it."""
    is_found = False
    for record in list_lines_back(transcript, call.encode(), b"_output"):
        payload = table(record.get("payload"))  # Codex's lines; it tells no answers apart
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
    for record in list_lines_back(transcript, b'"gemini"', b"assistant.message"):
        if record.get("type") == "gemini":
            return str(record.get("id"))
        if record.get("type") == "assistant.message":
            return str(table(record.get("data")).get("messageId"))
    return ""


def _name_answer(record: JsonObject, call: str) -> str | None:
    """Name an answer of the model that asks for a call; None for one that does not."""
    message = table(record.get("message"))
    for part in tables(message.get("content") or message.get("parts")):
        if table(part.get("functionCall") or part).get("id") == call:
            return str(message.get("id") or record.get("uuid"))
    return None


def find_attached(transcript: Path) -> list[ToolReading]:
    """Find what was attached before the last answer of the model, with the lines that it shows."""
    found: list[ToolReading] = []
    answer: object = None
    for record in list_lines_back(transcript, b'"attachment"', b'"assistant"'):
        if record.get("type") == "assistant":
            name = table(record.get("message")).get("id")
            answer = answer or name
            if name == answer:
                found.clear()
        else:
            found += list_attached(record)
    return found


def list_attached(record: JsonObject) -> Iterator[ToolReading]:
    """List the files that one line of a transcript attaches."""
    attached = table(record.get("attachment"))
    match attached.get("type"):
        case "file":
            file = table(table(attached.get("content")).get("file"))
            yield from _read(file.get("filePath"), file.get("content"), file.get("startLine"))
        case "nested_memory":
            yield from _read(attached.get("path"), table(attached.get("content")).get("content"))
        case "instructions":
            for each in tables(attached.get("files")):
                yield from _read(each.get("path"), each.get("content"))


def _read(path: object, content: object, first: object = 1) -> Iterator[ToolReading]:
    if isinstance(path, str) and isinstance(content, str) and isinstance(first, int):
        yield ToolReading(path, max(first, 1), END, content)


def list_lines_back(transcript: Path, *words: bytes) -> Iterator[JsonObject]:
    """List the lines in which one of these words stands, the last one first."""
    for line in _read_backwards(transcript):
        if any(word in line for word in words):
            record = parse_value(line)
            if isinstance(record, dict):
                yield record


def _read_backwards(transcript: Path) -> Iterator[bytes]:
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
