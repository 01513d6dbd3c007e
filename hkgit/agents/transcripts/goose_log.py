"""goose: its database `~/.local/share/goose/sessions/sessions.db`.

Each message is told as one line, beside its session; a call and its answer have one id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hkgit.agents.hooks import goose
from hkgit.agents.transcripts.json_fields import (
    Line,
    Record,
    join_texts,
    parse_value,
    table,
    tables,
    text,
)
from hkgit.agents.transcripts.logged_call import LoggedCall, run_tool
from hkgit.agents.transcripts.opencode_log import knows_directory, open_to_read

NAME = "goose"
DATABASE = "sessions.db"

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
    return "goose" in table(record.get("info"))


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        info = table(line.record.get("info"))
        for part in tables(line.record.get("content")):
            key = info.get("goose"), part.get("id")
            if part.get("type") == "toolRequest":
                pending[key] = line, table(table(part.get("toolCall")).get("value"))
            elif part.get("type") == "toolResponse" and key in pending:
                answer = _read_answer(table(part.get("toolResult")))
                yield from _call(info, str(part.get("id")), *pending.pop(key), answer)


def _read_answer(result: Record) -> Record:
    """Read what came of a call."""
    answer = table(result.get("value"))
    return answer | {"isError": True} if result.get("status") == "error" else answer


def _call(info: Record, id: str, asked: Line, call: Record, answer: Record) -> Iterator[LoggedCall]:
    tool, time = str(call.get("name")).removeprefix("developer__"), info.get("time")
    sent, output = table(call.get("arguments")), join_texts(answer.get("content"))
    did = run_tool(goose.EDITS | goose.LOOKS, tool, sent, output)
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
