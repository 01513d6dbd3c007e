"""logs.py: lines as agents log them, with all that a reader does not need left out of no line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

ROOT = "/home/ada/project"
PATH = f"{ROOT}/src/app.py"
Record = dict[str, Any]


class Claude:
    """A session of Claude Code in the making."""

    def __init__(self) -> None:
        self.lines: list[Record] = [
            {"type": "summary", "summary": "Tidy the greeting", "leafUuid": "0f1e"},
            self._line("user", {"role": "user", "content": "Please tidy the greeting."}),
        ]

    def _line(self, kind: str, message: Record, **more: Any) -> Record:
        return {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": ROOT,
            "sessionId": "5a0c",
            "version": "2.0.76",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": "7d31",
            "timestamp": "2026-01-05T09:00:00.000Z",
            **more,
        }

    def call(
        self, tool: str, sent: Record, said: str = "", detail: Any = None, *, error: bool = False
    ) -> Claude:
        """A call and its result."""
        number = f"toolu_{len(self.lines)}"
        use = {"type": "tool_use", "id": number, "name": tool, "input": sent}
        result: Record = {"type": "tool_result", "tool_use_id": number, "content": said}
        if error:
            result["is_error"] = True
        content = [{"type": "text", "text": "Let me see."}, use]
        self.lines += [
            self._line("assistant", {"role": "assistant", "content": content}),
            self._line("user", {"role": "user", "content": [result]}, toolUseResult=detail),
        ]
        return self

    def edit(self, before: str, old: str, new: str, **more: Any) -> Claude:
        """An edit that was taken."""
        detail = {
            "filePath": PATH,
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
            **more,
        }
        sent = {"file_path": PATH, "old_string": old, "new_string": new}
        return self.call("Edit", sent, "The file has been updated.", detail)

    @property
    def text(self) -> str:
        return as_text(self.lines)


class Codex:
    """A rollout of Codex in the making."""

    def __init__(self) -> None:
        self.lines: list[Record] = [
            {
                "timestamp": "2026-01-05T09:00:00.000Z",
                "type": "session_meta",
                "payload": {"id": "0199", "cwd": ROOT, "originator": "codex_cli_rs"},
            }
        ]

    def item(self, payload: Record) -> None:
        at = "2026-01-05T09:00:01.000Z"
        self.lines.append({"timestamp": at, "type": "response_item", "payload": payload})

    def patch(self, patch: str, *, error: str | None = None) -> Codex:
        """A patch as a tool of its own."""
        number = f"call_{len(self.lines)}"
        said = error or "Success. Updated the following files:\nM src/app.py\n"
        output = {"output": said, "metadata": {"exit_code": int(error is not None)}}
        call = {"type": "custom_tool_call", "status": "completed", "call_id": number}
        self.item({**call, "name": "apply_patch", "input": patch})
        answer = {"type": "custom_tool_call_output", "call_id": number}
        self.item({**answer, "output": json.dumps(output)})
        return self

    @property
    def text(self) -> str:
        return as_text(self.lines)


def as_text(lines: list[Record] | list[Mapping[str, Any]]) -> str:
    """Records as a log."""
    return "".join(json.dumps(line) + "\n" for line in lines)
