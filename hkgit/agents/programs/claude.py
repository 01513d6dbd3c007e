"""Claude Code: code.claude.com/docs/en/hooks; servers in .mcp.json; ~/.claude/projects/*/*.jsonl.

In its log a call is told once its result is: a block `tool_result`, beside which `toolUseResult` is
what a hook is told. Lines of sub-agents name them (`agentId`); a session that was resumed repeats
the lines of the one before. What it prints of a session (`--output-format stream-json`) is read as
well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hkgit.agents.agent import Agent, Log
from hkgit.agents.events import (
    END,
    HOOK_SECONDS,
    Did,
    NotebookReading,
    PendingToolEdit,
    Shell,
    ToolEvent,
    ToolReading,
)
from hkgit.agents.json_fields import parse_time, table, tables, text
from hkgit.agents.live_transcript import make_attachment_finder, read_attached, read_own_lines
from hkgit.agents.log_stores import find_projects
from hkgit.agents.logged_call import Line, LoggedCall, Record
from hkgit.agents.logged_diffs import parse_structured_patch
from hkgit.agents.tool_answers import searching
from hkgit.agents.tools import SAID, Tool, editing, telling, text_of, whole_number
from hkgit.sessions.told_changes import Told, to_bytes
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.setup.settings import Part

NAME = "claude"
LOG_NAME = "claude-code"
DENIAL: JsonObject = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": SAID,
    }
}
NOTE: JsonObject = {
    "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": SAID}
}

FAILED = "PostToolUseFailure"
"""The event after a command that ended with an error: the model sees its output all the same."""

SERVER = "mcp__hkgit__"
"""So the names of the tools of hkgit's server begin."""

_PREVIEW = 2000
"""So many characters the model sees of an output that is too large, which goes into a file."""


def _tell_edit(arguments: JsonObject, answer: object) -> Told | None:
    """Tell how the file was, and what became of it: words may have been quoted loosely."""
    details, name = table(answer), text(arguments.get("file_path"))
    if name is None or answer is None:
        return None
    before = text(details.get("originalFile"))
    before = before if before is not None else text(details.get("originalFileContents"))
    found = None if before is None else to_bytes(before)
    is_new = before is None and details.get("type") == "create"
    is_final = details.get("userModified") is not True
    whole = text(arguments.get("content"))
    # The new text is told as it was sent; what was written (other quotes) only the diff tells.
    hunks = (
        parse_structured_patch(details.get("structuredPatch")) if is_final and whole is None else ()
    )
    return Told(
        names=(name,),
        before={name: found} if before is not None or is_new else None,
        after={name: to_bytes(whole)} if whole is not None and is_final else None,
        is_final=is_final,
        hunks={name: hunks} if hunks else None,
    )


def _edit_notebook(arguments: JsonObject, answer: object) -> PendingToolEdit | None:
    path, details = text(arguments.get("notebook_path")), table(answer)
    before, after = text(details.get("original_file")), text(details.get("updated_file"))
    if path is None or before is None or after is None:
        return None if path is None else PendingToolEdit(path)
    texts = {path: to_bytes(before)}, {path: to_bytes(after)}
    return PendingToolEdit(path, Told((path,), *texts))


EDITS: dict[str, Tool] = {
    "Edit": telling(editing("file_path", "old_string", "new_string", "replace_all"), _tell_edit),
    "MultiEdit": telling(editing("file_path", "edits"), _tell_edit),
    "Write": telling(editing("file_path", "content"), _tell_edit),
    "NotebookEdit": _edit_notebook,
}


def _read(arguments: JsonObject, answer: object) -> ToolReading | NotebookReading | None:
    """Read the lines that an answer says it shows; it repeats none of a file shown before."""
    path, file = arguments.get("file_path"), table(table(answer).get("file"))
    cells = file.get("cells")
    if isinstance(path, str) and isinstance(cells, list):
        sources = (cell.get("source") for cell in tables(cells))
        return NotebookReading(path, tuple(each for each in sources if isinstance(each, str)))
    first, content = whole_number(file.get("startLine")), file.get("content")
    if not isinstance(path, str) or first is None or not isinstance(content, str):
        return None
    is_whole = first == 1 and "numLines" in file and file["numLines"] == file.get("totalLines")
    return ToolReading(path, max(first, 1), END, content, is_whole=is_whole)


def _run(arguments: JsonObject, answer: object) -> Shell | None:
    """A command, with what the model is shown of its output."""
    command, details = arguments.get("command"), table(answer)
    if not isinstance(command, str):
        return None
    output = (
        answer
        if isinstance(answer, str)
        else text_of([details.get("stdout"), details.get("stderr")])
    )
    if details.get("persistedOutputPath") is not None:
        output, _, _ = output[:_PREVIEW].rpartition("\n")
    return Shell(command, output, told=_tell_changes(table(details.get("bashEditDiff"))))


def _tell_changes(diff: Record) -> Told | None:
    """Tell what a command has changed; files beyond the first few are told without their lines."""
    files = {
        name: file for file in tables(diff.get("files")) if (name := text(file.get("filePath")))
    }
    listed = diff.get("changedFiles")
    others = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    names = tuple(dict.fromkeys([*files, *others]))
    return (
        Told(
            names=names,
            before={name: None for name, file in files.items() if file.get("created") is True},
            after={name: None for name, file in files.items() if file.get("deleted") is True},
            hunks={name: parse_structured_patch(file.get("hunks")) for name, file in files.items()},
        )
        if names
        else None
    )


def _find_content(answer: object) -> object:
    """Find the lines that a search has found; nothing where it names files alone, or counts."""
    return table(answer).get("content")


LOOKS: dict[str, Tool] = {
    "Read": _read,
    "Bash": _run,
    "Grep": searching(is_base=False, shown=_find_content),
}


def _list_parts(command: str) -> list[Part]:
    from hkgit.agents.setup.settings import MCP_SERVER, JsonPart, is_steering

    failed = {FAILED: [{"matcher": "Bash", "hooks": hook_commands(command)}]}
    called = hooks(command, [*EDITS, "Bash", f"{SERVER}.*"], [*EDITS, *LOOKS])
    settings: dict[str, object] = {"hooks": called | failed}
    if is_steering(command):
        # Otherwise it asks for each call, and where nobody answers it refuses.
        settings["permissions"] = {"allow": ["mcp__hkgit"]}
        settings["enabledMcpjsonServers"] = ["hkgit"]
    return [
        JsonPart(".mcp.json", {"mcpServers": {"hkgit": MCP_SERVER}}),
        JsonPart(".claude/settings.json", settings, owner=f"hkgit hook {NAME}"),
    ]


def hook_commands(command: str) -> list[dict[str, object]]:
    """Write what a hook runs."""
    from hkgit.agents.setup.settings import guard

    return [{"type": "command", "command": guard(command), "timeout": HOOK_SECONDS}]


def hooks(
    command: str, before: Iterable[str], after: Iterable[str]
) -> dict[str, list[dict[str, object]]]:
    """Write the hooks before some tools are used and after some are."""
    run = hook_commands(command)
    return {
        "PreToolUse": [{"matcher": "|".join(before), "hooks": run}],
        "PostToolUse": [{"matcher": "|".join(after), "hooks": run}],
    }


def reword_failure(payload: JsonObject) -> JsonObject:
    """Write the event after a command that failed as the one after any other."""
    if payload.get("hook_event_name") != FAILED:
        return payload
    after = {"hook_event_name": "PostToolUse", "tool_response": payload.get("error")}
    return {**payload, **after}


def _reword(payload: JsonObject) -> JsonObject | None:
    if payload.get("hook_event_name") == FAILED and payload.get("tool_name") in EDITS:
        return None
    if not str(payload.get("tool_name")).startswith(SERVER):
        return reword_failure(payload)
    # A call of hkgit's server is served in the checkout of the main agent.
    return {**payload, "cwd": os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")}


def _complete(event: ToolEvent, payload: JsonObject) -> ToolEvent:
    """Name the transcript of the sub-agent that makes a call, if one does."""
    reader = payload.get("agent_id")
    if event.transcript is None or not isinstance(reader, str):
        return event
    folder = event.transcript.with_suffix("") / "subagents"
    return replace(event, transcript=folder / f"agent-{reader}.jsonl")


_KINDS = ("user", "assistant", "summary", "system", "attachment", "progress")


def _detects(record: Record) -> bool:
    is_kind = record.get("type") in (*_KINDS, "file-history-snapshot", "queue-operation")
    names = {"sessionId", "uuid", "leafUuid", "messageId", "session_id"}
    return is_kind and not names.isdisjoint(record)


def _calls(lines: Iterable[Line]) -> Iterator[LoggedCall]:
    """Yield every call of a log whose result it holds, in the order of the results."""
    pending: dict[object, tuple[Line, Record]] = {}
    about: Record = {}
    for each in lines:
        line = _unify(each, about)
        if line.record.get("isSidechain") is True and not text(line.record.get("agentId")):
            continue  # which sub-agent has seen it is not told
        for number, read in enumerate(_list_attached(line.record)):
            attached = _begin(line, parse_time(line.record.get("timestamp")), read)
            yield replace(attached, id=f"{attached.id}.{number}")
        for block in tables(table(line.record.get("message")).get("content")):
            if block.get("type") == "tool_use":
                pending[block.get("id")] = line, block
            elif block.get("type") == "tool_result" and block.get("tool_use_id") in pending:
                asked, call = pending.pop(block.get("tool_use_id"))
                detail = line.record.get("toolUseResult")
                is_error = isinstance(detail, str) and detail.startswith("Error")
                if block.get("is_error") is True or is_error:
                    continue
                if table(detail).get("staged") is True:
                    continue  # held for somebody's review: the file is as it was
                yield _tell(asked, call, line.record, _say(block.get("content")))


def _unify(line: Line, about: Record) -> Line:
    """Write a line of a stream (`--output-format stream-json`) as a log has it.

    There the first line describes the session, and fields have other names. A line of a log may
    wrap one of a sub-agent (`progress`).
    """
    record = line.record
    data = table(record.get("data"))
    inner = table(data.get("message"))
    if record.get("type") == "progress" and "message" in inner:
        own = {"agentId": data.get("agentId"), "isSidechain": True}
        return Line(line.where, record | inner | own)
    if "session_id" not in record or "sessionId" in record:
        return line
    if record.get("type") == "system" and "cwd" in record:
        about |= {"cwd": record["cwd"], "version": record.get("claude_code_version")}
    more: Record = {"sessionId": record["session_id"]}
    if "tool_use_result" in record:
        more["toolUseResult"] = record["tool_use_result"]
    if record.get("parent_tool_use_id") is not None:
        more["agentId"] = str(record["parent_tool_use_id"])[-18:]
    return Line(line.where, about | record | more)


def _tell(asked: Line, call: Record, answer: Record, said: str) -> LoggedCall:
    tool, details = str(call.get("name")), table(answer.get("toolUseResult"))
    sent = table(call.get("input"))
    if tool == "Edit":  # as the tool made it: what was sent may have been quoted loosely
        made = {"old_string": details.get("oldString"), "new_string": details.get("newString")}
        sent = sent | {key: value for key, value in made.items() if value is not None}
    elif tool == "Bash":
        details = {"stdout": said, "bashEditDiff": details.get("bashEditDiff")}
    elif tool == "Read" and "content" not in table(details.get("file")):
        details = {"file": {"startLine": 1, "content": said}} | details
    found = _begin(asked, parse_time(answer.get("timestamp") or asked.record.get("timestamp")))
    turn = text(table(asked.record.get("message")).get("id")) or ""
    number = str(call.get("id"))
    return replace(found, id=number, tool=tool, turn=turn, arguments=sent, answer=details)


def _begin(line: Line, time: int, did: Did | None = None) -> LoggedCall:
    """What a line says of a call: where, when, by whom."""
    record = line.record
    session, own = text(record.get("sessionId")) or "unnamed", text(record.get("agentId"))
    return LoggedCall(
        time=time,
        conversation=f"{session[:18]}-{own}" if own else session,
        agent=f"{LOG_NAME}/{text(record.get('version')) or 'unknown'}",
        directory=text(record.get("cwd")) or "",
        where=line.where,
        id=text(record.get("uuid")) or line.where,
        did=did,
    )


def _list_attached(record: Record) -> Iterator[ToolReading]:
    """List the files that the model was shown without a call: `@file`, CLAUDE.md."""
    attached = table(record.get("attachment"))
    match attached.get("type"):
        case "file":
            file = table(table(attached.get("content")).get("file"))
            path, first = file.get("filePath"), file.get("startLine")
            yield from read_attached(path, file.get("content"), first)
        case "nested_memory":
            content = table(attached.get("content")).get("content")
            yield from read_attached(attached.get("path"), content)
        case "instructions":
            for each in tables(attached.get("files")):
                yield from read_attached(each.get("path"), each.get("content"))


def _say(content: object) -> str:
    """The text of a result, whether it is one string or blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block.get("text")) or "" for block in tables(content))


AGENT = Agent(
    name=NAME,
    edit_tool="mcp__hkgit__edit",
    edits=EDITS,
    looks=LOOKS,
    server=SERVER,
    denial=DENIAL,
    note=NOTE,
    reword=_reword,
    complete=_complete,
    list_parts=_list_parts,
    find_attached=make_attachment_finder(_list_attached, b'"attachment"'),
    read_earlier=read_own_lines,
    logs=(Log(LOG_NAME, find_projects("CLAUDE_CONFIG_DIR", ".claude"), _detects, _calls),),
    user_folder=("CLAUDE_CONFIG_DIR", "", ".claude"),
    remaining=(
        "trust this folder when Claude Code asks: otherwise it ignores a project's approvals",
    ),
)
