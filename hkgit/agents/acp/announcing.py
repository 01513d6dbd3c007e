"""announcing.py: the calls of its tools that an agent announces, in one conversation.

They say what fs requests do not: for whom a file is read, what of it the model is shown, and
what is edited without the editor. No I/O here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from hkgit.agents.events import (
    END,
    Did,
    Editing,
    LateEdit,
    PendingToolEdit,
    Shell,
    ToolReading,
    UntoldLook,
)
from hkgit.agents.tools import make_editing, whole_number
from hkgit.text.json_nodes import Json, JsonObject

EDITS = ("edit", "delete", "move")
"""Kinds of calls in which a file is read for the tool, and not for the model."""
RUNS = "execute"
_WHOLE = ("content", "file_text")
"""Arguments of a tool that takes the whole of a file."""

Made = tuple[bool, Did]
"""Whether a call is about to be made, and what it does."""


class _Call:
    """What is known of a call so far; later messages tell only what is new."""

    def __init__(self) -> None:
        self.kind = "other"
        self.path: str | None = None
        self.line: int | None = None
        self.given: JsonObject = {}
        self.diffs: list[JsonObject] = []
        self.is_asked = False
        """Whether a person was asked: then nothing had been changed."""
        self.is_aside = False
        self.read: list[ToolReading] = []
        """What was read through the editor during it."""

    def learn(self, update: JsonObject) -> None:
        self.kind = str(update.get("kind") or self.kind)
        for place in find_tables(update.get("locations")):
            self.path = str(place.get("path"))
            self.line = whole_number(place.get("line")) or self.line
        self.given = {**self.given, **find_table(update.get("rawInput"))}
        self.diffs = [
            each
            for each in find_tables(update.get("content"))
            if each.get("type") == "diff"
            and isinstance(each.get("path"), str)
            and isinstance(each.get("newText"), str)
        ] or self.diffs


class Announced:
    """The calls of one conversation."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._unclaimed: list[ToolReading] = []
        self._written: set[str] = set()
        self._late: dict[str, list[LateEdit]] = {}
        self._any = False

    def hear(self, update: JsonObject, *, is_asked: bool) -> Iterator[Made]:
        """Yield what a call says that is announced, asked for, or over."""
        name = update.get("toolCallId")
        if not isinstance(name, str):
            return
        self._any = True
        call = self._calls.setdefault(name, _Call())
        call.learn(update)
        if update.get("status") not in ("completed", "failed"):
            yield from self._put_aside(call, is_asked=is_asked)
            return
        del self._calls[name]
        if update["status"] == "completed":
            yield from self._edits(call) if call.kind in EDITS else _looks(call, update)
        yield from self._end_late()

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

    def _edits(self, call: _Call) -> Iterator[Made]:
        """The edits that a call has made, but those that went through the editor."""
        edits = [(each["path"], each.get("oldText"), each["newText"]) for each in call.diffs]
        whole = next((call.given[name] for name in _WHOLE if name in call.given), None)
        if not edits and call.path is not None and isinstance(whole, str):
            edits = [(call.path, None, whole)]
        for path, old, new in edits:
            if path in self._written:
                continue
            edit, replaced = make_edit(path, old, new), ((old, new),) if old else ()
            late = LateEdit(edit, path, replaced, call.is_asked)
            self._late.setdefault(path, []).append(late)
        if not edits and call.path is not None and call.path not in self._written:
            yield False, PendingToolEdit(call.path)
        self._written.clear()

    def _end_late(self) -> Iterator[Made]:
        """The edits of files that no call under way may be changing as well: those made at once."""
        for path in [path for path in self._late if not self._is_busy(path)]:
            yield from ((False, late) for late in _join(self._late.pop(path)))

    def _is_busy(self, path: str) -> bool:
        return any(call.path == path and call.is_aside for call in self._calls.values())

    def _put_aside(self, call: _Call, *, is_asked: bool) -> Iterator[Made]:
        """The file of an edit when it is named, and when a person is asked.

        Not while another call may be changing it: that has put it aside.
        """
        if call.kind not in EDITS or call.path is None:
            return
        is_busy = call.path in self._late or (not call.is_aside and self._is_busy(call.path))
        if not is_busy and (is_asked or not call.is_aside):
            yield True, PendingToolEdit(call.path)
        call.is_aside, call.is_asked = True, call.is_asked or is_asked


def _join(edits: list[LateEdit]) -> list[LateEdit]:
    """Edits of one file at once as one, where each says what it replaces."""
    if len(edits) == 1 or not all(each.replaced for each in edits):
        return edits
    replaced = tuple(each for edit in edits for each in edit.replaced)
    replacements = [{"old_string": old, "new_string": new} for old, new in replaced]
    path, is_asked = edits[0].path, all(each.is_asked for each in edits)
    return [LateEdit(make_editing(path, replacements), path, replaced, is_asked)]


def make_edit(path: str, old: object, new: str) -> Editing:
    """Make a piece of a file, or the whole of it where nothing is said to have been there."""
    fields = {"old_string": old, "new_string": new} if old else {"content": new}
    return Editing(json.dumps({"file_path": path, **fields}, ensure_ascii=False), "text-editor")


def _looks(call: _Call, update: JsonObject) -> Iterator[Made]:
    """What the model was shown by a call; what its tool has read where that is not told."""
    text, command = _find_text(update), call.given.get("command")
    if call.kind in (RUNS, "other") and isinstance(command, str) and text:
        yield False, Shell(command, text)
    elif text and call.path is not None:
        yield False, ToolReading(call.path, call.line or 1, END, text)
    else:
        yield from ((False, read) for read in call.read)
    if "rawOutput" not in update:
        # What a person is shown may be a word about it.
        yield False, UntoldLook(str(update["toolCallId"]))


def _find_text(update: JsonObject) -> str:
    """Find the text of a call's answer: as the tool gave it, or as a person is shown it."""
    output = update.get("rawOutput")
    given = find_table(output)
    parts = [output, *(given.get(name) for name in ("output", "content", "formatted_output"))]
    parts += [
        find_table(each.get("content")).get("text") for each in find_tables(update.get("content"))
    ]
    return next((part for part in parts if isinstance(part, str) and part), "")


def find_table(value: Json) -> JsonObject:
    """Find an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def find_tables(value: Json) -> list[JsonObject]:
    """Find the objects of a list; none of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
