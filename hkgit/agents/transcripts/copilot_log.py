"""Copilot CLI: `~/.copilot/session-state/*/events.jsonl`.

A call is told by `tool.execution_start` and `tool.execution_complete`; of an edit the latter shows
a diff, and the lines shown of a file stand there as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hkgit.agents.events import Shell
from hkgit.agents.hooks import copilot
from hkgit.agents.transcripts.json_fields import Line, Record, parse_time, table, tables, text
from hkgit.agents.transcripts.log_diffs import parse_diff
from hkgit.agents.transcripts.logged_call import EditCall, LoggedCall, ReadCall, run_tool
from hkgit.values import dataclass, field

NAME = "copilot-cli"

_EXIT = re.compile(r"\n?<(?:shellId: \S+ completed|exited) with exit code \d+>\s*\Z")


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    kind, data = record.get("type"), table(record.get("data"))
    return kind == "session.start" and data.get("producer") == "copilot-agent"


@dataclass
class _Session:
    """What the log has said of its session so far."""

    id: str = "unnamed"
    version: str = "unknown"
    directory: str = ""
    turns: dict[object, str] = field(default_factory=dict)
    """The answer of the model that asked for each call."""

    def hear(self, data: Record) -> None:
        """Take what the start of a session says."""
        self.id = text(data.get("sessionId")) or self.id
        self.version = text(data.get("copilotVersion")) or self.version
        self.directory = text(table(data.get("context")).get("cwd")) or self.directory


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    session = _Session()
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        kind, data = line.record.get("type"), table(line.record.get("data"))
        call = data.get("toolCallId")
        if kind in ("session.start", "session.resume", "session.context_changed"):
            session.hear(data if kind != "session.context_changed" else {"context": data})
        elif kind == "assistant.message":
            answer = text(data.get("messageId")) or ""
            session.turns |= {x.get("toolCallId"): answer for x in tables(data.get("toolRequests"))}
        elif kind == "tool.execution_start":
            pending[call] = line, data
        elif kind == "tool.execution_complete" and call in pending:
            asked, sent = pending.pop(call)
            if data.get("success") is True:
                yield from _call(session, asked, sent, line.record)


def _call(session: _Session, asked: Line, data: Record, answer: Record) -> Iterator[LoggedCall]:
    result = table(table(answer.get("data")).get("result"))
    tool = str(data.get("toolName"))
    did = _did(tool, data.get("arguments"), result)
    if did is None:
        return
    # A sub-agent works under the call that has started it.
    own = text(data.get("parentToolCallId")) or text(asked.record.get("agentId"))
    yield LoggedCall(
        time=parse_time(answer.get("timestamp")),
        conversation=f"{session.id[:18]}-{own[-18:]}" if own else session.id,
        agent=f"{NAME}/{session.version}",
        directory=session.directory,
        where=asked.where,
        id=str(data.get("toolCallId")),
        tool=tool,
        did=did,
        turn=session.turns.get(data.get("toolCallId"), ""),
    )


def _did(tool: str, given: object, result: Record) -> ReadCall | EditCall | Shell | None:
    return run_tool(
        copilot.EDITS | copilot.LOOKS,
        tool,
        {"patch": given} if isinstance(given, str) else table(given),
        {"textResultForLlm": _EXIT.sub("", text(result.get("content")) or "")},
        is_new=tool == "create",
        hunks=parse_diff(text(result.get("detailedContent"))) if tool == "edit" else (),
    )
