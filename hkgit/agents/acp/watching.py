"""watching.py: what the messages of a connection say that an agent has read and edited.

Requests go both ways, so each side numbers its own. An agent asks the editor to read and write
files and to run commands; the answers come from the other side. No I/O here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hkgit.agents.events import (
    END,
    Did,
    Editing,
    Shell,
    ToolEvent,
    ToolReading,
    session_name,
    whole_number,
)
from hkgit.text.json_nodes import JsonObject

NAME = "acp"
EDITS = ("edit", "delete", "move")
"""Kinds of tool calls in which a file is read for the tool, and not for the model."""
OPEN = ("pending", "in_progress")


class _Session:
    """One conversation: where it works, and what is known of the calls of its tools."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.announces = False
        self.calls: dict[str, str] = {}
        self.unclaimed: list[ToolReading] = []

    def is_reading(self) -> bool:
        """Whether a call is under way whose answer the model gets to see."""
        return any(kind not in EDITS for kind in self.calls.values())


class Watch:
    """The messages of one connection so far; `directory` is where the proxy was started."""

    def __init__(self, directory: Path) -> None:
        self.agent = ""
        self._directory = directory
        self._sessions: dict[str, _Session] = {}
        self._asked_by_agent: dict[str, JsonObject] = {}
        self._asked_by_client: dict[str, JsonObject] = {}
        self._commands: dict[str, tuple[str, Path]] = {}

    def hear_agent(self, message: JsonObject) -> Iterator[ToolEvent]:
        """What a message of the agent's says, before it is passed on."""
        if "method" not in message:
            self._take_answer(self._asked_by_client.pop(_key(message), {}), message)
            return
        params = _table(message.get("params"))
        if "id" in message:
            self._asked_by_agent[_key(message)] = message
        if message["method"] in ("session/update", "session/request_permission"):
            self._note_call(params)
        if message["method"] == "fs/write_text_file":
            yield from self._claim(params)
            yield from self._events(params, _written(params), is_before=True)

    def hear_client(self, message: JsonObject) -> Iterator[ToolEvent]:
        """What a message of the editor's says, before it is passed on."""
        if "method" in message:
            if "id" in message:
                self._asked_by_client[_key(message)] = message
            return
        asked = self._asked_by_agent.pop(_key(message), {})
        if "result" not in message:
            return
        params, result = _table(asked.get("params")), _table(message["result"])
        match asked.get("method"):
            case "fs/read_text_file":
                yield from self._read(params, result)
            case "fs/write_text_file":
                yield from self._events(params, _written(params))
            case "terminal/create":
                self._commands[str(result.get("terminalId"))] = self._command(params)
            case "terminal/output":
                yield from self._output(params, result)

    def _session(self, params: JsonObject) -> _Session:
        name = str(params.get("sessionId"))
        return self._sessions.setdefault(name, _Session(self._directory))

    def _take_answer(self, asked: JsonObject, message: JsonObject) -> None:
        """Remember who the agent is, and where a conversation works."""
        params, result = _table(asked.get("params")), _table(message.get("result"))
        told = _table(result.get("agentInfo"))
        if asked.get("method") == "initialize" and told.get("name"):
            self.agent = "/".join(str(told[key]) for key in ("name", "version") if told.get(key))
        if isinstance(params.get("cwd"), str):
            named = {"sessionId": params.get("sessionId", result.get("sessionId"))}
            self._session(named).directory = Path(params["cwd"])

    def _note_call(self, params: JsonObject) -> None:
        """Keep which calls of tools an agent says it makes."""
        told = _table(params.get("update", params.get("toolCall")))
        name = told.get("toolCallId")
        if not isinstance(name, str):
            return
        session = self._session(params)
        session.announces = True
        kind = str(told.get("kind") or session.calls.get(name, "other"))
        if told.get("status", "pending") in OPEN:
            session.calls[name] = kind
        else:
            session.calls.pop(name, None)

    def _read(self, params: JsonObject, result: JsonObject) -> Iterator[ToolEvent]:
        path, content = params.get("path"), result.get("content")
        if not isinstance(path, str) or not isinstance(content, str):
            return
        first = max(whole_number(params.get("line")) or 1, 1)
        count = whole_number(params.get("limit")) or END
        read = ToolReading(path, first, first + max(count, 1) - 1, content)
        session = self._session(params)
        if session.is_reading():
            yield from self._events(params, read)
        elif not session.announces:
            session.unclaimed.append(read)

    def _claim(self, params: JsonObject) -> Iterator[ToolEvent]:
        """The readings of an agent that never says which tools it calls, at its first write.

        One that does has read these for its edit tool: the model has not seen them.
        """
        session = self._session(params)
        if not session.announces:
            for read in session.unclaimed:
                yield from self._events(params, read)
        session.unclaimed.clear()

    def _command(self, params: JsonObject) -> tuple[str, Path]:
        words = [str(word) for word in params.get("args") or []]
        command = str(params.get("command"))
        directory = params.get("cwd") or self._session(params).directory
        return f"{command} {shlex.join(words)}" if words else command, Path(str(directory))

    def _output(self, params: JsonObject, result: JsonObject) -> Iterator[ToolEvent]:
        known = self._commands.get(str(params.get("terminalId")))
        if known is not None and isinstance(result.get("output"), str):
            command, directory = known
            yield self._event(params, Shell(command, result["output"]), False, directory)

    def _events(
        self, params: JsonObject, did: Did | None, *, is_before: bool = False
    ) -> Iterator[ToolEvent]:
        if did is not None:
            yield self._event(params, did, is_before, self._session(params).directory)

    def _event(self, params: JsonObject, did: Did, is_before: bool, directory: Path) -> ToolEvent:
        return ToolEvent(is_before, session_name(NAME, params.get("sessionId")), directory, did)


def _written(params: JsonObject) -> Editing | None:
    path, content = params.get("path"), params.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return None
    call = {"file_path": path, "content": content}
    return Editing(json.dumps(call, ensure_ascii=False), "text-editor")


def _key(message: JsonObject) -> str:
    """The id of a request: 1 and "1" are two."""
    return json.dumps(message.get("id"))


def _table(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
