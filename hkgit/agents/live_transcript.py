"""What an agent's transcript says at its end, while the conversation goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from hkgit.agents.events import END, ToolReading
from hkgit.agents.json_fields import parse_value, table, tables
from hkgit.agents.logged_call import Line
from hkgit.text.strict_json import JsonObject

_LARGEST_TRANSCRIPT = 64 * 2**20
"""A transcript of more bytes is not read as a whole: the agent waits."""

_TAIL = 8 * 2**20
_BLOCK = 2**18
"""So many bytes of a transcript are looked through, from its end, and at once."""

_ASKING = ("function_call", "custom_tool_call", "local_shell_call")
_ANSWERS, _ANSWERING = ("assistant", "gemini"), (b'"assistant"', b'"gemini"')

ListAttached = Callable[[JsonObject], Iterator[ToolReading]]
FindAttached = Callable[[Path], list[ToolReading]]


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
            return str(message.get("id") or record.get("uuid") or record.get("id"))
    return None


def make_attachment_finder(list_attached: ListAttached, *words: bytes) -> FindAttached:
    """Make what finds the files that a transcript shows before the last answer of the model.

    `list_attached` lists those of one line, in which one of these words is. What the calls of
    that answer have attached, they had not when it was given.
    """

    def find_attached(transcript: Path) -> list[ToolReading]:
        found: list[ToolReading] = []
        last: object = None
        for record in list_lines_back(transcript, *_ANSWERING, *words):
            message = table(record.get("message"))
            if record.get("type") in _ANSWERS or message.get("role") == "assistant":
                name = message.get("id") or record.get("uuid") or record.get("id")
                last = last or name
                if name == last:
                    found.clear()
            else:
                found += list_attached(record)
        return found

    return find_attached


def read_attached(path: object, content: object, first: object = 1) -> Iterator[ToolReading]:
    """Read what a transcript shows of one file; nothing where it is no text."""
    if isinstance(path, str) and isinstance(content, str) and isinstance(first, int):
        yield ToolReading(path, max(first, 1), END, content)


_NAMED = r"\nContent from @?(.+):\n"


def list_named_parts(parts: object) -> Iterator[ToolReading]:
    """List the files of a prompt of Gemini CLI and Qwen Code: a part names one, the next has it."""
    for head, body in pairwise(tables(parts)):
        if (name := re.fullmatch(_NAMED, str(head.get("text")))) is not None:
            yield from read_attached(name[1], body.get("text"))


def read_own_lines(transcript: Path) -> Iterator[Line]:
    """Read the lines of a transcript but those of sub-agents, which one may hold as well.

    Raises OSError.
    """
    if transcript.stat().st_size > _LARGEST_TRANSCRIPT:
        return
    is_own = transcript.stem.startswith("agent-")
    with transcript.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            record = parse_value(raw)
            if isinstance(record, dict) and (
                is_own
                or (record.get("isSidechain") is not True and record.get("type") != "progress")
            ):
                yield Line(f"{transcript.name}:{number}", record)


def list_lines_back(transcript: Path, *words: bytes) -> Iterator[JsonObject]:
    """List the lines in which one of these words is, the last one first."""
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
