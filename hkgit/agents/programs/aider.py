"""aider. Its model calls no tools, so neither hooks nor words help it.

It can keep what its model was shown, and what that has answered:
aider.chat/docs/config/aider_conf.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hkgit.agents.agent import Agent, Settings
from hkgit.agents.logged_call import Log
from hkgit.agents.transcripts import aider_chat, aider_history

_AIDER = """\
llm-history-file: .aider.llm.history
auto-commits: false
dirty-commits: false
git-commit-verify: true
"""


def _build_settings(command: str) -> Settings:
    return {".aider.conf.yml": _AIDER}


def _find_logs(home: Path, environment: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Path]:
    """The history of its model's calls, where its settings name one, else that of its chats."""
    told = environment.get("AIDER_LLM_HISTORY_FILE") or ".aider.llm.history"
    chats = environment.get("AIDER_CHAT_HISTORY_FILE") or ".aider.chat.history.md"
    return (root / (told if (root / told).is_file() else chats) for root in roots)


AGENT = Agent(
    name="aider",
    settings=_build_settings,
    logs=(
        Log("aider", _find_logs, suffix=aider_chat.SUFFIX, read=aider_chat.read_chat),
        Log("aider", _find_logs, suffix=aider_history.SUFFIX, read=aider_history.read_history),
    ),
    remaining=(
        r"keep aider's own files out of commits: printf '.aider*\n!.aider.conf.yml\n' >>.gitignore",
        "when aider has edited: git add -A && hkgit adopt --staged && git commit",
    ),
)
