"""rulings.py: what a run of the gate comes to: a ruling a commit, a report in all."""

from __future__ import annotations

from dataclasses import dataclass

from hkgit.policy.model import Policy
from hkgit.replay.findings import Finding, Judged

REJECTED = "hkgit-rejected"
"""The file that the gate, as a hook of a transaction, leaves in the git directory it judged."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy lets it pass."""

    judged: Judged
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The rulings of one run of the gate; provisional on a client, whose hooks can be skipped."""

    policy: Policy
    rulings: tuple[Ruling, ...]
    provisional: bool = False

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or all(ruling.passes for ruling in self.rulings)
