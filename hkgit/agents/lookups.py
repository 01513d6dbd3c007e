"""What the transcript or the database of an agent says of one call.

Codex's models may write scripts that call tools (code mode); each line of its transcript is JSON.

goose keeps each message of a session as JSON; the answer of a tool stands behind the call's id.

A model may ask for several calls in one answer. It has not seen what one of them shows when it
writes the others, so they are no evidence for one another. Agents write an answer down before they
make its calls; each line of such a transcript is JSON.

Files of the prompt (`@file`) and instructions (CLAUDE.md) are attachments in its transcript. Those
that stand behind the answer which asks for a call were not there yet when that was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from hkgit.agents.events import END, ToolReading
from hkgit.text.strict_json import JsonObject

_TAIL = 8 * 2**20
"""So many bytes of a transcript are looked through, from its end."""


def find_later_output(transcript: Path, call: str) -> str | None:
    """Find what a call has shown; None where the transcript lacks it (yet).

    A transcript is a file of lines, or a session in a database: the database's path, and the
    session's name below it.
    """
    if transcript.parent.suffix == ".db":
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


_LATEST = 64
"""So many messages are looked through, from the last one of a session on."""

_MESSAGES = "SELECT content_json FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT ?"


def find_database_output(database: Path, session: str, call: str) -> str | None:
    """Find the answer of a call as the model got it; None if the database lacks it (yet)."""
    messages = (each for each in _messages(database, session) if isinstance(each, list))
    parts = (part for each in messages for part in each if isinstance(part, dict))
    for part in parts:
        with suppress(KeyError, TypeError):
            if part["id"] == call:
                return "\n".join(_texts_of_row(part["toolResult"]["value"]["content"]))
    return None


def _messages(database: Path, session: str) -> Iterator[object]:
    import sqlite3

    with suppress(sqlite3.Error, ValueError, RecursionError):
        place = f"{database.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True, timeout=1)) as connection:
            for (text,) in connection.execute(_MESSAGES, (session, _LATEST)):
                yield json.loads(text)


def _texts_of_row(content: object) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


_BLOCK = 2**18

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


_KINDS = (b'"file"', b'"instructions"', b'"nested_memory"')


def find_attached(transcript: Path) -> list[ToolReading]:
    """Find what was attached before the last answer of the model, with the lines that it shows."""
    found: list[ToolReading] = []
    answer: object = None
    for line in read_backwards(transcript):
        is_attached = b'"attachment"' in line and any(kind in line for kind in _KINDS)
        if not is_attached and b'"assistant"' not in line:
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        if record.get("type") == "assistant":
            name = _table(record.get("message")).get("id")
            answer = answer or name
            if name == answer:
                found.clear()
        elif is_attached:
            found += list_attached(record)
    return found


def list_attached(record: JsonObject) -> Iterator[ToolReading]:
    """List the files that one line of a transcript attaches."""
    attached = _table(record.get("attachment"))
    match attached.get("type"):
        case "file":
            file = _table(_table(attached.get("content")).get("file"))
            yield from _read(file.get("filePath"), file.get("content"), file.get("startLine"))
        case "nested_memory":
            yield from _read(attached.get("path"), _table(attached.get("content")).get("content"))
        case "instructions":
            files = attached.get("files")
            for each in map(_table, files if isinstance(files, list) else ()):
                yield from _read(each.get("path"), each.get("content"))


def _read(path: object, content: object, first: object = 1) -> Iterator[ToolReading]:
    if isinstance(path, str) and isinstance(content, str) and isinstance(first, int):
        yield ToolReading(path, max(first, 1), END, content)
