"""What the messages between an editor and its agent say of calls.

They say what fs requests do not: for whom a file is read, what of it the model is shown, and
what is edited without the editor. Requests go both ways, so each side numbers its own.

To an editor an agent says that it has read a file, or run a command, and not what came of it. It
writes down each answer before it asks its model again, so before the next edit.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from hkgit.agents.events import (
    END,
    Did,
    LateEdit,
    PendingToolEdit,
    Shell,
    ToolEvent,
    ToolReading,
    UntoldLook,
)
from hkgit.agents.json_fields import table, tables
from hkgit.agents.log_files import read_own_lines
from hkgit.agents.logged_call import WHOLE, Line, LoggedCall
from hkgit.agents.programs import gemini
from hkgit.agents.tools import session_name, whole_number, write_edit
from hkgit.agents.transcripts.log_reader import find_logs
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

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
        self.given: JsonObject = {}
        self.diffs: list[JsonObject] = []
        self.is_asked = False
        """Whether a person was asked: then nothing had been changed."""
        self.is_aside = False
        self.read: list[ToolReading] = []
        """What was read through the editor during it."""

    def learn(self, update: JsonObject) -> None:
        self.kind = str(update.get("kind") or self.kind)
        for place in tables(update.get("locations")):
            self.path = str(place.get("path"))
            self.line = whole_number(place.get("line")) or self.line
        self.given = {**self.given, **table(update.get("rawInput"))}
        self.diffs = [
            each
            for each in tables(update.get("content"))
            if each.get("type") == "diff"
            and isinstance(each.get("path"), str)
            and isinstance(each.get("newText"), str)
        ] or self.diffs


class Conversation:
    """One conversation: where it works, and the calls that it announces."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
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
        whole = next((call.given[name] for name in WHOLE if name in call.given), None)
        if not edits and call.path is not None and isinstance(whole, str):
            edits = [(call.path, None, whole)]
        for path, old, new in edits:
            if path in self._written:
                continue
            # A piece of a file, or the whole of it where nothing is said to have been there.
            fields = {"old_string": old, "new_string": new} if old else {"content": new}
            edit, replaced = write_edit(file_path=path, **fields), ((old, new),) if old else ()
            self._late.setdefault(path, []).append(LateEdit(edit, replaced, call.is_asked))
        if not edits and call.path is not None and call.path not in self._written:
            yield False, PendingToolEdit(call.path)
        self._written.clear()

    def _end_late(self) -> Iterator[Made]:
        """The edits of files that no call under way may be changing as well: those made at once."""
        for path in [path for path in self._late if not self._is_busy(path)]:
            yield from ((False, late) for late in _join(path, self._late.pop(path)))

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


def _join(path: str, edits: list[LateEdit]) -> list[LateEdit]:
    """Edits of one file at once as one, where each says what it replaces."""
    if len(edits) == 1 or not all(each.replaced for each in edits):
        return edits
    replaced = tuple(each for edit in edits for each in edit.replaced)
    replacements = [{"old_string": old, "new_string": new} for old, new in replaced]
    is_asked = all(each.is_asked for each in edits)
    return [LateEdit(write_edit(file_path=path, edits=replacements), replaced, is_asked)]


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
    given = table(output)
    parts = [output, *(given.get(name) for name in ("output", "content", "formatted_output"))]
    parts += [table(each.get("content")).get("text") for each in tables(update.get("content"))]
    return next((part for part in parts if isinstance(part, str) and part), "")


_WAITS = (0.0, 0.1, 0.2)
"""Seconds to wait before each look."""


def find_answers(
    conversation: str, directory: Path, calls: Collection[str], environment: Mapping[str, str]
) -> tuple[set[str], list[LoggedCall]]:
    """Find which of some calls a transcript has, and what those have shown that show something.

    A large answer may not be written down yet.
    """
    lines: list[Line] = []
    told: set[str] = set()
    for wait in _WAITS:
        time.sleep(wait)
        found = find_logs([directory.resolve()], environment, "gemini")
        paths = (path for path in found if conversation[:8] in path.name)
        lines = [line for path in paths for line in read_own_lines(path)]
        logged = (call for line in lines for call in tables(line.record.get("toolCalls")))
        told = {str(call.get("id")) for call in logged}.intersection(calls)
        if len(told) == len(calls):
            break
    agent = gemini.AGENT
    # A line repeats those before it.
    shown = {call.id: call for call in agent.read_calls(gemini.LOG, gemini.LOG.says(lines))}
    return told, [
        replace(call, directory=str(directory))
        for name, call in shown.items()
        if any(f"{name}.".startswith(f"{each}.") for each in told)
    ]


NAME = "acp"

AGENT, EDITOR = "agent", "editor"
_OTHER = {AGENT: EDITOR, EDITOR: AGENT}


class Watch:
    """The messages of one connection so far; `directory` is where the proxy was started."""

    def __init__(self, directory: Path) -> None:
        self.agent = ""
        self._directory = directory
        self._sessions: dict[str, Conversation] = {}
        self._asked: dict[tuple[str, str], JsonObject] = {}
        """Requests by the side that makes them and their ids."""
        self._commands: dict[str, tuple[str, Path]] = {}

    def hear(self, side: str, message: JsonObject) -> Iterator[ToolEvent]:
        """Yield what a message of one side says, before it is passed on."""
        number = json.dumps(message.get("id"))  # 1 and "1" are two
        if "method" not in message:
            asked = self._asked.pop((_OTHER[side], number), {})
            if "result" in message:
                yield from self._hear_result(asked, table(message["result"]))
            return
        if "id" in message:
            self._asked[side, number] = message
        params = table(message.get("params"))
        match message["method"]:
            case "session/update" | "session/request_permission":
                update = table(params.get("update", params.get("toolCall")))
                is_asked = "toolCall" in params
                for is_before, did in self._session(params).hear(update, is_asked=is_asked):
                    yield self._event(params, did, is_before=is_before)
            case "fs/write_text_file":
                for read in self._session(params).write(str(params.get("path"))):
                    yield self._event(params, read)
                yield from self._write(params, is_before=True)

    def _hear_result(self, asked: JsonObject, result: JsonObject) -> Iterator[ToolEvent]:
        """Yield what comes of a request, and remember who the agent is, and where it works."""
        params = table(asked.get("params"))
        match asked.get("method"):
            case "initialize":
                agent = table(result.get("agentInfo"))
                named = (str(agent[key]) for key in ("name", "version") if agent.get(key))
                self.agent = "/".join(named) if agent.get("name") else ""
            case "fs/read_text_file":
                self._read(params, result)
            case "fs/write_text_file":
                yield from self._write(params, is_before=False)
            case "terminal/create":
                self._commands[str(result.get("terminalId"))] = self._command(params)
            case "terminal/output":
                yield from self._output(params, result)
            case _ if isinstance(params.get("cwd"), str):
                session = {"sessionId": params.get("sessionId", result.get("sessionId"))}
                self._session(session).directory = Path(params["cwd"])

    def _session(self, params: JsonObject) -> Conversation:
        name = str(params.get("sessionId"))
        return self._sessions.setdefault(name, Conversation(self._directory))

    def _read(self, params: JsonObject, result: JsonObject) -> None:
        path, content = params.get("path"), result.get("content")
        if isinstance(path, str) and isinstance(content, str):
            first = max(whole_number(params.get("line")) or 1, 1)
            count = whole_number(params.get("limit")) or END
            read = ToolReading(path, first, first + max(count, 1) - 1, content)
            self._session(params).read(read)

    def _write(self, params: JsonObject, *, is_before: bool) -> Iterator[ToolEvent]:
        """A write through the editor: the whole file, whatever of it the tool has changed."""
        path = params.get("path")
        if isinstance(path, str) and isinstance(params.get("content"), str):
            yield self._event(params, PendingToolEdit(path), is_before=is_before)

    def _command(self, params: JsonObject) -> tuple[str, Path]:
        words = [str(word) for word in params.get("args") or []]
        command = str(params.get("command"))
        directory = params.get("cwd") or self._session(params).directory
        return f"{command} {shlex.join(words)}" if words else command, Path(str(directory))

    def _output(self, params: JsonObject, result: JsonObject) -> Iterator[ToolEvent]:
        known = self._commands.get(str(params.get("terminalId")))
        if known is not None and isinstance(result.get("output"), str):
            command, directory = known
            event = self._event(params, Shell(command, result["output"]))
            yield replace(event, directory=directory)

    def _event(self, params: JsonObject, did: Did, *, is_before: bool = False) -> ToolEvent:
        return ToolEvent(
            is_before=is_before,
            session=session_name(NAME, params.get("sessionId")),
            directory=self._session(params).directory,
            did=did,
        )
