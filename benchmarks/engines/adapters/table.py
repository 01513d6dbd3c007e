"""table.py: every engine by the name that a table calls it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.engines.adapters import Session, commands, local, peers


@dataclass(frozen=True, slots=True)
class Entry:
    """How to start an engine, given the cache; of the cases it gets every `stride`-th.

    Edits of every place are for those alone whose notation can say so.
    """

    start: Callable[[Path], Session]
    stride: int = 1
    can_replace_all: bool = False


ENGINES: dict[str, Entry] = {
    "hkgit": Entry(local.hkgit, can_replace_all=True),
    "exact-unique": Entry(local.exact_unique, can_replace_all=True),
    "git-apply": Entry(commands.git_apply),
    "gnu-patch": Entry(commands.gnu_patch),
    "aider": Entry(partial(peers.peer, "aider")),
    "openai-agents": Entry(partial(peers.peer, "openai-agents")),
    "codex": Entry(commands.codex),
    "diff-match-patch": Entry(partial(peers.peer, "diff-match-patch")),
    # Seconds a case: all of them would take hours.
    "harnesskit": Entry(partial(peers.peer, "harnesskit"), stride=15),
}
