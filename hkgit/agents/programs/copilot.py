"""GitHub Copilot, in the terminal and in the cloud: .github/hooks/*.json.

docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference; its payload names
no event: what has a result is over. Servers: the terminal reads .mcp.json, VS Code its own.

Its log is `~/.copilot/session-state/*/events.jsonl`. A call is told by `tool.execution_start` and
`tool.execution_complete`; of an edit the latter shows a diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hkgit.agents.agent import MCP_SERVER, POWERSHELL, Agent, HookCommand, Settings
from hkgit.agents.events import END, HOOK_SECONDS, ToolReading
from hkgit.agents.json_fields import parse_value, table, tables, text
from hkgit.agents.log_files import Home, find_last_turn, list_lines_back, wait_for_turn
from hkgit.agents.logged_call import Line, Log, LoggedAnswer, LoggedCall, Said, name_conversation
from hkgit.agents.tool_answers import name_by_heads, searching
from hkgit.agents.tools import SAID, Tool, editing, patching, shell, text_of, whole_number
from hkgit.text.strict_json import JsonObject

EDITS: dict[str, Tool] = {
    "edit": editing("path", "old_str", "new_str", command="str_replace"),
    "create": editing("path", "file_text", command="create"),
    "apply_patch": patching("patch", "input", "command"),
}


def _view(arguments: JsonObject, answer: object) -> ToolReading | None:
    """The lines of a file that are asked for; a large file's answer holds none of them."""
    path, lines, shown = arguments.get("path"), arguments.get("view_range"), _text(answer)
    if not isinstance(path, str):
        return None
    if not isinstance(lines, list) or len(lines) != 2:
        return ToolReading(path, 1, END, shown)
    first, last = (whole_number(each) or 1 for each in lines)
    return ToolReading(path, max(first, 1), last if last >= first else END, shown)


def _text(answer: object) -> str:
    """What the model is shown of an answer."""
    return text_of(table(answer).get("textResultForLlm"))


_LISTED = name_by_heads(r"([^\s].*) \(\d+ match\(es\)\):", r"  (\d+)([:-]) (.*)")
"""Its answer to a search with many hits; of a few it shows the lines as rg prints them."""

LOOKS: dict[str, Tool] = {
    "view": _view,
    "bash": shell("command"),
    "grep": searching(is_base=False, shown=_text, naming=_LISTED),
}


def _build_settings(command: HookCommand) -> Settings:
    quiet = f"{POWERSHELL}-ErrorAction SilentlyContinue) {{ {command} }}; exit 0"
    call = {"type": "command", "bash": command.guard_in_time(), "powershell": quiet}
    run = [{**call, "timeoutSec": HOOK_SECONDS}]
    hooks = {"version": 1, "hooks": {"preToolUse": run, "postToolUse": run}}
    server = {"type": "stdio", **MCP_SERVER}
    return {
        ".mcp.json": {"mcpServers": {"hkgit": MCP_SERVER}},
        ".vscode/mcp.json": {"servers": {"hkgit": server}},
        ".github/hooks/hkgit.json": hooks,
    }


def _reword(payload: JsonObject) -> JsonObject | None:
    result, tool = payload.get("toolResult"), payload.get("toolName")
    has_failed = table(result).get("resultType", "success") != "success"
    if has_failed and tool != "bash":  # what fails may have changed files
        return None
    return {
        "hook_event_name": "PreToolUse" if result is None else "PostToolUse",
        "tool_name": tool,
        "tool_input": _arguments(payload.get("toolArgs")),
        "tool_response": result,
        "session_id": payload.get("sessionId"),
        "cwd": payload.get("cwd"),
        "turn": "" if result is None else _find_turn(payload),
    }


_HOME = Home("COPILOT_HOME", ".copilot")


def _find_turn(payload: JsonObject) -> str:
    """Name the answer that asked for a call, by its words: the payload has no id of the call."""
    transcript = _HOME.find() / "session-state" / str(payload.get("sessionId")) / "events.jsonl"
    asked = payload.get("toolName"), _arguments(payload.get("toolArgs"))

    def find() -> str:
        for record in list_lines_back(transcript, b"assistant.message"):
            answer = table(record.get("data"))
            for each in tables(answer.get("toolRequests")):
                if asked == (each.get("name"), _arguments(each.get("arguments"))):
                    return text(answer.get("messageId")) or ""
        return ""

    return wait_for_turn(transcript, find) or find_last_turn(LOG, transcript)


def _arguments(given: object) -> object:
    """The arguments of a call: an object, the text of one, or a patch as it is."""
    if not isinstance(given, str):
        return given
    if given.lstrip().startswith("*** Begin Patch"):
        return {"patch": given}
    return parse_value(given)


_EXIT = r"\n?<(?:shellId: \S+ completed|exited) with exit code \d+>\s*\Z"


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    session, turns = "", dict[str, str]()
    for line in lines:
        kind, data = line.record.get("type"), table(line.record.get("data"))
        start = data if kind in ("session.start", "session.resume") else {}
        place = data if kind == "session.context_changed" else table(start.get("context"))
        session = text(start.get("sessionId")) or session
        answer = text(data.get("messageId")) or "" if kind == "assistant.message" else ""
        yield line.about(
            conversation=session,
            version=start.get("copilotVersion"),
            directory=place.get("cwd"),
            turn=answer,
        )
        turns |= {str(each.get("toolCallId")): answer for each in tables(data.get("toolRequests"))}
        call = str(data.get("toolCallId"))
        if kind == "tool.execution_start":
            sent, tool = table(_arguments(data.get("arguments"))), str(data.get("toolName"))
            # A sub-agent works under the call that has started it.
            own = text(data.get("parentToolCallId")) or text(line.record.get("agentId"))
            yield LoggedCall(
                call,
                tool,
                sent,
                conversation=name_conversation(session, own),
                turn=turns.get(call, ""),
                is_new=tool == "create",
            )
        elif kind == "tool.execution_complete" and data.get("success") is True:
            words = text(table(data.get("result")).get("content")) or ""
            yield LoggedAnswer(call, {"textResultForLlm": re.sub(_EXIT, "", words)})


LOG = Log(
    "copilot-cli",
    _HOME.logs("session-state/*/events.jsonl"),
    lambda line: table(line.get("data")).get("producer") == "copilot-agent",
    _says,
)

AGENT = Agent(
    name="copilot",
    server="hkgit-",
    edits=EDITS,
    looks=LOOKS,
    denial={"permissionDecision": "deny", "permissionDecisionReason": SAID},
    note={"additionalContext": SAID},
    reword=_reword,
    settings=_build_settings,
    logs=(LOG,),
    user_folder=_HOME,
    remaining=(
        "trust this folder when Copilot asks: until then it runs no hooks,"
        " and with -p it does not ask: copilot --trust-folder",
        "let it call hkgit's tools without asking: copilot --allow-tool hkgit",
    ),
)
