"""Kilo Code's command line, a fork of OpenCode: kilo.ai/docs/cli."""

from __future__ import annotations

from hkgit.agents.programs import opencode
from hkgit.agents.setup.settings import Part
from hkgit.values import replace

NAME = "kilo"
_NEW = '{\n  "$schema": "https://app.kilo.ai/config.json"\n}\n'


def _list_parts(command: str) -> list[Part]:
    return opencode.build_parts(command, NAME, "kilo.json", _NEW)


AGENT = replace(opencode.AGENT, name=NAME, list_parts=_list_parts, logs=(opencode.keep_log(NAME),))
