"""Claude Code: code.claude.com/docs/en/hooks; servers in .mcp.json; ~/.claude/projects/*/*.jsonl.

In its log a call is told once its result is: a block `tool_result`, beside which `toolUseResult` is
what a hook is told. Lines of sub-agents name them (`agentId`); a session that was resumed repeats
the lines of the one before. What it prints of a session (`--output-format stream-json`) is read as
well.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from hkgit.agents.agent import MCP_SERVER, Agent, HookCommand, Settings
from hkgit.agents.events import (
    END,
    HOOK_SECONDS,
    Did,
    NotebookReading,
    PendingToolEdit,
    Shell,
    ToolReading,
)
from hkgit.agents.json_fields import join_texts, table, tables, text
from hkgit.agents.log_files import Home, is_named_after, read_attached
from hkgit.agents.logged_call import Line, Log, LoggedAnswer, LoggedCall, Said, attach
from hkgit.agents.logged_diffs import parse_structured_patch
from hkgit.agents.tool_answers import searching
from hkgit.agents.tools import SAID, Tool, editing, shell, telling, text_of, whole_number
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace
from hkgit.workflows.log_steps import Told, to_bytes

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

_LOG = "transcript_path"
_SAID = "hkgit-said"
"""What the answers of a log hold that those of hooks do not: the words that the model was shown."""

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
    if path is None:
        return None
    if before is None or after is None:
        return PendingToolEdit(path)
    return PendingToolEdit(path, Told((path,), {path: to_bytes(before)}, {path: to_bytes(after)}))


_replace = telling(editing("file_path", "old_string", "new_string", "replace_all"), _tell_edit)


def _edit(arguments: JsonObject, answer: object) -> Did | None:
    """An edit; in a log as the tool made it: what was sent may have been quoted loosely."""
    details = table(answer)
    texts = {"old_string": details.get("oldString"), "new_string": details.get("newString")}
    made = {name: text for name, text in texts.items() if text is not None}
    return _replace(arguments | made if _SAID in details else arguments, answer)


EDITS: dict[str, Tool] = {
    "Edit": _edit,
    "MultiEdit": telling(editing("file_path", "edits"), _tell_edit),
    "Write": telling(editing("file_path", "content"), _tell_edit),
    "NotebookEdit": _edit_notebook,
}


def _read(arguments: JsonObject, answer: object) -> ToolReading | NotebookReading | None:
    """Read the lines that an answer says it shows; it repeats none of a file shown before."""
    path, details = arguments.get("file_path"), table(answer)
    words = {"startLine": 1, "content": details[_SAID]} if _SAID in details else {}
    file = table(details.get("file", words))
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
    details = table(answer)
    streams = [details.get("stdout"), details.get("stderr")]
    output = answer if isinstance(answer, str) else text_of(details.get(_SAID, streams))
    if details.get("persistedOutputPath") is not None and _SAID not in details:
        output, _, _ = output[:_PREVIEW].rpartition("\n")
    did = shell("command")(arguments, output)
    told = _tell_changes(table(details.get("bashEditDiff")))
    return replace(did, told=told) if isinstance(did, Shell) else None


def _tell_changes(diff: JsonObject) -> Told | None:
    """Tell what a command has changed; files beyond the first few are told without their lines."""
    files = {
        name: file for file in tables(diff.get("files")) if (name := text(file.get("filePath")))
    }
    listed = diff.get("changedFiles")
    others = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    if not files and not others:
        return None
    return Told(
        names=tuple(dict.fromkeys([*files, *others])),
        before={name: None for name, file in files.items() if file.get("created") is True},
        after={name: None for name, file in files.items() if file.get("deleted") is True},
        hunks={name: parse_structured_patch(file.get("hunks")) for name, file in files.items()},
    )


LOOKS: dict[str, Tool] = {
    "Read": _read,
    "Bash": _run,
    # One that names files alone, or counts, has no content.
    "Grep": searching(is_base=False, shown=lambda answer: table(answer).get("content")),
}


def _build_settings(command: HookCommand) -> Settings:
    failed = {FAILED: [{"matcher": "Bash", "hooks": hook_commands(command)}]}
    called = hooks(command, [*EDITS, "Bash", f"{SERVER}.*"], [*EDITS, *LOOKS])
    settings: dict[str, object] = {"hooks": called | failed}
    if command.is_steering:
        # Otherwise it asks for each call, and where nobody answers it refuses.
        settings["permissions"] = {"allow": ["mcp__hkgit"]}
        settings["enabledMcpjsonServers"] = ["hkgit"]
    servers = {"mcpServers": {"hkgit": MCP_SERVER}}
    return {".mcp.json": servers, ".claude/settings.json": settings}


def hook_commands(command: HookCommand) -> list[dict[str, object]]:
    """Write what a hook runs."""
    return [{"type": "command", "command": command.guard(), "timeout": HOOK_SECONDS}]


def hooks(
    command: HookCommand, before: Iterable[str], after: Iterable[str]
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
    """Name where a call of hkgit's server is served, and the transcript of a sub-agent."""
    if payload.get("hook_event_name") == FAILED and payload.get("tool_name") in EDITS:
        return None
    said, reader, transcript = reword_failure(payload), payload.get("agent_id"), payload.get(_LOG)
    if str(payload.get("tool_name")).startswith(SERVER):
        # It is started by the main agent, in the checkout of that.
        said = {**said, "cwd": os.environ.get("CLAUDE_PROJECT_DIR") or payload.get("cwd")}
    if isinstance(reader, str) and isinstance(transcript, str):
        folder = PurePath(transcript).with_suffix("") / "subagents"
        said = {**said, _LOG: str(folder / f"agent-{reader}.jsonl")}
    return said


_KINDS = ("user", "assistant", "summary", "system", "attachment", "progress")
_NOTES = ("file-history-snapshot", "queue-operation")
_NAMES = {"sessionId", "uuid", "leafUuid", "messageId", "session_id"}
"""What lines are, and what one of their members is called."""


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    """Yield what each line says.

    One may wrap one of a sub-agent (`progress`). Lines of a stream (`--output-format stream-json`)
    have other names for some fields, and only the first one describes the session.
    """
    for line in lines:
        record, data = line.record, table(line.record.get("data"))
        if record.get("type") == "progress" and (inner := table(data.get("message"))):
            record = record | inner | {"agentId": data.get("agentId"), "isSidechain": True}
        reader = text(record.get("agentId")) or record.get("parent_tool_use_id")
        if record.get("isSidechain") is True and not reader:
            continue  # which sub-agent has seen it is not told
        message = table(record.get("message"))
        answer = message.get("id") or record.get("uuid") or record.get("id")
        yield Line(line.where, record).about(
            conversation=record.get("sessionId", record.get("session_id")),
            reader=reader,
            version=record.get("version") or record.get("claude_code_version"),
            directory=record.get("cwd"),
            turn=answer if record.get("type") == "assistant" else "",
        )
        yield from attach(record.get("uuid") or line.where, _list_attached(record))
        for block in tables(message.get("content")):
            if block.get("type") == "tool_use":
                yield LoggedCall.of(block, "input")
            elif block.get("type") == "tool_result" and block.get("is_error") is not True:
                details = record.get("toolUseResult", record.get("tool_use_result"))
                is_error = isinstance(details, str) and details.startswith("Error")
                # What is staged is held for somebody's review: the file is as it was.
                if not is_error and table(details).get("staged") is not True:
                    content = block.get("content")
                    said = {_SAID: content if isinstance(content, str) else join_texts(content)}
                    yield LoggedAnswer(str(block.get("tool_use_id")), table(details) | said)


def _list_attached(record: JsonObject) -> Iterator[ToolReading]:
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


_HOME = Home("CLAUDE_CONFIG_DIR", ".claude")

AGENT = Agent(
    name="claude",
    edits=EDITS,
    looks=LOOKS,
    server=SERVER,
    denial=DENIAL,
    note=NOTE,
    reword=_reword,
    settings=_build_settings,
    learns_earlier=True,
    logs=(
        Log(
            "claude-code",
            _HOME.logs("projects/*/**/*.jsonl", is_named_after),
            lambda line: line.get("type") in _KINDS + _NOTES and not _NAMES.isdisjoint(line),
            _says,
            attached=(b'"attachment"',),
        ),
    ),
    user_folder=_HOME,
    remaining=(
        "trust this folder when Claude Code asks: otherwise it ignores a project's approvals",
    ),
)
