"""tally.py: count judged commits; plain numbers that add up across processes and runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hkgit.audit.commits import AuditedCommit, fold_agent
from hkgit.text.json_nodes import Json, JsonObject

KINDS = ("replay", "made_by", "standing", "evidence", "agents")
"""What commits are counted by; `evidence` counts edits, and `agents` a commit by each."""


class Tally:
    """Numbers of commits: all, those that the policy lets pass, and by each of `KINDS`."""

    def __init__(self, document: Mapping[str, Json] | None = None) -> None:
        found = document or {}
        self.commits = int(found.get("commits", 0))
        self.passing = int(found.get("passing", 0))
        self.by = {kind: Counter[str](found.get(kind, {})) for kind in KINDS}

    def count(self, commit: AuditedCommit) -> None:
        """Add one commit."""
        self.commits += 1
        self.passing += commit.passes
        self.by["replay"][commit.replay] += 1
        self.by["made_by"][commit.made_by] += 1
        self.by["standing"][commit.standing] += 1
        self.by["evidence"].update(commit.evidence)
        self.by["agents"].update({fold_agent(agent) for agent in commit.agents})

    def add(self, other: Tally) -> None:
        """Add what another one has counted."""
        self.commits += other.commits
        self.passing += other.passing
        for kind in KINDS:
            self.by[kind].update(other.by[kind])

    def to_json(self) -> JsonObject:
        """Write the numbers as `Tally` reads them."""
        return {
            "commits": self.commits,
            "passing": self.passing,
            **{kind: dict(sorted(self.by[kind].items())) for kind in KINDS},
        }


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add up some tallies."""
    total = Tally()
    for each in tallies:
        total.add(each)
    return total
