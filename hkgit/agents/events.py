"""events.py: the calls of an agent's tools as values, the same for every agent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from hkgit.errors import InvalidInput
from hkgit.evidence.ledger.readings import ToolCall
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

END = 10**9
"""A number that no line has."""

_LONGEST = 64
_READER = 18
"""So many characters name a session, and of these so many a sub-agent."""

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ToolReading:
    """Lines of a file that the agent asked for; an end past the last line means that one.

    With an `answer` only those count that stand in it, as they are or behind their numbers.
    """

    path: str
    start_line: int
    end_line: int
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Snippets:
    """Pieces of a file that the agent was shown without being told where they stand."""

    path: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Editing:
    """A call of the agent's own edit tool, as a spec in a dialect that hkgit reads.

    `shown` is what its answer shows of the file as it is then.
    """

    text: str
    dialect: str
    shown: ToolReading | Snippets | None = None


@dataclass(frozen=True, slots=True)
class PendingToolEdit:
    """A file that the agent's own edit tool is about to change; how is not told."""

    path: str


@dataclass(frozen=True, slots=True)
class NotebookReading:
    """Cells of a notebook that the agent was shown, as their sources."""

    path: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShellHunk:
    """Lines that a command has replaced; `start_line` is where the new ones begin."""

    start_line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShellChange:
    """What a command has done to a file, as the agent tells it."""

    path: str
    hunks: tuple[ShellHunk, ...]
    is_created: bool = False
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Shell:
    """A command, what the agent was shown of its output, and what it tells of changed files.

    It ran in `folder`, if that is told: absolute, or from where the agent works.
    """

    command: str
    output: str
    folder: str = ""
    changes: tuple[ShellChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Looks:
    """Several files that one call has shown, or commands that it has run, each with its answer."""

    parts: tuple[ToolReading | Shell, ...]


@dataclass(frozen=True, slots=True)
class UntoldEdit:
    """An edit that is about to be made, after which the agent says nothing."""

    edit: Editing


@dataclass(frozen=True, slots=True)
class LateEdit:
    """An edit that an agent tells of when it may be made already.

    How the file was before has to be found out. `replaced` are the old and the new texts, in
    order; nothing for the whole of a file. With `is_asked` a person was asked first, so what was
    put aside is how it was.
    """

    edit: Editing
    path: str
    replaced: tuple[tuple[str, str], ...] = ()
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class UnshownShell:
    """A command of which the hook does not say what the model is shown of its output.

    A script of the agent's has got it, or no hook is told; the transcript says it, by the `call`.
    """

    shell: Shell
    call: str


@dataclass(frozen=True, slots=True)
class UntoldLook:
    """A call that has shown something to the model, which is not told; a transcript may have it."""

    call: str


@dataclass(frozen=True, slots=True)
class ServerCall:
    """A call of hkgit's own server that a sub-agent is about to make."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing that is kept; what an earlier event has left open may be known by now."""


Did = (
    ToolReading
    | NotebookReading
    | Editing
    | PendingToolEdit
    | Shell
    | Looks
    | UntoldEdit
    | LateEdit
    | UnshownShell
    | UntoldLook
    | ServerCall
    | Pause
)


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """A call of a tool that is about to be made (`is_before`), or has been made.

    `session` names the agent's conversation; `directory` is where the agent works; `transcript` is
    the file in which the agent writes down what its model says and sees; `call` is the tool's.
    """

    is_before: bool
    session: str
    directory: Path
    did: Did
    transcript: Path | None = None
    call: ToolCall = ToolCall("")


Tool = Callable[[JsonObject, object], Did | None]
"""What a tool does, from its arguments and from its answer (None before there is one)."""


def parse_payload(text: str) -> JsonObject:
    """The input of a hook. Raises InvalidInput where it is no JSON object."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the hook's input", f"is no JSON: {error}") from error
    if not isinstance(payload, dict):
        raise InvalidInput("the hook's input", "is no JSON object")
    return payload


def session_name(agent: str, conversation: object, reader: object = None) -> str:
    """The session of a conversation: a name that directories may have.

    `reader` is the sub-agent of it that reads and edits: what it was shown nobody else has seen.
    """
    words = _NO_NAME.sub("-", str(conversation or "unnamed")).strip("-.") or "unnamed"
    name = f"{agent}-{words}"
    if isinstance(reader, str) and (short := _NO_NAME.sub("-", reader).strip("-.")):
        return f"{name[: _LONGEST - _READER - 1]}-{short[-_READER:]}"
    return name[:_LONGEST].rstrip(".")


def tool_event(
    agent: str, payload: JsonObject, tools: Mapping[str, Tool], before: str, after: str
) -> ToolEvent | None:
    """The event of a hook whose input is worded as most agents word it."""
    stage, arguments = payload.get("hook_event_name"), payload.get("tool_input")
    tool = tools.get(str(payload.get("tool_name")))
    if stage not in (before, after) or tool is None or not isinstance(arguments, dict):
        return None
    did = tool(arguments, payload.get("tool_response"))
    session = session_name(agent, payload.get("session_id"), payload.get("agent_id"))
    directory = Path(str(payload.get("cwd") or "."))
    call = ToolCall.of(payload.get("tool_name"), payload.get("tool_use_id"))
    return None if did is None else ToolEvent(stage == before, session, directory, did, call=call)


def editing(*names: str, **more: str) -> Tool:
    """A tool whose call the dialect `text-editor` reads, by those arguments alone."""

    def did(arguments: JsonObject, answer: object) -> Editing:
        known = {name: arguments[name] for name in names if arguments.get(name) is not None}
        return Editing(json.dumps(more | known, ensure_ascii=False), "text-editor")

    return did


def make_editing(path: str, edits: object) -> Editing:
    """Edits of a file as editors tell them, each with what the dialect knows of it."""
    told = [
        {name: each[name] for name in ("old_string", "new_string") if name in each}
        for each in (edits if isinstance(edits, list) else ())
        if isinstance(each, Mapping)
    ]
    said = {"file_path": path, "edits": told}
    return Editing(json.dumps(said, ensure_ascii=False), "text-editor")


def patching(*names: str) -> Tool:
    """A tool that takes a patch, in the first of these arguments that is given."""

    def did(arguments: JsonObject, answer: object) -> Editing | None:
        texts = (arguments[name] for name in names if isinstance(arguments.get(name), str))
        text = next(texts, None)
        return None if text is None else Editing(text, "apply-patch")

    return did


def shell(name: str, folder: str = "") -> Tool:
    """A tool that runs the command in that argument, where `folder`, if it is one, says."""

    def did(arguments: JsonObject, answer: object) -> Shell | None:
        command, place = arguments.get(name), arguments.get(folder)
        if not isinstance(command, str):
            return None
        return Shell(command, text_of(answer), place if isinstance(place, str) else "")

    return did


def reading(path: str, start: str = "offset", count: str = "limit") -> Tool:
    """A tool that shows `count` lines of a file from line `start` on, all if not asked.

    Only the lines that stand in its answer count. Where it says by itself where they begin, they
    are looked for there.
    """

    def did(arguments: JsonObject, answer: object) -> ToolReading | None:
        name = arguments.get(path)
        if not isinstance(name, str):
            return None
        first = max(whole_number(arguments.get(start)) or 1, 1)
        lines = whole_number(arguments.get(count)) or END
        return ToolReading(name, first, first + max(lines, 1) - 1, text_of(answer))

    return did


def whole_number(value: object) -> int | None:
    """A number of JSON; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_of(value: object) -> str:
    """Whatever text stands in a tool's answer, however it is wrapped."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(map(text_of, value.values()))
    return "\n".join(map(text_of, value)) if isinstance(value, list) else ""
