"""pi: `~/.pi/agent/sessions/*/*.jsonl`.

A call stands in a message of the assistant, its answer in a message of its own; of an edit that
shows the changed lines behind their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.agents.hooks import pi
from hkgit.agents.transcripts.json_fields import Line, Record, join_texts, table, tables, text
from hkgit.agents.transcripts.log_diffs import parse_numbered_diff
from hkgit.agents.transcripts.logged_call import LoggedCall, run_tool

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
    did = run_tool(
        pi.EDITS | pi.LOOKS,
        tool,
        table(call.get("arguments")),
        join_texts(answer.get("content")),
        hunks=parse_numbered_diff(text(table(answer.get("details")).get("diff"))),
    )
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
