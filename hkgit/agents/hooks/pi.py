"""pi (pi.dev). Its hooks are functions of an extension: docs/extensions.md of its package.

It has no servers. To steer it the extension turns its `edit` and `write` off, gives it a
`change_file` that takes tags of lines, a `read` that shows them, and `grep`, as pi-hh-read does.
"""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.hooks import opencode
from hkgit.agents.setup.settings import (
    FilePart,
    Part,
    add_stamp,
    is_of_user,
    is_steering,
    read_script,
)
from hkgit.agents.tool_answers import close_gaps, searching
from hkgit.agents.tools import Tool, editing, reading, shell, text_of, tool_event
from hkgit.text.strict_json import JsonObject

NAME = "pi"
EDIT_TOOL = "change_file"
DENIAL, NOTE = opencode.DENIAL, opencode.NOTE

EDITS: dict[str, Tool] = {
    "edit": editing("path", "edits", "oldText", "newText"),
    "write": editing("path", "content"),
}
LOOKS: dict[str, Tool] = {
    "read": reading("path"),
    "bash": shell("command"),
    "grep": searching(is_base=True, shown=text_of, naming=close_gaps),
}


def list_parts(command: str) -> list[Part]:
    """List the extension that connects it; one that steers has tools in the place of its own."""
    of_user = is_of_user(command)
    values = {"user": of_user, "more": " --user" if of_user else ""}
    names = ["pi", "spawn", *(["pi_steering"] if is_steering(command) else [])]
    text = read_script(command.removesuffix(" --steer"), *names, **values)
    text += "" if is_steering(command) else "\nfunction steer() {}\n"
    return [FilePart(".pi/extensions/hkgit.js", add_stamp(text))]


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of the extension's input; None where it does not matter here."""
    return tool_event(NAME, payload, EDITS | LOOKS, "before", "after")
