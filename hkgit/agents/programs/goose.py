"""goose. Its hooks are in a plugin: goose-docs.ai, guides, context engineering.

They are not told what a tool has answered; its database of sessions has it by the next call:
`~/.local/share/goose/sessions/sessions.db`. It keeps each message as JSON; a call and its answer
have one id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hkgit.agents.agent import Agent, HookCommand, Keys, Settings
from hkgit.agents.events import HOOK_SECONDS, Editing, Looks, Shell
from hkgit.agents.json_fields import join_texts, parse_time, parse_value, table, tables
from hkgit.agents.log_files import Home, ask, knows_directory
from hkgit.agents.logged_call import About, Log, LoggedAnswer, LoggedCall, Said
from hkgit.agents.tools import SAID, Tool, editing, hide_output, shell, write_edit
from hkgit.edits import encode_text
from hkgit.git.goose_shell import find_goose_database, find_goose_start
from hkgit.text.hashes import digest
from hkgit.text.strict_json import JsonObject

NAME = "goose"
_SERVER = "hkgit__"
_FOLDER = ".agents/plugins/hkgit"
_BUILTIN = "^((developer|summon)__)?"
"""Once before the names of goose's own tools."""


def _edit(arguments: JsonObject, answer: object) -> Editing | None:
    path, old, new = (arguments.get(name) for name in ("path", "before", "after"))
    return write_edit(file_path=path, old_string=old, new_string=new) if path else None


EDITS: dict[str, Tool] = {"edit": _edit, "write": editing("path", "content")}


LOOKS: dict[str, Tool] = {
    "shell": hide_output(shell("command")),
    # A sub-agent, of whose calls no hook is told: what it changes is as if a command had.
    "delegate": hide_output(
        lambda given, answer: Shell(f"delegate {digest(encode_text(json.dumps(given)))}", "")
    ),
}


def _build_settings(command: HookCommand) -> Settings:
    run = {"type": "command", "command": command.guard_in_time(), "timeout": HOOK_SECONDS}
    groups = {
        "PreToolUse": [_rule([*EDITS, *LOOKS, f"{_SERVER}.*"], run)],
        "PostToolUse": [_rule([*EDITS, *LOOKS], run)],
        "PostToolUseFailure": [_rule([*LOOKS], run)],
        "Stop": [{"hooks": [run]}],
    }
    about = {"name": "hkgit", "version": "1.0.0", "description": "Evidence for commits"}
    return {f"{_FOLDER}/plugin.json": about, f"{_FOLDER}/hooks/hooks.json": {"hooks": groups}}


def _rule(tools: Sequence[str], run: JsonObject) -> JsonObject:
    return {"matcher": f"{_BUILTIN}({'|'.join(tools)})$", "hooks": [run]}


def _reword(payload: JsonObject) -> JsonObject:
    """Name a conversation, and a tool, as it is named here; at the end of a turn there is none."""
    stage = payload.get("event")
    return {
        **payload,
        "event": stage if stage == "PreToolUse" else "after",
        "tool_name": _name_tool(payload.get("tool_name")),
        "session_id": _name_session(payload.get("session_id")),
        "transcript_path": str(find_goose_database() / str(payload.get("session_id"))),
        **({"tool_name": "Stop", "tool_input": {}} if stage == "Stop" else {}),
    }


def _name_tool(given: object) -> str:
    return re.sub(_BUILTIN, "", str(given or ""))


def _name_session(given: object) -> object:
    """Name a conversation by its id and its beginning, as with a fresh home the ids recur."""
    start = find_goose_start(given) if isinstance(given, str) else None
    return given if start is None else f"{given}-{digest(encode_text(start))[:8]}"


_MESSAGES = """
    select messages.id, session_id, working_dir, created_timestamp, content_json
    from messages join sessions on sessions.id = session_id where :session in ('', session_id)
    order by messages.id
"""
_LAST_MESSAGES = """
    select content_json from messages where session_id = :session order by id desc limit 64
"""
"""So many are looked through, from the last one of a session on."""


def _find_logs(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """One database for all projects."""
    path = find_goose_database(environment, home)
    if path.is_file() and knows_directory(path, roots, "select working_dir from sessions"):
        yield path


def _read_database(place: Path) -> Iterator[Said]:
    """Read what the messages in a database say, of one session or of all. Raises OSError."""
    for row, session, directory, time, content in ask(place, _MESSAGES):
        where = f"{place.name}:{row}"
        yield About(
            where,
            time=parse_time(time) * 1000,
            conversation=str(session),
            directory=str(directory),
            turn=where,
        )
        for part in tables(parse_value(str(content))):
            number, call = str(part.get("id")), table(table(part.get("toolCall")).get("value"))
            if part.get("type") == "toolRequest":
                tool = _name_tool(call.get("name"))
                yield LoggedCall(number, tool, table(call.get("arguments")))
            elif part.get("type") == "toolResponse":
                result = table(part.get("toolResult"))
                answer = table(result.get("value"))
                has_failed = result.get("status") == "error" or answer.get("isError") is True
                said = join_texts(answer.get("content"))
                yield LoggedAnswer(number, said, has_failed=has_failed)


def _find_output(transcript: Path, call: str) -> str | None:
    """Find the answer of a call as the model got it; None if the database lacks it (yet).

    The transcript is the database's path, and the session's name below it.
    """
    with suppress(OSError):
        for (content,) in ask(transcript, _LAST_MESSAGES):
            for part in tables(parse_value(str(content))):
                result = table(table(part.get("toolResult")).get("value"))
                if part.get("id") == call and "content" in result:
                    return join_texts(result["content"])
    return None


AGENT = Agent(
    name=NAME,
    server=_SERVER,
    edits=EDITS,
    looks={**LOOKS, "Stop": lambda arguments, answer: Looks(())},
    denial={"decision": "block", "reason": SAID},
    note=None,  # after a call goose ignores what a hook says
    keys=Keys(stage="event", after="after", directory="working_dir", call="tool_call_id"),
    reword=_reword,
    find_output=_find_output,
    learns_earlier=True,
    settings=_build_settings,
    logs=(Log(NAME, _find_logs, suffix="/sessions.db", read=_read_database),),
    user_folder=Home("", ".agents"),
    remaining=(
        "let goose start the server, with `goose configure` or each time:"
        " goose run --with-extension 'hkgit mcp'",
    ),
)
