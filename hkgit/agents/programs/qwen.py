"""Qwen Code. Its hooks (features/hooks of its manual) are worded as Claude Code's.

Its log is `~/.qwen/projects/*/chats/*.jsonl`, a sub-agent's `subagents/SESSION/agent-*.jsonl`
beside `chats`; its tools answer as Gemini's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.agents.agent import MCP_SERVER, Agent, HookCommand, Settings
from hkgit.agents.json_fields import table, tables, text
from hkgit.agents.log_files import Home, is_named_after, list_named_parts
from hkgit.agents.logged_call import Line, Log, LoggedAnswer, LoggedCall, Said, attach
from hkgit.agents.programs import claude, gemini
from hkgit.agents.tool_answers import find_range, searching, showing
from hkgit.agents.tools import Tool, editing, shell, telling
from hkgit.text.strict_json import JsonObject

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


_SHELL = "run_shell_command"

LOOKS: dict[str, Tool] = {
    "read_file": gemini.read_lines,
    _SHELL: shell("command", "directory", lambda said: gemini.strip_frame(gemini.get_words(said))),
    "grep_search": searching(is_base=True, shown=gemini.get_words, naming=gemini.LISTED),
}

_HOME = Home("QWEN_HOME", ".qwen")
_SETTINGS = ".qwen/settings.json"
_NEW = {_SETTINGS: {"$version": 4}}
"""Settings that do not name their version it rewrites, and what hooks start is a protected path."""


def _build_settings(command: HookCommand) -> Settings:
    # Otherwise it asks at each call.
    server = MCP_SERVER | ({"trust": True} if command.is_steering else {})
    hooks = claude.hooks(command, [*EDITS, _SHELL, f"{claude.SERVER}.*"], [*EDITS, *LOOKS])
    hooks[claude.FAILED] = [{"matcher": _SHELL, "hooks": claude.hook_commands(command)}]
    return {_SETTINGS: {"mcpServers": {"hkgit": server}, "hooks": hooks}}


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    """Yield what each line says; a sub-agent has a log of its own."""
    for line in lines:
        record, kind = line.record, line.record.get("type")
        is_own = record.get("isSidechain") is True
        yield line.about(
            conversation=record.get("sessionId"),
            reader=record.get("agentId") if is_own else None,
            version=record.get("version"),
            directory=record.get("cwd"),
            turn=record.get("uuid") if kind == "assistant" else "",
        )
        parts = table(record.get("message")).get("parts")
        if kind == "user":
            yield from attach(record.get("uuid") or line.where, list_named_parts(parts))
        for part in tables(parts):
            asked, answer = table(part.get("functionCall")), table(part.get("functionResponse"))
            if asked:
                yield LoggedCall.of(asked, "args")
            elif answer and _has_succeeded(record, answer):
                words = text(table(answer.get("response")).get("output")) or ""
                shown = table(record.get("toolCallResult")).get("resultDisplay")
                said = {"llmContent": words, "returnDisplay": shown}
                yield LoggedAnswer(str(answer.get("id")), said)


def _has_succeeded(record: JsonObject, answer: JsonObject) -> bool:
    """Whether a call has; of those of a sub-agent only the answer says it."""
    status = table(record.get("toolCallResult")).get("status")
    is_well = status is None and "error" not in table(answer.get("response"))
    return status == "success" or (is_well and record.get("isSidechain") is True)


def _reword(payload: JsonObject) -> JsonObject:
    # Its transcript names calls as the model does.
    call = payload.get("tool_call_id") or payload.get("tool_use_id")
    return {**claude.reword_failure(payload), "tool_use_id": call}


AGENT = Agent(
    name="qwen",
    edits=EDITS | {"replace": EDITS["edit"]},  # the old name, in logs alone
    looks=LOOKS,
    server=claude.SERVER,
    denial=claude.DENIAL,
    note=claude.NOTE,
    reword=_reword,
    learns_earlier=True,
    settings=_build_settings,
    new_settings=_NEW,
    logs=(
        Log(
            "qwen-code",
            _HOME.logs("projects/*/**/*.jsonl", is_named_after),
            lambda line: "sessionId" in line and "parts" in table(line.get("message")),
            _says,
            attached=(b"Content from ",),
        ),
    ),
    user_folder=_HOME,
    remaining=("let Qwen Code start the server: qwen mcp approve hkgit",),
)
