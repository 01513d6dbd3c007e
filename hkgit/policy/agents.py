"""agents.py: who counts as an agent, by the names that a commit bears."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

KNOWN_AGENTS = (
    "*[[]bot]*", "aider*", "*(aider)*", "amp <*", "claude <*", "claude-*", "claude code*",
    "*noreply@anthropic.com>", "codex*", "*noreply@openai.com>", "*copilot*", "cursor agent*",
    "*cursoragent@cursor.com>", "devin <*", "devin-*", "devin ai*", "gemini*", "goose*",
    "hkgit-agent*", "jules <*", "jules-*", "openhands*", "opencode*", "windsurf*",
)  # fmt: skip
"""Globs on `Name <email>`, in lower case, of agents that commit under a name of their own.

People are called Claude, Devin and Jules too; then a family name follows.
"""

_CO_AUTHOR = re.compile(rb"^co-authored-by[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)


def matches(identity: str, globs: Sequence[str]) -> bool:
    """Whether a `Name <email>` fits one of some globs, whatever the case of its letters."""
    return any(fnmatchcase(identity.lower(), glob.lower()) for glob in globs)


def co_authors(message: bytes) -> Iterator[str]:
    """Everyone a message names as co-author, wherever in it."""
    for found in _CO_AUTHOR.findall(message):
        yield found.decode("utf-8", "replace").strip()
