"""Cline. Its hooks are scripts: docs.cline.bot/customization/hooks.

The inputs are those of its command line. Its servers are in a file of the user's.

Its log is `~/.cline/data/sessions/ID/ID.messages.json`; beside the messages is `ID.json`, which
says where the session worked; those of its sub-agents are `ID/AGENT.messages.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

from hkgit.agents.agent import Agent, HookCommand, Settings
from hkgit.agents.events import END, Looks, Shell, ToolReading
from hkgit.agents.json_fields import parse_time, parse_value, table, tables, text
from hkgit.agents.log_files import Home, does_mention, read_attached
from hkgit.agents.logged_call import About, Log, LoggedAnswer, LoggedCall, Said, attach
from hkgit.agents.tool_answers import find_changed, name_by_heads, searching, showing
from hkgit.agents.tools import SAID, Tool, editing, patching, text_of, whole_number
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "cline"
_FOLDER = ".clinerules/hooks"
_SERVER = "hkgit__"


def _read(arguments: JsonObject, answer: object) -> Looks:
    """Files, and for each what is in its part of the answer."""
    looks = []
    for file, said in zip(_list(arguments.get("files")), _results(answer), strict=False):
        asked = file if isinstance(file, dict) else {"path": file}
        start, end = (whole_number(asked.get(name)) for name in ("start_line", "end_line"))
        if path := text(asked.get("path")):
            looks.append(ToolReading(path, max(start or 1, 1), END if end is None else end, said))
    return Looks(tuple(looks))


def _run(arguments: JsonObject, answer: object) -> Looks:
    """Commands, one after the other, and the output of each that has run."""
    commands = _list(arguments.get("commands", arguments.get("command")))
    pairs = zip(commands, chain(_results(answer), repeat("")), strict=False)
    return Looks(tuple(Shell(each, text) for each, text in pairs if isinstance(each, str)))


def _results(answer: object) -> Iterator[str]:
    return (text_of(table(each).get("result")) for each in _list(answer))


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else () if value is None else (value,)


def _join_results(answer: object) -> str:
    return "\n".join(_results(answer))


EDITS: dict[str, Tool] = {
    "editor": showing(
        editing("path", "old_text", "new_text", "insert_line"), _join_results, find_changed
    ),
    "apply_patch": patching("input"),
}
_LISTED = name_by_heads(r"([^\s].*):\d+:\d+", r"[> ] (\d+)(:) (.*)")


LOOKS: dict[str, Tool] = {
    "read_files": _read,
    "run_commands": _run,
    "search_codebase": searching("", is_base=False, shown=_join_results, naming=_LISTED),
}


def _build_settings(command: HookCommand) -> Settings:
    before, after = [*EDITS, "run_commands", _SERVER], [*EDITS, *LOOKS]
    rule = {".clinerules/hkgit.md": command.read_script("cline.md")}
    return {
        f"{_FOLDER}/PreToolUse": _build_script("may edit", before, command),
        f"{_FOLDER}/PostToolUse": _build_script("read or edit", after, command),
        **(rule if command.is_steering else {}),
    }


def _build_script(do: str, tools: Sequence[str], command: HookCommand) -> str:
    patterns = "|".join(f"""*'"toolName":"{tool}'*""" for tool in tools)
    run = replace(command, is_steering=False).guard_in_time()
    return command.read_script("cline.sh", do=do, tools=patterns, run=run)


def _reword(payload: JsonObject) -> JsonObject | None:
    """Name the session: that of a conversation taken up again, or a sub-agent's own."""
    is_before = payload.get("hookName") == "tool_call"
    call = table(payload.get("tool_call" if is_before else "tool_result"))
    roots = [*_list(payload.get("workspaceRoots")), None]
    root = table(payload.get("sessionContext")).get("rootSessionId")
    if call.get("error"):
        return None
    said = {
        "hook_event_name": "PreToolUse" if is_before else "PostToolUse",
        "tool_name": call.get("name"),
        "tool_input": call.get("input"),
        "tool_response": call.get("output"),
        "session_id": root or payload.get("taskId"),
        "cwd": roots[0],
        "turn": payload.get("iteration"),
    }
    if payload.get("parent_agent_id"):
        return said | {"agent_id": payload.get("agent_id")}
    if not isinstance(root, str):
        return said
    place = _HOME.find() / f"data/sessions/{root}/{root}{_SUFFIX}"
    return said | {"transcript_path": str(place)}


_HOME = Home("CLINE_DIR", ".cline")
_SUFFIX = ".messages.json"


def _read_session(path: Path) -> Iterator[Said]:
    """Read what the messages of a session say, and what is said of it. Raises OSError."""
    beside, record = _find_about(path), parse_value(path.read_bytes())
    info = table(parse_value(beside.read_bytes()) if beside.is_file() else None)
    if not isinstance(record, dict):
        raise OSError("its messages are cut short")
    origin = table(table(info.get("metadata")).get("sessionHistoryOrigin"))
    stem = path.name.removesuffix(_SUFFIX)
    own = info.get("session_id") if beside.stem == stem else stem  # a sub-agent's
    about = About(
        f"{path.name}:1",
        conversation=text(own) or text(record.get("sessionId")) or "",
        version=text(origin.get("version")) or "unknown",
        directory=text(info.get("cwd")) or "",
    )
    edits: set[str] = set()
    for message in tables(record.get("messages")):
        yield replace(about, time=parse_time(message.get("ts")), turn=str(message.get("id")))
        for part in tables(message.get("content")):
            call = str(part.get("tool_use_id", part.get("id")))
            if part.get("type") == "file":  # of a prompt (`@file`)
                read = read_attached(part.get("path"), part.get("content"))
                yield from attach(f"{message.get('id')}.{part.get('path')}", read)
            elif part.get("type") == "tool_use":
                edits |= {call} if str(part.get("name")) in EDITS else set()
                yield LoggedCall.of(part, "input")
            elif part.get("type") == "tool_result":
                answer = part.get("content")  # it may be told as text
                results = parse_value(answer) if isinstance(answer, str) else answer
                is_well = all(each.get("success") is True for each in tables(results))
                yield LoggedAnswer(call, results, has_failed=call in edits and not is_well)


def _find_about(path: Path) -> Path:
    """Find what is said of a session; a sub-agent's messages are beside those of its agent."""
    own = path.with_name(path.name.removesuffix(_SUFFIX) + ".json")
    return own if own.is_file() else path.with_name(f"{path.parent.name}.json")


AGENT = Agent(
    name=NAME,
    server=_SERVER,
    edits=EDITS,
    looks=LOOKS,
    denial={"cancel": True, "errorMessage": SAID},
    note={"cancel": False, "contextModification": SAID},
    reword=_reword,
    settings=_build_settings,
    logs=(
        Log(
            NAME,
            _HOME.logs(
                f"data/sessions/*/*{_SUFFIX}",
                lambda path, roots: does_mention(_find_about(path), roots),
            ),
            attached=(b'"file"',),
            suffix=_SUFFIX,
            read=_read_session,
        ),
    ),
    remaining=(
        'let Cline start the server: "hkgit": {"command": "hkgit", "args": ["mcp"]}'
        " in mcpServers of ~/.cline/data/settings/cline_mcp_settings.json",
    ),
)
