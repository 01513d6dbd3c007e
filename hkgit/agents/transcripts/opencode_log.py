"""OpenCode: its database `~/.local/share/opencode/opencode.db`, or `opencode export`.

Each part of a message that is a call of a tool is told as one line, beside its session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hkgit.agents.events import Shell
from hkgit.agents.hooks import opencode
from hkgit.agents.transcripts.json_fields import Line, Record, parse_value, table, tables, text
from hkgit.agents.transcripts.log_diffs import parse_diff
from hkgit.agents.transcripts.logged_call import (
    EditCall,
    LoggedCall,
    ReadCall,
    run_tool,
)

NAME = "opencode"
FORKS = ("kilo",)
"""Programs that keep the same database under a name of their own."""

_CALLS = """
    select part.id, message_id, session.id, session.directory, session.version, part.data
    from part join session on session.id = part.session_id
    where json_extract(part.data, '$.type') = 'tool' order by part.time_created, part.id
"""


def knows_any(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a database has a session that worked in one of some directories or below it."""
    return knows_directory(path, "select directory from session", roots)


def knows_directory(path: Path, question: str, roots: Sequence[Path]) -> bool:
    """Whether a database answers with one of some directories, or one below it."""
    names = [str(root) for root in roots]
    try:
        with closing(open_to_read(path)) as database:
            found = [str(each) for (each,) in database.execute(question)]
    except sqlite3.Error:
        return False
    return any(f"{each}/".startswith(f"{name}/") for each in found for name in names)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a database for reading alone, while the agent may write to it."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def read_database(path: Path) -> Iterator[Line]:
    """Read the calls in a database as lines of a log. Raises OSError where it cannot be read."""
    try:
        with closing(open_to_read(path)) as database:
            for part, message, session, directory, version, data in database.execute(_CALLS):
                about = {"sessionID": session, "directory": directory, "version": version}
                about["agent"] = path.stem if path.stem in FORKS else NAME
                called = {**table(parse_value(data)), "messageID": message}
                yield Line(f"{path.name}:{part}", {"info": about, "part": called})
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def detects(record: Record) -> bool:
    """Whether a line is of such a log: of the database, or a whole exported session."""
    info = table(record.get("info"))
    return "directory" in info and ("part" in record or "messages" in record)


def calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in order."""
    for line in lines:
        info = table(line.record.get("info"))
        messages = tables(line.record.get("messages"))
        parts = (part for message in messages for part in tables(message.get("parts")))
        for part in (table(line.record.get("part")), *parts):
            yield from _call(line, info, part)


def _call(line: Line, info: Record, part: Record) -> Iterator[LoggedCall]:
    state = table(part.get("state"))
    if state.get("status") != "completed":
        return
    did = _did(str(part.get("tool")), table(state.get("input")), state)
    if did is None:
        return
    ended = table(state.get("time")).get("end")
    yield LoggedCall(
        time=ended if isinstance(ended, int) else 0,
        conversation=text(info.get("sessionID")) or text(info.get("id")) or "unnamed",
        agent=f"{text(info.get('agent')) or NAME}/{text(info.get('version')) or 'unknown'}",
        directory=text(info.get("directory")) or "",
        where=line.where,
        id=str(part.get("callID")),
        tool=str(part.get("tool")),
        did=did,
        turn=text(part.get("messageID")) or "",
    )


def _did(tool: str, sent: Record, state: Record) -> ReadCall | EditCall | Shell | None:
    metadata, name = table(state.get("metadata")), text(sent.get("filePath"))
    output = text(state.get("output")) or ""
    if tool == "read":
        return None if name is None else _read(name, table(metadata.get("display")))
    return run_tool(
        opencode.EDITS | opencode.LOOKS,
        tool,
        sent,
        output,
        is_new=metadata.get("exists") is False,
        hunks=parse_diff(text(metadata.get("diff"))) if tool == "edit" else (),
    )


def _read(name: str, shown: Record) -> ReadCall | None:
    content, start = text(shown.get("text")), shown.get("lineStart")
    if shown.get("type") != "file" or content is None or not isinstance(start, int):
        return None
    return ReadCall(name, max(start, 1), tuple(content.split("\n")))
