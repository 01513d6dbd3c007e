"""conversation.py: find the session of an agent's conversation: its hooks and calls share one.

Agents tell of it in the environment of a server that they start, or beside each call.
"""

from __future__ import annotations

from collections.abc import Mapping

from hkgit.agents.tools import session_name


def session_of_process(environment: Mapping[str, str]) -> str | None:
    """Name the session of the agent that has started this process, where it says which."""
    conversation = environment.get("CLAUDE_CODE_SESSION_ID")
    return session_name("claude", conversation) if conversation else None


def id_of_call(meta: object) -> str | None:
    """Read how the agent names a call from the `_meta` of its request, as Claude Code's has it."""
    named = meta.get("claudecode/toolUseId") if isinstance(meta, Mapping) else None
    return named if isinstance(named, str) else None


def session_of_call(meta: object) -> str | None:
    """Name the session of a call from the `_meta` of its request, as Codex's has it."""
    turn = meta.get("x-codex-turn-metadata") if isinstance(meta, Mapping) else None
    if not isinstance(turn, Mapping) or not isinstance(turn.get("session_id"), str):
        return None
    conversation, thread = turn["session_id"], turn.get("thread_id")
    # A sub-agent has a thread of its own.
    return session_name("codex", conversation, None if thread == conversation else thread)
