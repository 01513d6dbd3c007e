"""Transcripts of agents as their programs write them, built call by call."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

START = 1_714_970_000
"""Some time before the commits of the tests."""


class ClaudeLog:
    """A session of Claude Code; times go on by a second a line."""

    def __init__(self, root: Path | str, session: str = "5945-5d2e", **more: Any) -> None:
        self.root = str(root)
        self.lines: list[str] = []
        self._common = {
            "isSidechain": False,
            "userType": "external",
            "cwd": self.root,
            "sessionId": session,
            "version": "2.0.76",
            "gitBranch": "main",
        } | more
        self._calls = 0
        self.time = START

    def line(self, kind: str, content: object, **more: Any) -> None:
        """One line of the log."""
        self.time += 1
        moment = datetime.fromtimestamp(self.time, UTC).isoformat().replace("+00:00", "Z")
        message = {"role": kind, "content": content}
        record = self._common | {"type": kind, "message": message, "timestamp": moment} | more
        self.lines.append(json.dumps(record | {"uuid": f"{id(self)}-{len(self.lines)}"}))

    def call(
        self,
        tool: str,
        sent: dict[str, Any],
        said: str = "ok",
        detail: object = None,
        *,
        id: str | None = None,
        is_error: bool = False,
    ) -> str:
        """A call and its result; answers with its id."""
        self._calls += 1
        own = self._common.get("agentId", "")
        name = id or f"toolu_{self._common['sessionId']}{own}_{self._calls}"
        self.line("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": sent}])
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": name, "content": said}
        result |= {"is_error": True} if is_error else {}
        self.line("user", [result], **({} if detail is None else {"toolUseResult": detail}))
        return name

    def read(self, path: str, text: str, start: int = 1, count: int | None = None) -> str:
        """A reading of a file that says `text`."""
        lines = text.split("\n")
        shown = lines[start - 1 :][:count]
        place = f"{self.root}/{path}"
        file = {
            "filePath": place,
            "content": "\n".join(shown),
            "startLine": start,
            "numLines": len(shown),
            "totalLines": len(lines),
        }
        return self.call("Read", {"file_path": place}, "", {"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str, before: str | None = None, **more: Any) -> str:
        """A replacement, with what the file said before it where that is given."""
        place = f"{self.root}/{path}"
        sent = {"file_path": place, "old_string": old, "new_string": new}
        detail: dict[str, Any] = {"filePath": place, "oldString": old, "newString": new}
        detail |= {"userModified": False}
        detail |= {} if before is None else {"originalFile": before}
        return self.call("Edit", sent | more, "The file has been updated.", detail)

    def write(self, path: str, text: str, before: str | None = None) -> str:
        """A file written as a whole."""
        place = f"{self.root}/{path}"
        kind = "create" if before is None else "update"
        detail = {"type": kind, "filePath": place, "content": text, "originalFile": before}
        return self.call("Write", {"file_path": place, "content": text}, "ok", detail)

    def save(self, place: Path) -> Path:
        """Write the log."""
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(self.lines) + "\n")
        return place


class CodexLog:
    """A rollout of Codex; times go on by a second a line."""

    def __init__(self, root: Path, session: str = "0199-aa") -> None:
        self.lines: list[str] = []
        self._calls = 0
        self.time = START
        about = {"id": session, "cwd": str(root), "cli_version": "0.169.0"}
        self.line("session_meta", about)

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        """One line of the log."""
        self.time += 1
        moment = datetime.fromtimestamp(self.time, UTC).isoformat().replace("+00:00", "Z")
        self.lines.append(json.dumps({"timestamp": moment, "type": kind, "payload": payload}))

    def shell(self, command: str, output: str, code: int = 0) -> None:
        """A command, and what it printed."""
        self._calls += 1
        call = {"call_id": f"call_{self._calls}"}
        sent = json.dumps({"cmd": command})
        named = {"type": "function_call", "name": "exec_command", "arguments": sent}
        self.line("response_item", named | call)
        said = f"Wall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        self.line("response_item", {"type": "function_call_output", "output": said} | call)

    def patch(self, patch: str, said: str = "Success. Updated the following files:") -> None:
        """A patch, and what the tool said."""
        self._calls += 1
        call = {"call_id": f"call_{self._calls}"}
        named = {"type": "custom_tool_call", "name": "apply_patch", "input": patch}
        self.line("response_item", named | call)
        self.line("response_item", {"type": "custom_tool_call_output", "output": said} | call)

    def save(self, place: Path) -> Path:
        """Write the log."""
        place.write_text("\n".join(self.lines) + "\n")
        return place


OPENCODE = (
    "session (id, directory, version)",
    "part (id, message_id, session_id, time_created, data)",
)
GOOSE = (
    "sessions (id, working_dir, created_at)",
    "messages (id, session_id, created_timestamp, content_json)",
)
"""The tables of the databases of agents, as far as they are read."""


def make_database(place: Path, tables: Sequence[str], *rows: Iterable[Sequence[object]]) -> None:
    """Make a database with the rows of each table."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(place)) as database, database:
        for table, own in zip(tables, rows, strict=True):
            database.execute(f"create table {table}")
            values = ", ".join("?" * (table.count(",") + 1))
            name = table.partition(" ")[0]
            database.executemany(f"insert into {name} values ({values})", own)
