"""parsing.py: a policy from its table, every key checked."""

from __future__ import annotations

from typing import Any

from hkgit.applying.evidence import KINDS
from hkgit.policy.agents import KNOWN_AGENTS
from hkgit.policy.model import ACCEPTABLE, ACCEPTED, Grant, Policy
from hkgit.policy.table import Table


def parse_policy(table: Any, source: str) -> Policy:
    """A policy from its table. Raises InvalidInput, naming the key."""
    reader = Table(source, table)
    reader.check_keys(
        "mode", "govern", "agents", "accept", "verdicts", "tiers", "ladders", "min_confidence",
        "since", "manual", "refs", "rewrites",
    )  # fmt: skip
    return Policy(
        mode=reader.choice("mode", ("enforce", "warn", "report"), "enforce"),
        govern=reader.choice("govern", ("agents", "all"), "agents"),
        agents=(*KNOWN_AGENTS, *reader.texts("agents", ())),
        accept=reader.choices("accept", KINDS, ("hash", "receipt")),
        verdicts=reader.choices("verdicts", ACCEPTABLE, ACCEPTED),
        tiers=reader.texts("tiers", None),
        ladders=reader.integers("ladders"),
        min_confidence=reader.per_mille("min_confidence"),
        since=reader.text("since"),
        manual=tuple(map(_grant, reader.tables("manual"))),
        refs=reader.texts("refs", ("refs/heads/*", "refs/tags/*")),
        rewrites=reader.choice("rewrites", ("judge", "refuse"), "judge"),
        source=source,
        table=table,
    )


def _grant(reader: Table) -> Grant:
    reader.check_keys("paths", "names", "keys")
    paths = reader.texts("paths", ())
    if not paths:
        raise reader.wrong("paths", "at least one glob")
    return Grant(paths, reader.texts("names", ()), reader.texts("keys", ()))
