"""pi (pi.dev). Its hooks are functions of an extension: docs/extensions.md of its package.

It has no servers. To steer it the extension turns its `edit` and `write` off, gives it a
`change_file` that takes tags of lines, a `read` that shows them, and `grep`, as pi-hh-read does.

Its log is `~/.pi/agent/sessions/*/*.jsonl`. A call is in a message of the assistant, its answer
in a message of its own; of an edit that shows the changed lines behind their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hkgit.agents.agent import Agent, HookCommand, Settings
from hkgit.agents.events import ToolReading
from hkgit.agents.json_fields import join_texts, table, tables, text
from hkgit.agents.log_files import Home, read_attached
from hkgit.agents.logged_call import Line, Log, LoggedAnswer, LoggedCall, Said, attach
from hkgit.agents.programs import opencode
from hkgit.agents.tool_answers import searching
from hkgit.agents.tools import Tool, editing, reading, shell, text_of
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "pi"

EDITS: dict[str, Tool] = {
    "edit": editing("path", "edits", "oldText", "newText"),
    "write": editing("path", "content"),
}


def _close_gaps(answer: str) -> list[str]:
    """Split an answer that has a space behind each number into lines without that space."""
    return re.sub(r"(?m)^(.+?)([:-])(\d+)\2 ", r"\1\2\3\2", answer).split("\n")


LOOKS: dict[str, Tool] = {
    "read": reading("path"),
    "bash": shell("command"),
    "grep": searching(is_base=True, naming=_close_gaps),
}


def _build_settings(command: HookCommand) -> Settings:
    of_user = command.is_of_user
    values = {"user": of_user, "more": " --user" if of_user else ""}
    names = ["pi.js", "spawn.js", *(["pi_steering.js"] if command.is_steering else [])]
    script = replace(command, is_steering=False).read_script(*names, **values)
    script += "" if command.is_steering else "\nfunction steer() {}\n"
    return {".pi/extensions/hkgit.js": script}


_SHOWN = (
    r'(?s)<file name="([^"\n]+)">\n(.*?)\n</file>',
    r'(?s)<project_instructions path="([^"\n]+)">\n(.*?)\n</project_instructions>',
)


def _list_attached(message: JsonObject) -> Iterator[ToolReading]:
    """List the files that are in a prompt (`@file`), or among its instructions (AGENTS.md)."""
    if message.get("role") in ("user", "system"):
        said = text_of([message.get("content"), message.get("sections")])
        for path, content in (found for form in _SHOWN for found in re.findall(form, said)):
            yield from read_attached(path, content)


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    for line in lines:
        record, message = line.record, table(line.record.get("message"))
        head = record if record.get("type") == "session" else {}
        is_answer = message.get("role") == "assistant"
        yield line.about(
            time=message.get("timestamp"),
            conversation=head.get("id"),
            directory=head.get("cwd"),
            turn=(text(record.get("id")) or line.where) if is_answer else "",
        )
        yield from attach(record.get("id") or line.where, _list_attached(message))
        for call in tables(message.get("content")) if is_answer else ():
            yield LoggedCall.of(call, "arguments")
        if message.get("role") == "toolResult":
            said, has_failed = join_texts(message.get("content")), message.get("isError") is True
            yield LoggedAnswer(str(message.get("toolCallId")), said, has_failed=has_failed)


_HOME = Home("PI_CODING_AGENT_DIR", ".pi/agent")

AGENT = Agent(
    name=NAME,
    own_edit="change_file",
    edits=EDITS,
    looks=LOOKS,
    denial=opencode.DENIAL,
    note=opencode.NOTE,
    keys=opencode.KEYS,
    learns_earlier=True,
    settings=_build_settings,
    logs=(
        Log(
            NAME,
            _HOME.logs("sessions/*/*.jsonl"),
            lambda line: line.get("type") == "session" and {"cwd", "version"} <= {*line},
            _says,
            attached=(b"<file name=", b"<project_instructions "),
        ),
    ),
    user_folder=_HOME,
    remaining=(
        "trust this folder when pi asks: until then it loads no extension of a project,"
        " and with -p it does not ask: pi --approve",
    ),
)
