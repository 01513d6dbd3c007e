"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.hooks import opencode
from hkgit.agents.setup.settings import Part
from hkgit.agents.tools import tool_event
from hkgit.text.strict_json import JsonObject

NAME = "kilo"
EDIT_TOOL = opencode.EDIT_TOOL
DENIAL, NOTE = opencode.DENIAL, opencode.NOTE

_NEW = '{\n  "$schema": "https://app.kilo.ai/config.json"\n}\n'


def list_parts(command: str) -> list[Part]:
    """List the settings that connect it, with the command of its hooks."""
    return opencode.build_parts(command, NAME, "kilo.json", _NEW)


def read_event(payload: JsonObject) -> ToolEvent | None:
    """Read the event of the plugin's input; None where it does not matter here."""
    return tool_event(NAME, payload, opencode.EDITS | opencode.LOOKS, "before", "after")
