"""OpenCode. Its hooks are functions of a plugin: opencode.ai/docs/plugins.

Its log is the database `~/.local/share/opencode/opencode.db`, or `opencode export`. Each part of a
message that is a call of a tool is told as one line, beside its session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from hkgit.agents.agent import Agent, HookCommand, Keys, Settings
from hkgit.agents.json_fields import parse_time, parse_value, table, tables, text
from hkgit.agents.log_files import Home, ask, knows_directory
from hkgit.agents.logged_call import Line, Log, LoggedCall, Said
from hkgit.agents.logged_diffs import parse_diff
from hkgit.agents.tool_answers import name_by_heads, searching
from hkgit.agents.tools import SAID, Tool, editing, patching, reading, shell
from hkgit.text.strict_json import JsonObject

SERVER = "hkgit_"
DENIAL: JsonObject = {"deny": SAID}
NOTE: JsonObject = {"remark": SAID}
KEYS = Keys(before="before", after="after")
"""How functions of plugins report calls."""

EDITS: dict[str, Tool] = {
    "edit": editing("filePath", "oldString", "newString", "replaceAll"),
    "write": editing("filePath", "content"),
    "apply_patch": patching("patchText"),
    "patch": patching("patchText"),
}
_LISTED = name_by_heads(r"([^\s].*):", r"  (?:\[\w+\] )?Line (\d+)(:) (.*)")

LOOKS: dict[str, Tool] = {
    "read": reading("filePath"),
    "bash": shell("command", "workdir"),
    "grep": searching(is_base=False, naming=_LISTED),
}


def _build_settings(command: HookCommand, agent: str) -> Settings:
    server = {"type": "local", "command": ["hkgit", "mcp"], "enabled": True}
    values = {"agent": agent, "tools": [*EDITS, *LOOKS], "edits": [*EDITS, "bash"]}
    plugin = command.read_script("opencode.js", "spawn.js", **values)
    return {f"{agent}.json": {"mcp": {"hkgit": server}}, f".{agent}/plugins/hkgit.js": plugin}


_CALLS = """
    select part.id, message_id, part.time_created, session.id, session.directory, session.version,
    part.data from part join session on session.id = part.session_id
    where :session in ('', session.id)
    and (json_extract(part.data, '$.type') = 'tool' or json_extract(part.data, '$.synthetic'))
    order by part.time_created, part.id
"""


def _list_parts(place: Path) -> Iterator[Line]:
    """List the calls in a database, of one session or of all. Raises OSError."""
    for number, message, created, session, directory, version, data in ask(place, _CALLS):
        about = {"id": number, "messageID": message, "created": created}
        part = table(parse_value(str(data))) | about
        info = {"id": session, "directory": directory, "version": version}
        yield Line(f"{place.name}:{number}", {"info": info, "messages": [{"parts": [part]}]})


_ATTACHED = "Called the Read tool with the following input: "
"""What is before a file in a prompt."""


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    asked: dict[str, JsonObject] = {}
    for line in lines:
        info = table(line.record.get("info"))
        yield line.about(
            conversation=info.get("id"),
            version=info.get("version") or "unknown",
            directory=info.get("directory"),
        )
        for message in tables(line.record.get("messages")):
            for part in tables(message.get("parts")):
                yield from _read_part(part, asked)


def _read_part(part: JsonObject, asked: dict[str, JsonObject]) -> Iterator[LoggedCall]:
    """Read a call that is over, or the second of two parts that show a file of a prompt."""
    said, message = text(part.get("text")) or "", str(part.get("messageID"))
    if table(part.get("state")).get("status") == "completed":
        yield _tell(part)
    elif part.get("synthetic") is True and said.startswith(_ATTACHED):
        asked[message] = table(parse_value(said.removeprefix(_ATTACHED)))
    elif part.get("synthetic") is True and message in asked:
        read, time = LOOKS["read"](asked.pop(message), said), parse_time(part.get("created"))
        yield LoggedCall(str(part.get("id")), "read", did=read, time=time)


def _tell(part: JsonObject) -> LoggedCall:
    state, tool = table(part.get("state")), str(part.get("tool"))
    about = table(state.get("metadata"))
    return LoggedCall(
        str(part.get("callID")),
        tool,
        table(state.get("input")),
        text(state.get("output")) or "",
        time=parse_time(table(state.get("time")).get("end")),
        turn=text(part.get("messageID")) or "",
        is_new=about.get("exists") is False,
        hunks=parse_diff(text(about.get("diff"))) if tool == "edit" else (),
    )


def describe(name: str, schema: str, suffix: str) -> Agent:
    """Describe OpenCode or a fork of it, whose files are named after it."""
    home = Home("XDG_DATA_HOME", ".local/share", name)
    is_of = partial(knows_directory, question="select directory from session")

    def reword(payload: JsonObject) -> JsonObject:
        """Name the part of the database that is the transcript."""
        place = home.find() / f"{name}.db" / str(payload.get(KEYS.session))
        return {**payload, KEYS.transcript: str(place)}

    return Agent(
        name=name,
        server=SERVER,
        edits=EDITS,
        looks=LOOKS,
        denial=DENIAL,
        note=NOTE,
        keys=KEYS,
        reword=reword,
        learns_earlier=True,
        settings=lambda command: _build_settings(command, name),
        # As it would itself make of an empty file, in the midst of its work.
        new_settings={f"{name}.json": {"$schema": schema}},
        logs=(
            Log(
                name,
                home.logs(f"{name}*.db", is_of),
                # An exported session is one line.
                lambda line: "directory" in table(line.get("info")) and "messages" in line,
                _says,
                attached=(b"synthetic",),
                suffix=suffix,
                read=lambda place: _says(_list_parts(place)),
            ),
        ),
    )


AGENT = describe("opencode", "https://opencode.ai/config.json", ".db")
