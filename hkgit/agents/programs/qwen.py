"""Qwen Code. Its hooks (features/hooks of its manual) are worded as Claude Code's.

Its log is `~/.qwen/projects/*/chats/*.jsonl`, a sub-agent's `subagents/SESSION/agent-*.jsonl`
beside `chats`; its tools answer as Gemini's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.agents.agent import Agent, Log
from hkgit.agents.events import Did, ToolReading
from hkgit.agents.json_fields import parse_time, table, tables, text
from hkgit.agents.live_transcript import list_named_parts, make_attachment_finder, read_own_lines
from hkgit.agents.log_stores import find_projects
from hkgit.agents.logged_call import Line, LoggedCall, Record
from hkgit.agents.programs import claude, gemini
from hkgit.agents.tool_answers import find_range, searching, showing
from hkgit.agents.tools import Tool, editing, shell, telling
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.setup.settings import Part

NAME = "qwen"
LOG_NAME = "qwen-code"

EDITS: dict[str, Tool] = {
    "edit": telling(
        showing(
            editing("file_path", "old_string", "new_string", "replace_all"),
            gemini.get_words,
            find_range,
        ),
        gemini.tell_display,
    ),
    "write_file": telling(editing("file_path", "content"), gemini.tell_display),
}


def _run(arguments: JsonObject, answer: object) -> Did | None:
    output = gemini.strip_frame(gemini.get_words(answer))
    return shell("command", "directory")(arguments, output)


_SHELL = "run_shell_command"

LOOKS: dict[str, Tool] = {
    "read_file": gemini.read_lines,
    _SHELL: _run,
    "grep_search": searching(is_base=True, shown=gemini.get_words, naming=gemini.LISTED),
}


_NEW = '{\n  "$version": 4\n}\n'
"""Settings that do not name their version it rewrites, and what hooks start is a protected path."""


def _list_parts(command: str) -> list[Part]:
    from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, is_steering

    server: dict[str, object] = dict(MCP_SERVER)
    if is_steering(command):
        server["trust"] = True  # otherwise it asks at each call
    hooks = claude.hooks(command, [*EDITS, _SHELL, f"{claude.SERVER}.*"], [*EDITS, *LOOKS])
    hooks[claude.FAILED] = [{"matcher": _SHELL, "hooks": claude.hook_commands(command)}]
    settings = {"mcpServers": {"hkgit": server}, "hooks": hooks}
    owner = f"hkgit hook {NAME}"
    return [JsonPart(".qwen/settings.json", settings, _NEW, owner=owner)]


def _detects(record: Record) -> bool:
    return "sessionId" in record and "parts" in table(record.get("message"))


def _calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record]] = {}
    for line in lines:
        for number, read in enumerate(_list_attached(line.record)):
            number_of = f"{line.record.get('uuid')}.{number}"
            yield replace(_begin(line, line.record), id=number_of, did=read)
        for part in tables(table(line.record.get("message")).get("parts")):
            asked, answer = table(part.get("functionCall")), table(part.get("functionResponse"))
            if asked:
                pending[asked.get("id")] = line, asked
            elif answer.get("id") in pending and _has_succeeded(line.record, answer):
                yield _tell(*pending.pop(answer.get("id")), line.record, answer)


def _has_succeeded(record: Record, answer: Record) -> bool:
    """Whether a call has; of those of a sub-agent only the answer says it."""
    status = table(record.get("toolCallResult")).get("status")
    is_well = status is None and "error" not in table(answer.get("response"))
    return status == "success" or (is_well and record.get("isSidechain") is True)


def _list_attached(record: Record) -> Iterator[ToolReading]:
    """List the files that were in a prompt (`@file`)."""
    if record.get("type") == "user":
        yield from list_named_parts(table(record.get("message")).get("parts"))


_OLD_NAMES = {"replace": "edit"}
"""What its tools are called as well: a hook is told the new name."""


def _tell(asked: Line, call: Record, record: Record, answer: Record) -> LoggedCall:
    words = text(table(answer.get("response")).get("output")) or ""
    shown = table(record.get("toolCallResult")).get("resultDisplay")
    return replace(
        _begin(asked, record),
        id=str(call.get("id")),
        tool=_OLD_NAMES.get(str(call.get("name")), str(call.get("name"))),
        turn=text(asked.record.get("uuid")) or "",
        arguments=table(call.get("args")),
        answer={"llmContent": words, "returnDisplay": shown},
    )


def _begin(asked: Line, record: Record) -> LoggedCall:
    """What a line says of a call: where, when, by whom; a sub-agent has a log of its own."""
    session = text(record.get("sessionId")) or "unnamed"
    own = text(record.get("agentId")) if record.get("isSidechain") is True else None
    return LoggedCall(
        time=parse_time(record.get("timestamp")),
        conversation=f"{session[:18]}-{own}" if own else session,
        agent=f"{LOG_NAME}/{text(record.get('version')) or 'unknown'}",
        directory=text(record.get("cwd")) or "",
        where=asked.where,
    )


def _reword(payload: JsonObject) -> JsonObject:
    # Its transcript names calls as the model does.
    call = payload.get("tool_call_id") or payload.get("tool_use_id")
    return {**claude.reword_failure(payload), "tool_use_id": call}


AGENT = Agent(
    name=NAME,
    edit_tool="mcp__hkgit__edit",
    edits=EDITS,
    looks=LOOKS,
    server=claude.SERVER,
    denial=claude.DENIAL,
    note=claude.NOTE,
    reword=_reword,
    find_attached=make_attachment_finder(_list_attached, b"Content from "),
    read_earlier=read_own_lines,
    list_parts=_list_parts,
    logs=(Log(LOG_NAME, find_projects("QWEN_HOME", ".qwen"), _detects, _calls),),
    user_folder=("QWEN_HOME", "", ".qwen"),
    remaining=("let Qwen Code start the server: qwen mcp approve hkgit",),
)
