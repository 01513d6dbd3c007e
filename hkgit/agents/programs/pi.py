"""pi (pi.dev). Its hooks are functions of an extension: docs/extensions.md of its package.

It has no servers. To steer it the extension turns its `edit` and `write` off, gives it a
`change_file` that takes tags of lines, a `read` that shows them, and `grep`, as pi-hh-read does.

Its log is `~/.pi/agent/sessions/*/*.jsonl`. A call is in a message of the assistant, its answer
in a message of its own; of an edit that shows the changed lines behind their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hkgit.agents.agent import Agent, Log
from hkgit.agents.events import ToolReading
from hkgit.agents.json_fields import join_texts, parse_time, table, tables, text
from hkgit.agents.live_transcript import make_attachment_finder, read_attached, read_own_lines
from hkgit.agents.log_stores import find_mentions
from hkgit.agents.logged_call import Line, LoggedCall, Record
from hkgit.agents.programs import opencode
from hkgit.agents.tool_answers import close_gaps, searching
from hkgit.agents.tools import Tool, editing, reading, shell, text_of
from hkgit.text.hashes import add_stamp
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.setup.settings import Part

NAME = "pi"

EDITS: dict[str, Tool] = {
    "edit": editing("path", "edits", "oldText", "newText"),
    "write": editing("path", "content"),
}
LOOKS: dict[str, Tool] = {
    "read": reading("path"),
    "bash": shell("command"),
    "grep": searching(is_base=True, shown=text_of, naming=close_gaps),
}


def _list_parts(command: str) -> list[Part]:
    from hkgit.agents.setup.settings import FilePart, is_of_user, is_steering, read_script

    of_user = is_of_user(command)
    values = {"user": of_user, "more": " --user" if of_user else ""}
    names = ["pi.js", "spawn.js", *(["pi_steering.js"] if is_steering(command) else [])]
    text = read_script(command.removesuffix(" --steer"), *names, **values)
    text += "" if is_steering(command) else "\nfunction steer() {}\n"
    return [FilePart(".pi/extensions/hkgit.js", add_stamp(text, "//"))]


def _detects(record: Record) -> bool:
    return record.get("type") == "session" and "cwd" in record and "version" in record


_SHOWN = (
    r'(?s)<file name="([^"\n]+)">\n(.*?)\n</file>',
    r'(?s)<project_instructions path="([^"\n]+)">\n(.*?)\n</project_instructions>',
)


def _list_attached(record: Record) -> Iterator[ToolReading]:
    """List the files that are in a prompt (`@file`), or among its instructions (AGENTS.md)."""
    message = table(record.get("message"))
    if message.get("role") in ("user", "system"):
        said = text_of([message.get("content"), message.get("sections")])
        for path, content in (found for form in _SHOWN for found in re.findall(form, said)):
            yield from read_attached(path, content)


def _calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    session: Record = {}
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        if line.record.get("type") == "session":
            session = line.record
        for number, read in enumerate(_list_attached(line.record)):
            attached = _begin(session, line)
            yield replace(attached, id=f"{line.record.get('id')}.{number}", did=read)
        message = table(line.record.get("message"))
        if message.get("role") == "assistant":
            for part in tables(message.get("content")):
                pending[part.get("id")] = line, part
        elif message.get("role") == "toolResult" and message.get("toolCallId") in pending:
            asked, call = pending.pop(message.get("toolCallId"))
            if message.get("isError") is not True or call.get("name") == "bash":
                yield _tell(session, asked, call, message)


def _tell(session: Record, asked: Line, call: Record, answer: Record) -> LoggedCall:
    return replace(
        _begin(session, asked),
        time=parse_time(answer.get("timestamp")),
        id=str(call.get("id")),
        tool=str(call.get("name")),
        turn=text(asked.record.get("id")) or asked.where,
        arguments=table(call.get("arguments")),
        answer=join_texts(answer.get("content")),
    )


def _begin(session: Record, line: Line) -> LoggedCall:
    """What a line says of a call: where, when, in which session."""
    return LoggedCall(
        time=parse_time(line.record.get("timestamp")),
        conversation=text(session.get("id")) or "unnamed",
        agent=NAME,
        directory=text(session.get("cwd")) or "",
        where=line.where,
    )


AGENT = Agent(
    name=NAME,
    edit_tool="change_file",
    edits=EDITS,
    looks=LOOKS,
    denial=opencode.DENIAL,
    note=opencode.NOTE,
    keys=opencode.KEYS,
    find_attached=make_attachment_finder(_list_attached, b"<file name=", b"<project_instructions "),
    read_earlier=read_own_lines,
    list_parts=_list_parts,
    logs=(
        Log(
            NAME,
            find_mentions("PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*/*.jsonl"),
            _detects,
            _calls,
        ),
    ),
    user_folder=("PI_CODING_AGENT_DIR", "", ".pi/agent"),
    remaining=(
        "trust this folder when pi asks: until then it loads no extension of a project,"
        " and with -p it does not ask: pi --approve",
    ),
)
