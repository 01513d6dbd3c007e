"""Agents: hooks, servers, prompts and set-up by which coding agents work through hkgit.

Those with hooks have `list_parts` (settings), `read_event` (of a hook's input), `DENIAL` and `NOTE`
(what a hook answers); the rest get words.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from hkgit.agents.events import ToolEvent
from hkgit.agents.setup.settings import Part
from hkgit.text.strict_json import JsonObject

HOOKED = (
    "claude",
    "cline",
    "codex",
    "copilot",
    "cursor",
    "gemini",
    "goose",
    "kilo",
    "opencode",
    "pi",
    "qwen",
    "windsurf",
)
"""Agents that offer hooks on the calls of their tools."""

UNSHOWN = ("windsurf",)
"""Those that do not tell what their tools have shown: recorded, their edits are blind."""

PLAIN = ("aider", "other")
"""Agents without hooks: aider gets settings, all others words in AGENTS.md."""

MODES = ("record", "steer")
"""Let an agent's own tools edit and record it, or have it use hkgit's."""


class Agent(Protocol):
    """What the module of an agent with hooks offers."""

    NAME: str
    EDIT_TOOL: str
    """What this agent calls the tool `edit` of hkgit's server."""

    DENIAL: JsonObject
    """What stops a call, with `SAID` for the reason, which the model reads."""
    NOTE: JsonObject | None
    """What tells the model something after a call; None where nothing does."""

    def list_parts(self, command: str) -> list[Part]: ...

    def read_event(self, payload: JsonObject) -> ToolEvent | None: ...


def find_agent(name: str) -> Agent:
    """Find the module of an agent with hooks."""
    return cast(Agent, import_module(f"{__name__}.hooks.{name}"))


def parts_of(name: str, mode: str) -> Sequence[Part]:
    """List the settings that connect an agent."""
    if name in PLAIN:
        from hkgit.agents.hooks import hookless

        return hookless.list_parts(name)
    return find_agent(name).list_parts(
        f"hkgit hook {name}" + (" --steer" if mode == "steer" else "")
    )
