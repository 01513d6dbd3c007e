"""Codex. Its hooks (developers.openai.com/codex/hooks) are worded as Claude Code's.

It reads files with shell commands alone, so these become receipts. Hooks of a project run once
the user has trusted the project and them.

Its log is `~/.codex/sessions/**/rollout-*.jsonl`. A patch is the input of the tool `apply_patch` or
is in a shell command. Newer versions tell each change with a diff, also those that a script
(code mode) made: as an item `FileChange`. The log holds no file: what one said is what the calls
before it left, or a version of the repository's history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hkgit.agents.agent import Agent, HookCommand, Settings
from hkgit.agents.events import Editing, Looks, PendingToolEdit, Shell, ToolReading
from hkgit.agents.json_fields import join_texts, parse_value, table, tables, text
from hkgit.agents.log_files import Home, list_lines_back, read_attached
from hkgit.agents.logged_call import About, Line, Log, LoggedAnswer, LoggedCall, Said, attach
from hkgit.agents.logged_diffs import parse_diff
from hkgit.agents.programs import claude
from hkgit.agents.tools import Tool, hide_output, patching, shell
from hkgit.text.strict_json import JsonObject
from hkgit.workflows.log_steps import LineHunk, Told, to_bytes

NAME = "codex"

EDITS: dict[str, Tool] = {"apply_patch": patching("command", "input", "patch")}
LOOKS: dict[str, Tool] = {"Bash": shell("command")}

_SCRIPTED = "exec-"
"""So the calls are named that a script of the model's makes (code mode)."""

_HEREDOC = (
    r"(?sm)\A\s*apply_?patch\s+<<-?\s*['\"]?\w+['\"]?\n"
    r"(\*\*\* Begin Patch\n.*?^\*\*\* End Patch)[ \t]*$"
)

_SERVER = """\
[mcp_servers.hkgit]
command = "hkgit"
args = ["mcp"]
"""

_APPROVED = 'default_tools_approval_mode = "approve"\n'
"""Otherwise it asks for each call, and where nobody answers it refuses."""


def _build_settings(command: HookCommand) -> Settings:
    """The hooks of Claude Code; before a shell command too, and at the end of a turn."""
    tools = [*EDITS, *LOOKS]
    stop = {"Stop": [{"hooks": claude.hook_commands(command)}]}
    return {
        ".codex/config.toml": _SERVER + (_APPROVED if command.is_steering else ""),
        ".codex/hooks.json": {"hooks": claude.hooks(command, tools, tools) | stop},
    }


def _reword(payload: JsonObject) -> JsonObject:
    """Name the end of a turn, a patch in a command, and the commands that a script runs.

    Codex carries out that patch itself, and says nothing after it. What the model sees of those
    commands no hook says.
    """
    stage, call = payload.get("hook_event_name"), str(payload.get("tool_use_id"))
    if stage == "Stop":
        end = {"hook_event_name": "PostToolUse", "tool_name": "Stop", "tool_input": {}}
        return {**payload, **end}
    if payload.get("tool_name") == "Bash" and stage == "PreToolUse":
        command = str(table(payload.get("tool_input")).get("command"))
        if (patch := re.search(_HEREDOC, command)) is not None:
            return {**payload, "tool_name": "heredoc", "tool_input": {"patch": patch[1]}}
    elif payload.get("tool_name") == "Bash" and call.startswith(_SCRIPTED):
        return {**payload, "tool_name": "scripted", "tool_response": None}
    return payload


_SCRIPT = "exec"
"""The tool of code mode, whose input is a script that calls the other tools."""

_ASKING = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_RULES = r"(?s)# AGENTS\.md instructions for ([^\n]+)\n\n<INSTRUCTIONS>\n(.*)\n</INSTRUCTIONS>"
_EXIT = r"(?m)^(?:Exit code|Process exited with code):? (\d+)"
_FAILURE = r"(?i)\A.*(?:fail|error|invalid)"


_FORMS = ("session_meta", "response_item", "event_msg", "turn_context")
"""What lines of its log are."""


def _says(lines: Iterable[Line]) -> Iterator[Said]:
    """Yield what each line says; an answer of the model is named by what it was shown last."""
    asked: dict[str, JsonObject] = {}
    told: set[str] = set()
    changes: dict[str, Told] = {}  # by the call that has made them
    ran: list[LoggedCall] = []  # the commands of a script that runs
    for line in lines:
        payload, form = table(line.record.get("payload")), line.record.get("type")
        kind, call = payload.get("type"), str(payload.get("call_id"))
        head = payload if form == "session_meta" else {}
        place = payload.get("cwd") if form in ("session_meta", "turn_context") else None
        yield line.about(
            conversation=head.get("id"),
            version=head.get("cli_version"),
            directory=_read_place(place),
            turn="first" if head else "",
        )
        yield from attach(payload.get("id") or line.where, _list_attached(payload))
        if kind == "item_completed":
            item = table(payload.get("item"))
            number, made = str(item.get("id")), _read_changes(item)
            if number in told:
                continue  # some versions tell each twice
            told.add(number)
            if number in asked:
                changes |= {} if made is None else {number: made}
            elif made is not None and made.names:
                yield LoggedCall(number, "apply_patch", did=PendingToolEdit(made.names[0], made))
            elif item.get("type") == "CommandExecution":
                ran += _read_command(item, number)
        elif kind in _ASKING:
            asked[call], directory = payload, text(_read_arguments(payload).get("workdir"))
            yield LoggedCall(call, text(payload.get("name")) or "shell", directory=directory or "")
        elif kind in _OUTPUTS:
            sent, (is_well, output) = asked.pop(call, {}), read_result(payload)
            if sent.get("name") == _SCRIPT and sent.get("type") == "custom_tool_call":
                yield from (each for each in ran if _is_shown(each, output))
                ran.clear()
            elif did := _find_did(_read_arguments(sent), is_well, output, changes.pop(call, None)):
                yield LoggedAnswer(call, did=did)
            yield About(turn=call)


def _list_attached(payload: JsonObject) -> Iterator[ToolReading]:
    """List the instructions that are before a prompt: of a directory and of those above it."""
    for part in tables(payload.get("content")) if payload.get("role") == "user" else ():
        if (found := re.fullmatch(_RULES, str(part.get("text")))) is not None:
            for folder in (Path(found[1]), *Path(found[1]).parents):
                yield from read_attached(str(folder / "AGENTS.md"), found[2])


def _read_command(item: JsonObject, number: str) -> Iterator[LoggedCall]:
    words, said = _words(item.get("command")), text(item.get("aggregated_output"))
    if words and said:
        did, directory = Shell(_command(words), said), _read_place(item.get("cwd")) or ""
        yield LoggedCall(number, "exec_command", did=did, directory=directory)


def _is_shown(ran: LoggedCall, said: str) -> bool:
    """Whether the answer of a script has shown the model what a command of it has printed."""
    told = ran.did.output.strip("\n") if isinstance(ran.did, Shell) else ""
    in_json = json.dumps(told, ensure_ascii=False)[:-1]
    return bool(told) and (f"\n{told}\n" in f"\n{said}\n" or in_json in said)


def _read_place(value: object) -> str | None:
    """Read a directory or a file, which newer versions write as a URL."""
    place = text(value)
    if place is None or not place.startswith("file://"):
        return place
    path = unquote(urlsplit(place).path)
    return path[1:] if path[2:3] == ":" else path


def _read_changes(item: JsonObject) -> Told | None:
    """A change that was made, by its diffs; None where it is none, or moves files."""
    if item.get("type") != "FileChange" or item.get("status") != "completed":
        return None
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    hunks: dict[str, tuple[LineHunk, ...]] = {}
    told = table(item.get("changes")).items()
    changes = {_read_place(name) or name: table(change) for name, change in told}
    for name, change in changes.items():
        content, diff = text(change.get("content")), parse_diff(text(change.get("unified_diff")))
        if change.get("type") == "add" and content is not None:
            before[name], after[name] = None, to_bytes(content)
        elif change.get("type") == "delete" and content is not None:
            before[name], after[name] = to_bytes(content), None
        elif diff and not change.get("move_path"):
            hunks[name] = diff
        else:
            return None
    return Told(tuple(changes), before or None, after or None, hunks=hunks or None)


def _find_did(
    sent: JsonObject, is_well: bool | None, output: str, changes: Told | None
) -> Editing | Shell | None:
    """Find what a call has done, if it has: a patch of which nothing is said may be refused."""
    words = _words(sent.get("command", sent.get("cmd")))
    patch = _patch((text(sent.get("input")), text(sent.get("patch")), *words))
    if patch is not None:
        return Editing(patch, "apply-patch", told=changes or Told()) if is_well else None
    return Shell(_command(words), output) if words and is_well is not False else None


def _command(words: Sequence[str]) -> str:
    return words[-1] if len(words) == 3 else " ".join(words)


def _words(command: object) -> list[str]:
    if isinstance(command, str):
        return [command]
    found = command if isinstance(command, list) else []
    return [word for word in found if isinstance(word, str)]


def _patch(texts: Sequence[str | None]) -> str | None:
    """The patch in some texts, without the command around it."""
    for each in texts:
        if each is not None and "*** Begin Patch" in each and "*** End Patch" in each:
            start, end = each.index("*** Begin Patch"), each.rindex("*** End Patch")
            return each[start:end] + "*** End Patch\n"
    return None


def read_result(payload: JsonObject) -> tuple[bool | None, str]:
    """Whether a call succeeded, None where that is not said, and what it printed."""
    output = payload.get("output")
    if isinstance(output, list):
        output = "".join(text(part.get("text")) or "" for part in tables(output))
    detail = table(parse_value(output)) if isinstance(output, str) and output[:1] == "{" else {}
    if "metadata" in detail or "success" in detail:
        code = table(detail.get("metadata")).get("exit_code")
        is_well = code == 0 if code is not None else detail.get("success") is True
        return is_well, text(detail.get("output")) or text(detail.get("content")) or ""
    said = text(output) or ""
    head, mark, body = said.partition("Output:\n")
    found = re.search(_EXIT, head) if mark else None
    if found is None and mark and "\n" not in head.strip():
        # A patch in a shell command: what the patch tool said is in what the command printed.
        head, inner, said = body.partition("Output:\n")
        found = re.search(_EXIT, head) if inner else None
        body = said = said or body
    if found is not None:
        return found[1] == "0", body
    if said.startswith(("Success", "Done!")):
        return True, said
    return False if re.search(_FAILURE, said) else None, said


def _read_arguments(payload: JsonObject) -> JsonObject:
    if payload.get("type") == "custom_tool_call":
        return {"input": payload.get("input")}
    if payload.get("type") == "local_shell_call":
        return table(payload.get("action"))
    return table(parse_value(text(payload.get("arguments")) or "{}"))


def find_script_output(transcript: Path, call: str) -> str | None:
    """Find what the model was shown when a call of a script had ended; None if not told (yet)."""
    shown: list[str] = []
    for record in list_lines_back(transcript, b"item_completed", b"custom_tool_call_output"):
        payload = table(record.get("payload"))
        kind = payload.get("type")
        if kind == "custom_tool_call_output":
            output = payload.get("output")
            shown.insert(0, output if isinstance(output, str) else join_texts(output))
        elif kind == "item_completed" and table(payload.get("item")).get("id") == call:
            return "\n".join(shown) if shown else None
    return None


AGENT = Agent(
    name=NAME,
    own_edit="mcp__hkgit__edit",
    edits=EDITS,
    looks={
        **LOOKS,
        "heredoc": lambda given, answer: Editing(given["patch"], "apply-patch", is_untold=True),
        "scripted": hide_output(LOOKS["Bash"]),
        "Stop": lambda given, answer: Looks(()),
    },
    denial=claude.DENIAL,
    note=claude.NOTE,
    reword=_reword,
    find_output=find_script_output,
    learns_earlier=True,
    settings=_build_settings,
    logs=(
        Log(
            NAME,
            Home("CODEX_HOME", ".codex").logs("*sessions/**/*.jsonl"),
            lambda line: line.get("type") in _FORMS,
            _says,
            attached=(b"# AGENTS.md instructions for ",),
        ),
    ),
    remaining=(
        "trust this project and its hooks when Codex asks, or in /hooks:"
        " until then it runs none, and `codex exec` does not ask",
    ),
)
