"""What agents' tools do, read from the arguments and answers that hooks are told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from hkgit.agents.events import END, Did, Editing, Shell, ToolReading
from hkgit.agents.json_fields import tables
from hkgit.edits import encode_text
from hkgit.errors import InvalidInput
from hkgit.text.hashes import digest
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.workflows.log_steps import Told

_LONGEST = 64
_READER = 18
_MARK = 12
"""So many characters name a session, of these so many a sub-agent, or what had to be cut off."""

_NO_NAME = r"[^A-Za-z0-9._-]+"

Tool = Callable[[JsonObject, object], Did | None]
"""What a tool does, from its arguments and from its answer (None before there is one)."""

SAID = "{said}"
"""Represents what is said, in what an agent reads as the answer of a hook."""


def render_answer(template: JsonObject | None, said: str) -> JsonObject | None:
    """Write what a hook answers; None where the agent ignores such answers."""
    if template is None:
        return None
    filled: JsonObject = json.loads(
        json.dumps(template).replace(json.dumps(SAID), json.dumps(said))
    )
    return filled


def parse_payload(text: str) -> JsonObject:
    """Parse the input of a hook. Raises InvalidInput where it is not a JSON object."""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the hook's input", f"is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise InvalidInput("the hook's input", "is not a JSON object")
    return payload


def session_name(agent: str, conversation: object, reader: object = None) -> str:
    """Name the session of a conversation, as directories may be named.

    `reader` is the sub-agent of it that reads and edits: what it was shown nobody else has seen.
    """
    words = re.sub(_NO_NAME, "-", str(conversation or "unnamed")).strip("-.") or "unnamed"
    name = f"{agent}-{words}"
    if isinstance(reader, str) and (short := re.sub(_NO_NAME, "-", reader).strip("-.")):
        return f"{name[: _LONGEST - _READER - 1]}-{short[-_READER:]}"
    if len(name) <= _LONGEST:
        return name
    # What tells two apart may be at the end, as with sub-agents.
    return f"{name[: _LONGEST - _MARK - 1].rstrip('.')}-{digest(encode_text(words))[:_MARK]}"


def whole_number(value: object) -> int | None:
    """Return a whole number of JSON; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_of(value: object) -> str:
    """Collect whatever text is in a tool's answer, however it is wrapped."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(map(text_of, value.values()))
    return "\n".join(map(text_of, value)) if isinstance(value, list) else ""


def editing(*names: str, **more: str) -> Tool:
    """Make a tool whose call the dialect `text-editor` reads, by those arguments alone."""

    def did(arguments: JsonObject, answer: object) -> Editing:
        known = {name: arguments[name] for name in names if arguments.get(name) is not None}
        return write_edit(**more | known)

    return did


def write_edit(**fields: object) -> Editing:
    """Write an edit as the dialect `text-editor` has it."""
    return Editing(json.dumps(fields, ensure_ascii=False), "text-editor")


def telling(tool: Tool, tell: Callable[[JsonObject, object], Told | None]) -> Tool:
    """Make an edit tool of one whose answer tells more: what the file was, or what became of it."""

    def did(arguments: JsonObject, answer: object) -> Did | None:
        done = tool(arguments, answer)
        return replace(done, told=tell(arguments, answer)) if isinstance(done, Editing) else done

    return did


def read_edits(arguments: JsonObject, answer: object) -> Editing | None:
    """Read edits of a file as editors tell them, of each what the dialect knows of it."""
    path = arguments.get("file_path")
    edits = [
        {name: each[name] for name in ("old_string", "new_string") if name in each}
        for each in tables(arguments.get("edits"))
    ]
    return write_edit(file_path=path, edits=edits) if isinstance(path, str) else None


def patching(*names: str) -> Tool:
    """Make a tool that takes a patch, in the first of these arguments that is given."""

    def did(arguments: JsonObject, answer: object) -> Editing | None:
        texts = (arguments[name] for name in names if isinstance(arguments.get(name), str))
        text = next(texts, None)
        return None if text is None else Editing(text, "apply-patch")

    return did


def shell(name: str, folder: str = "", shown: Callable[[object], str] = text_of) -> Tool:
    """Make a tool that runs the command in that argument, where `folder`, if it is one, says.

    `shown` finds in its answer what the model sees.
    """

    def did(arguments: JsonObject, answer: object) -> Shell | None:
        command, place = arguments.get(name), arguments.get(folder)
        if not isinstance(command, str):
            return None
        return Shell(command, shown(answer), place if isinstance(place, str) else "")

    return did


def hide_output(tool: Tool) -> Tool:
    """Make a tool whose hooks do not say what a command has shown; a log does."""

    def did(arguments: JsonObject, answer: object) -> Did | None:
        done = tool(arguments, answer)
        return replace(done, call="") if isinstance(done, Shell) and answer is None else done

    return did


def reading(path: str) -> Tool:
    """Make a tool that shows `limit` lines of a file from line `offset` on, all if not asked.

    Only the lines that are in its answer count. Where it says by itself where they begin, they
    are looked for there.
    """

    def did(arguments: JsonObject, answer: object) -> ToolReading | None:
        name = arguments.get(path)
        if not isinstance(name, str):
            return None
        first = max(whole_number(arguments.get("offset")) or 1, 1)
        lines = whole_number(arguments.get("limit")) or END
        return ToolReading(name, first, first + max(lines, 1) - 1, text_of(answer))

    return did
