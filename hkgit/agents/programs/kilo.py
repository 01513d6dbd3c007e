"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.events import ToolEvent
from hkgit.agents.programs import opencode
from hkgit.text.strict_json import JsonObject
from hkgit.values import replace

NAME = "kilo"


def _complete(event: ToolEvent, payload: JsonObject) -> ToolEvent:
    found = opencode.find_store(NAME) / str(payload.get(opencode.KEYS.session))
    return replace(event, transcript=found)


AGENT = replace(
    opencode.AGENT,
    name=NAME,
    complete=_complete,
    settings=lambda command: opencode.build_settings(command, NAME),
    new_settings={"kilo.json": {"$schema": "https://app.kilo.ai/config.json"}},
    logs=(opencode.keep_log(NAME),),
)
