"""watching.py: what the messages of a connection say that an agent has read and edited.

Requests go both ways, so each side numbers its own. An agent asks the editor to read and write
files and to run commands; the answers come from the other side. No I/O here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from hkgit.agents.acp.announcing import Announced, find_table
from hkgit.agents.events import END, Did, PendingToolEdit, Shell, ToolEvent, ToolReading
from hkgit.agents.tools import session_name, whole_number
from hkgit.text.json_nodes import JsonObject
from hkgit.values import replace

NAME = "acp"


class _Session:
    """One conversation: where it works, and the calls that it announces."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.announced = Announced()


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
        """Yield what a message of the agent's says, before it is passed on."""
        if "method" not in message:
            self._take_answer(self._asked_by_client.pop(_key(message), {}), message)
            return
        params = find_table(message.get("params"))
        if "id" in message:
            self._asked_by_agent[_key(message)] = message
        if message["method"] in ("session/update", "session/request_permission"):
            yield from self._hear_call(params)
        if message["method"] == "fs/write_text_file":
            for read in self._session(params).announced.write(str(params.get("path"))):
                yield self._event(params, read)
            yield from self._write(params, is_before=True)

    def hear_client(self, message: JsonObject) -> Iterator[ToolEvent]:
        """Yield what a message of the editor's says, before it is passed on."""
        if "method" in message:
            if "id" in message:
                self._asked_by_client[_key(message)] = message
            return
        asked = self._asked_by_agent.pop(_key(message), {})
        if "result" not in message:
            return
        params, result = find_table(asked.get("params")), find_table(message["result"])
        match asked.get("method"):
            case "fs/read_text_file":
                self._read(params, result)
            case "fs/write_text_file":
                yield from self._write(params, is_before=False)
            case "terminal/create":
                self._commands[str(result.get("terminalId"))] = self._command(params)
            case "terminal/output":
                yield from self._output(params, result)

    def _session(self, params: JsonObject) -> _Session:
        name = str(params.get("sessionId"))
        return self._sessions.setdefault(name, _Session(self._directory))

    def _take_answer(self, asked: JsonObject, message: JsonObject) -> None:
        """Remember who the agent is, and where a conversation works."""
        params, result = find_table(asked.get("params")), find_table(message.get("result"))
        agent = find_table(result.get("agentInfo"))
        if asked.get("method") == "initialize" and agent.get("name"):
            self.agent = "/".join(str(agent[key]) for key in ("name", "version") if agent.get(key))
        if isinstance(params.get("cwd"), str):
            named = {"sessionId": params.get("sessionId", result.get("sessionId"))}
            self._session(named).directory = Path(params["cwd"])

    def _hear_call(self, params: JsonObject) -> Iterator[ToolEvent]:
        """What a call of a tool says that the agent announces, or asks for permission for."""
        update = find_table(params.get("update", params.get("toolCall")))
        is_asked = "toolCall" in params
        for is_before, did in self._session(params).announced.hear(update, is_asked=is_asked):
            yield self._event(params, did, is_before=is_before)

    def _read(self, params: JsonObject, result: JsonObject) -> None:
        path, content = params.get("path"), result.get("content")
        if isinstance(path, str) and isinstance(content, str):
            first = max(whole_number(params.get("line")) or 1, 1)
            count = whole_number(params.get("limit")) or END
            read = ToolReading(path, first, first + max(count, 1) - 1, content)
            self._session(params).announced.read(read)

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
            yield replace(
                self._event(params, Shell(command, result["output"])), directory=directory
            )

    def _event(self, params: JsonObject, did: Did, *, is_before: bool = False) -> ToolEvent:
        name = session_name(NAME, params.get("sessionId"))
        return ToolEvent(
            is_before=is_before,
            session=name,
            directory=self._session(params).directory,
            did=did,
        )


def _key(message: JsonObject) -> str:
    """The id of a request: 1 and "1" are two."""
    return json.dumps(message.get("id"))
