"""Cline. Its hooks are scripts: docs.cline.bot/customization/hooks.

The inputs are those of its command line. Its servers stand in a file of the user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path

from hkgit.agents.events import END, Looks, Shell, ToolEvent, ToolReading
from hkgit.agents.setup.settings import FilePart, Part, add_stamp, guard_in_time, is_steering
from hkgit.agents.tool_answers import find_changed, name_by_heads, searching, showing
from hkgit.agents.tools import SAID, Tool, editing, patching, session_name, text_of, whole_number
from hkgit.text.strict_json import JsonObject

NAME = "cline"
EDIT_TOOL = "hkgit__edit"
DENIAL: JsonObject = {"cancel": True, "errorMessage": SAID}
NOTE: JsonObject | None = {"cancel": False, "contextModification": SAID}

_FOLDER = ".clinerules/hooks"

_SCRIPT = """\
#!/bin/sh
# Written by `hkgit init --agent cline`; `--remove` takes it away.
# Tells hkgit of the calls of tools that {do} files. Whatever becomes of it, the call goes on.
call=$(cat)
case $call in
  {tools}) printf '%s\\n' "$call" | {command} ;;
  *) echo '{{}}' ;;
esac
"""

_RULE = """\
# Editing files

Change files of this repository with the tools of the MCP server `hkgit`, never with your own:
`hkgit__read` the lines that you are going to change, then `hkgit__edit` them. So commits carry the
evidence of what edits were written against. On a refusal do what it says.
"""


def _read(arguments: JsonObject, answer: object) -> Looks:
    """Files, and for each what stands in its part of the answer."""
    files, results = _list(arguments.get("files")), _results(answer)
    pairs = zip(files, results, strict=False)
    return Looks(tuple(_reading(file, text) for file, text in pairs if _path(file)))


def _reading(file: object, text: str) -> ToolReading:
    start, end = (_number(file, name) for name in ("start_line", "end_line"))
    return ToolReading(_path(file), max(start or 1, 1), END if end is None else end, text)


def _path(file: object) -> str:
    path = file.get("path") if isinstance(file, Mapping) else file
    return path if isinstance(path, str) else ""


def _number(file: object, name: str) -> int | None:
    return whole_number(file.get(name)) if isinstance(file, Mapping) else None


def _run(arguments: JsonObject, answer: object) -> Looks:
    """Commands, one after the other, and the output of each that has run."""
    commands = _list(arguments.get("commands", arguments.get("command")))
    pairs = zip(commands, chain(_results(answer), repeat("")), strict=False)
    return Looks(tuple(Shell(each, text) for each, text in pairs if isinstance(each, str)))


def _results(answer: object) -> Iterator[str]:
    for each in _list(answer):
        yield text_of(each.get("result")) if isinstance(each, Mapping) else ""


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


def list_parts(command: str) -> list[Part]:
    """List the scripts that connect it, and a rule where it is to use hkgit's tools."""
    # A call that a hook stops ends the whole of its work, so words have to steer it.
    run = command.removesuffix(" --steer")
    rule = (
        [FilePart(".clinerules/hkgit.md", add_stamp(_RULE, "<!--", " -->"))]
        if is_steering(command)
        else []
    )
    return [
        _build_script("PreToolUse", "may edit", [*EDITS, "run_commands"], run),
        _build_script("PostToolUse", "read or edit", [*EDITS, *LOOKS], run),
        *rule,
    ]


def _build_script(name: str, do: str, tools: Sequence[str], command: str) -> FilePart:
    patterns = "|".join(f"""*'"toolName":"{tool}"'*""" for tool in tools)
    text = _SCRIPT.format(do=do, tools=patterns, command=guard_in_time(command))
    return FilePart(f"{_FOLDER}/{name}", add_stamp(text, "#"), is_executable=True)


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of a hook's input; None where it does not matter here."""
    is_before = payload.get("hookName") == "tool_call"
    call = payload.get("tool_call" if is_before else "tool_result")
    if not isinstance(call, dict) or call.get("error"):
        return None
    tool, arguments = (EDITS | LOOKS).get(str(call.get("name"))), call.get("input")
    if tool is None or not isinstance(arguments, dict):
        return None
    did = tool(arguments, call.get("output"))
    if did is None:
        return None
    return ToolEvent(
        is_before=is_before,
        session=_find_session(payload),
        directory=_find_place(payload),
        did=did,
        turn=str(payload.get("iteration") or ""),
    )


def _find_session(payload: JsonObject) -> str:
    """Name the session: that of a conversation taken up again, or a sub-agent's own."""
    context = payload.get("sessionContext")
    root = context.get("rootSessionId") if isinstance(context, dict) else None
    reader = payload.get("agent_id") if payload.get("parent_agent_id") else None
    return session_name(NAME, root or payload.get("taskId"), reader)


def _find_place(payload: JsonObject) -> Path:
    roots = _list(payload.get("workspaceRoots"))
    return Path(str(roots[0])) if roots else Path()
