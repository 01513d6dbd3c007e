"""goose_sessions.py: goose: its database `~/.local/share/goose/sessions/sessions.db`.

Each message is told as one line, beside its session; a call and its answer have one id. Before
version 1.10 each session was a file of lines there, the first of them about the session. The edit
tool was `text_editor` then, and in the database until version 1.25.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hkgit.agents.transcripts.fields import (
    Line,
    Record,
    join_texts,
    parse_value,
    table,
    tables,
    text,
)
from hkgit.agents.transcripts.logged.databases.open_code import knows_directory, open_to_read
from hkgit.agents.transcripts.logged.records import EditCall, LoggedCall, ReadCall, ShellCall

NAME = "goose"
DATABASE = "sessions.db"

_NUMBERED = re.compile(r" *(\d+): (.*)", re.DOTALL)

_MESSAGES = """
    select messages.id, session_id, working_dir, created_timestamp, content_json
    from messages join sessions on sessions.id = session_id order by messages.id
"""


def knows_any(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a database has a session that worked in one of some directories or below it."""
    return knows_directory(path, "select working_dir from sessions", roots)


def read_database(path: Path) -> Iterator[Line]:
    """Read the messages in a database as lines of a log. Raises OSError where it cannot be read."""
    try:
        with closing(open_to_read(path)) as database:
            for row, session, directory, time, content in database.execute(_MESSAGES):
                about = {"goose": session, "directory": directory, "time": time}
                parts = {"info": about, "content": parse_value(content)}
                yield Line(f"{path.name}:{row}", parts)
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def detects(record: Record) -> bool:
    """Whether a line is of such a log."""
    return "goose" in table(record.get("info")) or {"working_dir", "message_count"} <= {*record}


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record]] = {}
    session: Record = {}
    for line in lines:
        if "working_dir" in line.record:
            name = line.where.rpartition(":")[0].removesuffix(".jsonl")
            session = {"goose": name, "directory": line.record["working_dir"]}
        info = table(line.record.get("info")) or session | {"time": line.record.get("created")}
        for part in tables(line.record.get("content")):
            key = info.get("goose"), part.get("id")
            if part.get("type") == "toolRequest":
                pending[key] = line, table(table(part.get("toolCall")).get("value"))
            elif part.get("type") == "toolResponse" and key in pending:
                answer = _read_answer(table(part.get("toolResult")))
                yield from _call(info, str(part.get("id")), *pending.pop(key), answer)


def _read_answer(result: Record) -> Record:
    """Read what came of a call; older versions told its parts alone, and a failure beside them."""
    value = result.get("value")
    answer = {"content": value} if isinstance(value, list) else table(value)
    return answer | {"isError": True} if result.get("status") == "error" else answer


def _call(info: Record, id: str, asked: Line, call: Record, answer: Record) -> Iterator[LoggedCall]:
    tool, time = str(call.get("name")).removeprefix("developer__"), info.get("time")
    did = _did(tool, table(call.get("arguments")), join_texts(answer.get("content")))
    if did is None or (answer.get("isError") is True and tool != "shell"):
        return
    yield LoggedCall(
        time=time * 1000 if isinstance(time, int) else 0,
        conversation=str(info.get("goose")),
        agent=NAME,
        directory=text(info.get("directory")) or "",
        where=asked.where,
        id=id,
        tool=tool,
        did=did,
        turn=asked.where,
    )


def _did(tool: str, sent: Record, output: str) -> ReadCall | EditCall | ShellCall | None:
    name = text(sent.get("path"))
    match tool:
        case "shell":
            return ShellCall(text(sent.get("command")) or "", output)
        case "write" if name is not None and isinstance(sent.get("content"), str):
            spec = json.dumps({"file_path": name, "content": sent["content"]})
            return EditCall((name,), spec, "text-editor", after={name: sent["content"]})
        case "edit" if name is not None:
            words = {"old_string": sent.get("before"), "new_string": sent.get("after")}
            return EditCall((name,), json.dumps({"file_path": name} | words), "text-editor")
        case "text_editor" if name is not None:
            return _edit_or_view(name, sent, output)
    return None


def _edit_or_view(name: str, sent: Record, output: str) -> ReadCall | EditCall | None:
    """What a command of the older edit tool has done."""
    new = sent.get("new_str")
    match sent.get("command"):
        case "view":
            return _read(name, output)
        case "write":
            text_editor: Record = {"file_path": name, "content": sent.get("file_text")}
        case "str_replace" if sent.get("diff"):
            words = json.dumps({"path": name, "diff": sent["diff"]})
            return EditCall((name,), words, "unified-diff")
        case "str_replace":
            text_editor = {"path": name, "old_str": sent.get("old_str"), "new_str": new}
        case "insert":
            line = {"insert_line": sent.get("insert_line"), "insert_text": new}
            text_editor = {"command": "insert", "path": name} | line
        case _:
            return EditCall((name,), None, "text-editor")
    return EditCall((name,), json.dumps(text_editor), "text-editor")


def _read(name: str, output: str) -> ReadCall | None:
    """The lines that were shown with their numbers, one after the other."""
    found = [each.groups() for line in output.split("\n") if (each := _NUMBERED.match(line))]
    first = int(found[0][0]) if found else 0
    if [int(number) for number, _ in found] != [*range(first, first + len(found))] or not first:
        return None
    return ReadCall(name, first, tuple(line for _, line in found))
