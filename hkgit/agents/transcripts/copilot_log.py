"""copilot_cli.py: Copilot CLI, `~/.copilot/session-state/*/events.jsonl`.

A call is told by `tool.execution_start` and `tool.execution_complete`; of an edit the latter shows
a diff, and the lines shown of a file stand there as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from hkgit.agents.transcripts.json_fields import Line, Record, parse_time, table, tables, text
from hkgit.agents.transcripts.log_diffs import parse_diff
from hkgit.agents.transcripts.logged_call import EditCall, LoggedCall, ReadCall, ShellCall
from hkgit.values import dataclass, field

NAME = "copilot-cli"

_EXIT = re.compile(r"\n?<(?:shellId: \S+ completed|exited) with exit code \d+>\s*\Z")
_NUMBERED = re.compile(r"(\d+)\. (.*)\Z", re.DOTALL)


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


def _did(tool: str, given: object, result: Record) -> ReadCall | EditCall | ShellCall | None:
    sent, output = table(given), text(result.get("content")) or ""
    name = text(sent.get("path"))
    match tool:
        case "bash":
            return ShellCall(text(sent.get("command")) or "", _EXIT.sub("", output))
        case "view" if name is not None:
            return _view(name, sent, output)
        case "create" if name is not None:
            return _create(name, text(sent.get("file_text")))
        case "edit" if name is not None:
            return _edit(name, sent, result)
        case "apply_patch":
            patch = text(given) or text(sent.get("input")) or text(sent.get("patch"))
            return None if patch is None else EditCall((), patch, "apply-patch")
    return None


def _create(name: str, content: str | None) -> EditCall | None:
    if content is None:
        return None
    spec = json.dumps({"file_path": name, "content": content})
    return EditCall(
        names=(name,), text=spec, dialect="text-editor", before={name: None}, after={name: content}
    )


def _view(name: str, sent: Record, output: str) -> ReadCall:
    asked = sent.get("view_range")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], int) else 1
    lines = output.split("\n")
    numbered = [_NUMBERED.match(line) for line in lines]
    shown = tuple(
        found[2] if found is not None and int(found[1]) == first + at else line
        for at, (found, line) in enumerate(zip(numbered, lines, strict=True))
    )
    return ReadCall(name, max(first, 1), shown)


def _edit(name: str, sent: Record, result: Record) -> EditCall | None:
    old, new = text(sent.get("old_str")), text(sent.get("new_str"))
    if old is None or new is None:
        return None
    spec = json.dumps({"file_path": name, "old_string": old, "new_string": new})
    hunks = parse_diff(text(result.get("detailedContent")))
    return EditCall((name,), spec, "text-editor", hunks={name: hunks} if hunks else None)
