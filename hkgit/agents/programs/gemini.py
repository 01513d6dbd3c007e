"""Gemini CLI. Its hooks: geminicli.com/docs/hooks/reference.

Its log is `~/.gemini/tmp/*/chats/session-*.jsonl`. A message repeats, with the calls that it has
got since; each tells the file before and after. The directory is in the first message, else in
a hash of the path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from hkgit.agents.agent import MCP_SERVER, Agent, HookCommand, Keys, Settings
from hkgit.agents.events import END, HOOK_SECONDS, ToolReading
from hkgit.agents.json_fields import join_texts, parse_time, table, tables, text
from hkgit.agents.log_files import Home, find_last_turn, list_named_parts, read_attached
from hkgit.agents.logged_call import Line, Log, LoggedCall, Said, attach
from hkgit.agents.tool_answers import find_code, name_by_heads, searching, showing
from hkgit.agents.tools import (
    SAID,
    Tool,
    editing,
    session_name,
    shell,
    telling,
    text_of,
    whole_number,
)
from hkgit.text.hashes import sha256
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace
from hkgit.workflows.log_steps import Told, to_bytes

NAME = "gemini"

SETTINGS = ".gemini/settings.json"
_HOME = Home("GEMINI_CLI_HOME", "", ".gemini")
_SERVER = "mcp_hkgit_"
SEVERAL = "several"
"""The name of sub-agents at work at once, and of the one answer that all their calls are of."""

_LARGEST = 40_000
"""So many characters of a command's output the model is shown, if no setting says otherwise."""

_FRAME = r"(?m)^(?:<untrusted_context>\n)?Output: "
"""What is before an output, in the line of its first."""

_CUT = r"Showing lines (\d+)-(\d+) of \d+ total lines"
_MARK = "--- FILE CONTENT (truncated) ---\n"
_SETTING = r'"truncateToolOutputThreshold"\s*:\s*(\d+)'


def read_lines(arguments: JsonObject, answer: object) -> ToolReading | None:
    """Lines from `start_line` to `end_line`, or, as it once was, `limit` lines after `offset`."""
    start, end = whole_number(arguments.get("start_line")), whole_number(arguments.get("end_line"))
    path = arguments.get("file_path", arguments.get("absolute_path"))
    if not isinstance(path, str):
        return None
    head, mark, content = get_words(answer).partition(_MARK)
    if mark and (cut := re.search(_CUT, head)) is not None:
        return ToolReading(path, int(cut[1]), int(cut[2]), content)
    is_whole = not {"start_line", "end_line", "offset", "limit"} & {*arguments}
    if start is None and end is None and "offset" in arguments:
        start = (whole_number(arguments["offset"]) or 0) + 1
        count = whole_number(arguments.get("limit"))
        end = None if count is None else start + count - 1
    last = END if end is None else end
    return ToolReading(path, max(start or 1, 1), last, get_words(answer), is_whole=is_whole)


def get_words(answer: object) -> str:
    """Return what is meant for the model, not what is displayed to the user beside it."""
    return text_of(answer.get("llmContent") if isinstance(answer, dict) else answer)


def tell_display(arguments: JsonObject, answer: object) -> Told | None:
    """Tell the whole file before and after, as it is shown to a person."""
    shown, name = table(table(answer).get("returnDisplay")), text(arguments.get("file_path"))
    before, after = text(shown.get("originalContent")), text(shown.get("newContent"))
    if name is None or (before is None and after is None):
        return None
    is_said = "new file" in get_words(answer).partition("\n")[0]
    is_new = shown.get("isNewFile") is True or before is None or (is_said and not before)
    changed = [table(shown.get("diffStat")).get(f"user_{x}_lines") for x in ("added", "removed")]
    is_final = arguments.get("modified_by_user") is not True and not any(changed)
    return Told(
        names=(name,),
        before={name: None if is_new else to_bytes(before or "")},
        after={name: to_bytes(after)} if is_final and after is not None else None,
        is_final=is_final,
    )


EDITS: dict[str, Tool] = {
    name: telling(showing(tool, get_words, find_code), tell_display)
    for name, tool in {
        "replace": editing(
            "file_path", "old_string", "new_string", "expected_replacements", "allow_multiple"
        ),
        "write_file": editing("file_path", "content"),
    }.items()
}


def strip_frame(output: str) -> str:
    """Take off what the tool says before an output, in the line of its first."""
    return re.sub(_FRAME, "", output, count=1)


LISTED = name_by_heads("File: (.+)", r"L(\d+)([:-]) (.*)")
"""Its answer to a search, and Qwen Code's."""

_SEARCH = searching("dir_path", is_base=True, shown=get_words, naming=LISTED)

_SHELL = "run_shell_command"

LOOKS: dict[str, Tool] = {
    "read_file": read_lines,
    _SHELL: shell("command", "dir_path", get_words),
    "grep_search": _SEARCH,
    "search_file_content": _SEARCH,
}


def _build_settings(command: HookCommand) -> Settings:
    guarded, limit = command.guard_in_time(), HOOK_SECONDS * 1000
    run = [{"name": "hkgit", "type": "command", "command": guarded, "timeout": limit}]
    before, after = "|".join([*EDITS, _SHELL, f"{_SERVER}.*"]), "|".join([*EDITS, *LOOKS])
    hooks = {
        "BeforeTool": [{"matcher": before, "hooks": run}],
        "AfterTool": [{"matcher": after, "hooks": run}],
    }
    # Otherwise it asks for each call, and has no such tool where nobody answers.
    server = MCP_SERVER | ({"trust": True} if command.is_steering else {})
    return {SETTINGS: {"mcpServers": {"hkgit": server}, "hooks": hooks}}


def _reword(payload: JsonObject) -> JsonObject:
    """Find who makes a call, and what the model sees of a command: its middle is left out.

    The hook is told the main agent alone. A sub-agent at work has a transcript of its own, and has
    written to it since its agent did. Of several at once nobody knows whose call it is: then
    nothing that is read counts.
    """
    said = dict(payload)
    if payload.get("tool_name") == _SHELL:
        limit = min(_find_limits(Path(str(payload.get("cwd") or "."))))
        shown = _cut_middle(get_words(payload.get("tool_response")), limit)
        said["tool_response"] = strip_frame(shown)
    path = payload.get("transcript_path")
    if not isinstance(path, str) or not path:
        return said
    conversation = session_name(NAME, payload.get("session_id")).removeprefix(f"{NAME}-")
    at_work = _find_sub_agents(Path(path), conversation)
    if len(at_work) > 1:
        return {**said, "agent_id": SEVERAL, "turn": SEVERAL}
    own = at_work[0] if at_work else Path(path)
    turn = "" if payload.get("hook_event_name") == "BeforeTool" else find_last_turn(LOG, own)
    return {**said, "agent_id": own.stem if at_work else None, "turn": turn}


def _find_sub_agents(transcript: Path, conversation: str) -> list[Path]:
    """Find the transcripts of sub-agents that are newer than that of their agent."""
    with suppress(OSError):
        since = transcript.stat().st_mtime_ns
        own = (transcript.parent / conversation).glob("*.jsonl")
        return [each for each in own if each.stat().st_mtime_ns > since]
    return []


def _find_limits(directory: Path) -> Iterator[int]:
    """Find how much of an output the model is shown: by default, or by either settings file."""
    yield _LARGEST
    folders = [directory / ".gemini"]
    with suppress(RuntimeError):
        folders.append(_HOME.find())
    for folder in folders:
        with suppress(OSError, ValueError):
            said = (folder / "settings.json").read_text("utf-8", "replace")
            yield from (int(each) for each in re.findall(_SETTING, said) if int(each) > 0)


def _cut_middle(output: str, limit: int) -> str:
    """The first fifth and the last four, in whole lines; between them a line that no file has."""
    if len(output) <= limit:
        return output
    head = limit // 5
    first, _, _ = output[:head].rpartition("\n")
    _, _, last = output[-(limit - head) :].partition("\n")
    return f"{first}\n\n[characters left out]\n\n{last}"


_WORKSPACE = r"Workspace Directories:\*\*\s*\n\s*- (.+)"
_CONTEXT = r"(?s)--- Context from: ([^\n]+) ---\n(.*?)\n--- End of Context from: \1 ---"


def _list_attached(message: JsonObject) -> Iterator[ToolReading]:
    """List the files that are in a prompt (`@file`), or before the first one (GEMINI.md)."""
    if message.get("type") == "user":
        yield from list_named_parts(message.get("content"))
        for part in tables(message.get("content")):
            for path, content in re.findall(_CONTEXT, str(part.get("text"))):
                yield from read_attached(path, content)


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    """Yield what each line says; where the agent works a prompt says, or a path in it."""
    project, directory = "", ""
    for line in lines:
        project = text(line.record.get("projectHash")) or project
        for record in (line.record, *tables(table(line.record.get("$set")).get("messages"))):
            directory = directory or _find_workspace(record)
            answer = record.get("id") if record.get("type") == "gemini" else ""
            session, time = line.record.get("sessionId"), record.get("timestamp")
            yield line.about(time=time, conversation=session, directory=directory, turn=answer)
            yield from attach(record.get("id") or line.where, _list_attached(record))
            for call in tables(record.get("toolCalls")):
                if call.get("status") == "success":
                    told = _tell(call)
                    directory = directory or _find_root(told, project)
                    yield replace(told, directory=directory)


def _find_workspace(record: JsonObject) -> str:
    """Find where the agent works in what it says before the first prompt."""
    said = join_texts(record.get("content")) if record.get("type") == "user" else ""
    found = re.search(_WORKSPACE, said)
    return "" if found is None else found[1].strip()


def _find_root(call: LoggedCall, project: str) -> str:
    """Find which directory around the file of a call has the hash of the project."""
    shown = table(table(call.answer).get("returnDisplay")).get("filePath")
    name = text(shown) or text(call.arguments.get("file_path")) or ""
    above = (str(root) for root in PurePath(name).parents)
    hashed = (root for root in above if _hash(os.fsencode(root)) == project)
    return next(hashed, "")


def _hash(path: bytes) -> str:
    return sha256(path).hexdigest()


def _tell(call: JsonObject) -> LoggedCall:
    said = (table(part.get("functionResponse")) for part in tables(call.get("result")))
    words = "\n".join(text(table(part.get("response")).get("output")) or "" for part in said)
    shown = call.get("resultDisplay")
    return LoggedCall(
        str(call.get("id")),
        str(call.get("name")),
        table(call.get("args")),
        {"llmContent": strip_frame(words), "returnDisplay": shown},
        time=parse_time(call.get("timestamp")),
    )


def _is_of(path: Path, roots: Sequence[Path]) -> bool:
    """Whether the directory of a project names a checkout, or is called by the hash of its path."""
    folder = next(each for each in path.parents if each.parent.name == "tmp")
    try:
        root = (folder / ".project_root").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        root = ""
    hashes = (_hash(os.fsencode(each)) for each in roots)
    return folder.name in hashes or any(f"{root}/".startswith(f"{each}/") for each in roots)


LOG = Log(
    "gemini-cli",
    _HOME.logs("tmp/*/chats/**/*.jsonl", _is_of),
    lambda line: "projectHash" in line and "sessionId" in line,
    _says,
    attached=(b"Content from ", b"Context from: "),
)

AGENT = Agent(
    name=NAME,
    server=_SERVER,
    edits=EDITS,
    looks=LOOKS,
    denial={"decision": "deny", "reason": SAID},
    note={"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": SAID}},
    keys=Keys(before="BeforeTool", after="AfterTool"),
    reword=_reword,
    settings=_build_settings,
    logs=(LOG,),
    user_folder=_HOME,
    remaining=(
        "trust this folder when Gemini asks: otherwise it runs no hooks of a project",
        "commit in a shell of your own: Gemini's switches git's hooks off",
    ),
)
