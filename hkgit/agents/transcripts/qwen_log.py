"""Qwen Code: `~/.qwen/projects/*/chats/*.jsonl`: Gemini's tools, in another form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.agents.transcripts.gemini_log import read_call
from hkgit.agents.transcripts.json_fields import Line, Record, parse_time, table, tables, text
from hkgit.agents.transcripts.logged_call import LoggedCall

NAME = "qwen-code"


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "sessionId" in record and "parts" in table(record.get("message"))


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        for part in tables(table(line.record.get("message")).get("parts")):
            asked, answer = table(part.get("functionCall")), table(part.get("functionResponse"))
            if asked:
                pending[asked.get("id")] = line, asked
            elif answer and answer.get("id") in pending:
                yield from _call(*pending.pop(answer.get("id")), line.record, answer)


def _call(asked: Line, call: Record, record: Record, answer: Record) -> Iterator[LoggedCall]:
    result = table(record.get("toolCallResult"))
    output = text(table(answer.get("response")).get("output")) or ""
    if result.get("status") != "success":
        return
    did = read_call(
        str(call.get("name")), table(call.get("args")), output, result.get("resultDisplay")
    )
    if did is None:
        return
    yield LoggedCall(
        time=parse_time(record.get("timestamp")),
        conversation=text(record.get("sessionId")) or "unnamed",
        agent=f"{NAME}/{text(record.get('version')) or 'unknown'}",
        directory=text(record.get("cwd")) or "",
        where=asked.where,
        id=str(call.get("id")),
        tool=str(call.get("name")),
        did=did,
        turn=text(asked.record.get("uuid")) or "",
    )
