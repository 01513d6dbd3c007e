"""model.py: a policy as values: the rules of the gate, and who is granted what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from hkgit.policy.agents import KNOWN_AGENTS, co_authors, matches
from hkgit.replay.findings import Verdict

BUILT_IN = "built-in policy"

ACCEPTED = (
    "strict", "reanchored", "merge", "revert", "prune", "empty", "manual", "ungoverned",
)  # fmt: skip
"""Verdicts that pass by default."""

ACCEPTABLE = tuple(
    dict.fromkeys(
        each for each in (*ACCEPTED, *Verdict) if each not in (Verdict.FAIL, Verdict.UNVERIFIABLE)
    )
)
"""Verdicts that a policy may let pass."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may change which paths by hand: by name (clients only) or by signing key."""

    paths: tuple[str, ...]
    names: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def covers(self, paths: Sequence[str]) -> bool:
        """Whether every path is granted."""
        return all(any(fnmatchcase(path, glob) for glob in self.paths) for path in paths)


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of the gate; floors are per mille; `source` says where they were read."""

    mode: str = "enforce"
    govern: str = "agents"
    agents: tuple[str, ...] = KNOWN_AGENTS
    accept: tuple[str, ...] = ("hash", "receipt")
    verdicts: tuple[str, ...] = ACCEPTED
    tiers: tuple[str, ...] | None = None
    ladders: tuple[int, ...] | None = None
    min_confidence: int = 0
    since: str | None = None
    manual: tuple[Grant, ...] = ()
    refs: tuple[str, ...] = ("refs/heads/*", "refs/tags/*")
    rewrites: str = "judge"
    source: str = BUILT_IN
    table: Mapping[str, Any] | None = field(default=None, compare=False)

    def protects(self, ref: str) -> bool:
        """Whether a push to this ref is judged."""
        return any(fnmatchcase(ref, glob) for glob in self.refs)

    def is_agent(self, identity: str) -> bool:
        """Whether a `Name <email>` is one of the agents."""
        return matches(identity, self.agents)

    def governing_name(self, identities: Sequence[str], message: bytes | None) -> str | None:
        """The first of author, committer and co-authors who is an agent."""
        everyone = [*identities, *co_authors(message or b"")]
        return next((name for name in everyone if self.is_agent(name)), None)
