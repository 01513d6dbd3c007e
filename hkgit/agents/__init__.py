"""Agents: hooks, servers, prompts and set-up by which coding agents work through hkgit."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.agents.agent import Agent

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

PLAIN = ("aider", "other")
"""Agents without hooks: aider gets settings, all others words in AGENTS.md."""

MODES = ("record", "steer")
"""Let an agent's own tools edit and record it, or have it use hkgit's."""


def find_agent(name: str) -> Agent:
    """Find what is known of an agent."""
    found: Agent = import_module(f"{__name__}.programs.{name}").AGENT
    return found


def list_logged() -> list[str]:
    """List the agents whose logs are found by themselves and can be read."""
    return sorted(name for name in (*HOOKED, *PLAIN) if find_agent(name).logs)
