"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.programs import opencode
from hkgit.values import replace

NAME = "kilo"


AGENT = replace(
    opencode.AGENT,
    name=NAME,
    reword=opencode.name_transcript(NAME),
    settings=lambda command: opencode.build_settings(command, NAME),
    new_settings={"kilo.json": {"$schema": "https://app.kilo.ai/config.json"}},
    logs=(
        replace(opencode.LOG, name=NAME, find=opencode.find_databases(NAME), suffix=f"/{NAME}.db"),
    ),
)
