"""pi_sessions.py: pi, `~/.pi/agent/sessions/*/*.jsonl`.

A call stands in a message of the assistant, its answer in a message of its own; of an edit that
shows the changed lines behind their numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from hkgit.agents.transcripts.json_fields import Line, Record, join_texts, table, tables, text
from hkgit.agents.transcripts.log_diffs import parse_numbered_diff
from hkgit.agents.transcripts.logged_call import EditCall, LoggedCall, ReadCall, ShellCall

NAME = "pi"


def detects(record: Record) -> bool:
    """Whether a line is of such a log: its first one."""
    return record.get("type") == "session" and "cwd" in record and "version" in record


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    session: Record = {}
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        if line.record.get("type") == "session":
            session = line.record
        message = table(line.record.get("message"))
        if message.get("role") == "assistant":
            for part in tables(message.get("content")):
                pending[part.get("id")] = line, part
        elif message.get("role") == "toolResult" and message.get("toolCallId") in pending:
            yield from _call(session, *pending.pop(message.get("toolCallId")), message)


def _call(session: Record, asked: Line, call: Record, answer: Record) -> Iterator[LoggedCall]:
    tool, ended = str(call.get("name")), answer.get("timestamp")
    did = _did(tool, table(call.get("arguments")), answer)
    if did is None or (answer.get("isError") is True and tool != "bash"):
        return
    yield LoggedCall(
        time=ended if isinstance(ended, int) else 0,
        conversation=text(session.get("id")) or "unnamed",
        agent=NAME,
        directory=text(session.get("cwd")) or "",
        where=asked.where,
        id=str(call.get("id")),
        tool=tool,
        did=did,
        turn=asked.where,
    )


def _did(tool: str, sent: Record, answer: Record) -> ReadCall | EditCall | ShellCall | None:
    output, name = join_texts(answer.get("content")), text(sent.get("path"))
    match tool:
        case "bash":
            return ShellCall(text(sent.get("command")) or "", output)
        case "read" if name is not None:
            first = sent.get("offset")
            return ReadCall(name, first if isinstance(first, int) else 1, tuple(output.split("\n")))
        case "write" if name is not None and isinstance(sent.get("content"), str):
            spec = json.dumps({"file_path": name, "content": sent["content"]})
            return EditCall((name,), spec, "text-editor", after={name: sent["content"]})
        case "edit" if name is not None:
            hunks = parse_numbered_diff(text(table(answer.get("details")).get("diff")))
            shown = {name: hunks} if hunks else None
            return EditCall((name,), json.dumps(sent), "text-editor", hunks=shown)
    return None
