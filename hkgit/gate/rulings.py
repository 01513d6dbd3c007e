"""rulings.py: what a run of the gate comes to: a ruling a commit, a report in all."""

from __future__ import annotations

from dataclasses import dataclass

from hkgit.policy.model import Policy
from hkgit.replay.findings import Finding, Judged

REJECTED = "hkgit-rejected"
"""The file that the gate, as a hook of a transaction, leaves in the git directory it judged."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One rule that was tried on a commit, and what it said."""

    rule: str
    says: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy lets it pass.

    `tried` holds the rules in the order in which they were tried. A commit that a record of
    break-glass lets pass keeps its findings.
    """

    judged: Judged
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()
    tried: tuple[Tried, ...] = ()


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

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to tell: no finding, not even of what was let pass."""
        return not any(ruling.findings for ruling in self.rulings)
