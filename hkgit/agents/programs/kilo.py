"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.programs import opencode
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.setup.settings import Part

NAME = "kilo"
_NEW = '{\n  "$schema": "https://app.kilo.ai/config.json"\n}\n'


def _list_parts(command: str) -> list[Part]:
    return opencode.build_parts(command, NAME, "kilo.json", _NEW)


def _complete(event: ToolEvent, payload: JsonObject) -> ToolEvent:
    found = opencode.find_store(NAME) / str(payload.get(opencode.KEYS.session))
    return replace(event, transcript=found)


AGENT = replace(
    opencode.AGENT,
    name=NAME,
    complete=_complete,
    list_parts=_list_parts,
    logs=(opencode.keep_log(NAME),),
)
