"""Cline: `~/.cline/data/sessions/ID/ID.messages.json`.

Beside the messages stands `ID.json`, which says where the session worked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hkgit.agents.events import Looks, Shell
from hkgit.agents.hooks import cline
from hkgit.agents.transcripts.json_fields import Line, Record, parse_value, table, tables, text
from hkgit.agents.transcripts.logged_call import (
    EditCall,
    LoggedCall,
    ReadCall,
    run_tool,
    show,
)

NAME = "cline"
SUFFIX = ".messages.json"


def read_session(path: Path) -> Iterator[Line]:
    """Read the messages of a session beside what is said of it. Raises OSError."""
    about = path.with_name(path.name.removesuffix(SUFFIX) + ".json")
    info = parse_value(about.read_bytes()) if about.is_file() else None
    record = parse_value(path.read_bytes())
    if not isinstance(record, dict):
        raise OSError("its messages are cut short")
    yield Line(f"{path.name}:1", {"info": table(info), "cline": record})


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "cline" in record


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a session whose result it holds, in the order of the results."""
    for line in lines:
        pending: dict[object, tuple[Record, str]] = {}
        for message, part in _list_parts(line):
            call = part.get("tool_use_id")
            if part.get("type") == "tool_use":
                pending[part.get("id")] = part, str(message.get("id"))
            elif part.get("type") == "tool_result" and call in pending:
                yield from _call(line, message, *pending.pop(call), part.get("content"))


def _list_parts(line: Line) -> Iterator[tuple[Record, Record]]:
    """The parts of a session's messages, each with its message."""
    for message in tables(table(line.record.get("cline")).get("messages")):
        yield from ((message, part) for part in tables(message.get("content")))


def _call(
    line: Line, message: Record, call: Record, turn: str, answer: object
) -> Iterator[LoggedCall]:
    info, tool, time = table(line.record.get("info")), str(call.get("name")), message.get("ts")
    version = text(table(table(info.get("metadata")).get("sessionHistoryOrigin")).get("version"))
    session = text(info.get("session_id")) or text(table(line.record["cline"]).get("sessionId"))
    for number, did in enumerate(_did(tool, table(call.get("input")), answer)):
        yield LoggedCall(
            time=time if isinstance(time, int) else 0,
            conversation=session or "unnamed",
            agent=f"{NAME}/{version or 'unknown'}",
            directory=text(info.get("cwd")) or "",
            where=line.where,
            id=f"{call.get('id')}{f'.{number}' if number else ''}",
            tool=tool,
            did=did,
            turn=turn,
        )


def _did(tool: str, sent: Record, answer: object) -> Iterator[ReadCall | EditCall | Shell]:
    """What a call has done; one may read several files, or run several commands."""
    results = [*_find_results(answer)]
    if tool in cline.EDITS and all(each.get("success") is True for each in results):
        edit = run_tool(cline.EDITS, tool, sent, None)
        yield from () if edit is None else (edit,)
        return
    looks = cline.LOOKS[tool](sent, results) if tool in cline.LOOKS else None
    for look in looks.parts if isinstance(looks, Looks) else ():
        if (shown := show(look)) is not None:
            yield shown


def _find_results(answer: object) -> Iterator[Record]:
    """Find the results of a call, which may be told as text."""
    found = parse_value(answer) if isinstance(answer, str) else answer
    yield from tables(found if isinstance(found, list) else [found])
