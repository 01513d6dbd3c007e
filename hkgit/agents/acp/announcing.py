"""announcing.py: the calls of its tools that an agent announces, in one conversation.

They say what fs requests do not: for whom a file is read, what of it the model is shown, and
what is edited without the editor. No I/O here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hkgit.agents.events import END, Did, Editing, PendingToolEdit, Shell, ToolReading, whole_number
from hkgit.text.json_nodes import JsonObject

EDITS = ("edit", "delete", "move")
"""Kinds of calls in which a file is read for the tool, and not for the model."""
RUNS = "execute"

Made = tuple[bool, Did]
"""Whether a call is about to be made, and what it does."""


class _Call:
    """What is known of a call so far; later messages tell only what is new."""

    def __init__(self) -> None:
        self.kind = "other"
        self.path: str | None = None
        self.line: int | None = None
        self.command: str | None = None
        self.read: list[ToolReading] = []
        """What was read through the editor during it."""

    def learn(self, told: JsonObject) -> None:
        self.kind = str(told.get("kind") or self.kind)
        for place in _tables(told.get("locations")):
            self.path = str(place.get("path"))
            self.line = whole_number(place.get("line")) or self.line
        command = find_table(told.get("rawInput")).get("command")
        self.command = command if isinstance(command, str) else self.command


class Announced:
    """The calls of one conversation."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._unclaimed: list[ToolReading] = []
        self._written: set[str] = set()
        self._any = False

    def hear(self, told: JsonObject, *, is_new: bool) -> Iterator[Made]:
        """What a call says that is announced, asked for, or over."""
        name = told.get("toolCallId")
        if not isinstance(name, str):
            return
        self._any = True
        call = self._calls.setdefault(name, _Call())
        call.learn(told)
        if told.get("status", "pending") in ("pending", "in_progress"):
            # Later it may be half done: what stands there then is not what was there before.
            if is_new and call.kind in EDITS and call.path is not None:
                yield True, PendingToolEdit(call.path)
            return
        del self._calls[name]
        if told["status"] == "completed":
            yield from self._edits(told) if call.kind in EDITS else _looks(call, told)

    def read(self, read: ToolReading) -> None:
        """Keep a reading through the editor for the call that is under way, if one is."""
        looking = [call for call in self._calls.values() if call.kind not in EDITS]
        if looking:
            looking[-1].read.append(read)
        elif not self._any:
            self._unclaimed.append(read)

    def write(self, path: str) -> Iterator[ToolReading]:
        """Note a write through the editor: what was read before it, where nobody says for whom.

        An agent that announces its calls has read these for its edit tool.
        """
        if not self._any:
            yield from self._unclaimed
        self._unclaimed.clear()
        self._written.add(path)

    def _edits(self, told: JsonObject) -> Iterator[Made]:
        """The edits that a call says it has made, but those that went through the editor."""
        for each in _tables(told.get("content")):
            path, new = each.get("path"), each.get("newText")
            if each.get("type") != "diff" or path in self._written:
                continue
            if isinstance(path, str) and isinstance(new, str):
                yield False, make_edit(path, each.get("oldText"), new)
        self._written.clear()


def make_edit(path: str, old: object, new: str) -> Editing:
    """A piece of a file, or the whole of it where nothing is said to have been there."""
    said = {"old_string": old, "new_string": new} if old else {"content": new}
    return Editing(json.dumps({"file_path": path, **said}, ensure_ascii=False), "text-editor")


def _looks(call: _Call, told: JsonObject) -> Iterator[Made]:
    """What the model was shown by a call; what its tool has read where that is not told."""
    text = _find_text(told)
    if call.kind == RUNS and call.command is not None:
        yield False, Shell(call.command, text)
    elif text and call.path is not None:
        yield False, ToolReading(call.path, call.line or 1, END, text)
    else:
        yield from ((False, read) for read in call.read)


def _find_text(told: JsonObject) -> str:
    """The text of a call's answer, as a person is shown it or as the tool gave it."""
    parts = [find_table(each.get("content")).get("text") for each in _tables(told.get("content"))]
    output = told.get("rawOutput")
    parts.append(output if isinstance(output, str) else find_table(output).get("content"))
    return next((part for part in parts if isinstance(part, str)), "")


def find_table(value: Any) -> JsonObject:
    """An object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _tables(value: Any) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
