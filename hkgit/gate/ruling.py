"""Rulings on commits, and what one run of the gate comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hkgit.evidence.verdict import Finding, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.values import dataclass

BY_HAND, NO_EVIDENCE = "by hand", "no evidence"
"""What replay says of a person's commit, and of an agent's, that has nothing to be replayed."""

_BY_GIT = (Verdict.MERGE, Verdict.REVERT, Verdict.PRUNE)


@dataclass(frozen=True)
class RuleResult:
    """One rule that was tried on a commit, and what it said."""

    rule: str
    says: str


@dataclass(frozen=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy accepts it.

    `tried` holds the rules in the order in which they were tried. A commit that a record of
    break-glass accepts keeps its findings. `evidence` says in words how tight the evidence of each
    file is, where that was asked. `replayed` is what replay says before any rule of the policy is
    asked, None where there is no evidence to replay; the verdict of `judged` is what replay and
    policy come to. `agent` is the name by which the commit is an agent's. `redo` is the option with
    which `hkgit redo` makes one that passes of a rejected commit; None where none is known.
    """

    judged: ReplayResult
    replayed: Verdict | None
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()
    tried: tuple[RuleResult, ...] = ()
    evidence: tuple[str, ...] = ()
    agent: str | None = None
    redo: str | None = ""

    @property
    def replay(self) -> str:
        """What can be derived, whatever the policy thinks of it: a verdict, or why nothing can."""
        if self.replayed is not None:
            return str(self.replayed)
        return BY_HAND if self.agent is None else NO_EVIDENCE

    @property
    def is_agents(self) -> bool:
        """Whether an agent made it, as far as anybody can tell."""
        is_by_git = self.replay in _BY_GIT
        return bool(self.judged.entries) or (self.agent is not None and not is_by_git)

    @property
    def is_bare(self) -> bool:
        """Whether it is an agent's without evidence, even if a person vouches for it."""
        is_without = self.replay in (NO_EVIDENCE, Verdict.VOUCHED)
        return is_without and self.is_agents and not self.judged.entries


BEFORE_SINCE = "before since"
"""The rule by which a commit passes that came before the policy's `since`."""

_OF_RECORDS = ("break-glass", BEFORE_SINCE)
_MAY_CHANGE = frozenset(
    {
        Verdict.ATTESTED,
        Verdict.RECOVERED,
        Verdict.REVERT,
        Verdict.VOUCHED,
        Verdict.UNVERIFIABLE,
        Verdict.FAIL,
    }
)
"""Verdicts that may change with time: refs move, records and keys come, objects are fetched."""


def is_lasting(ruling: Ruling) -> bool:
    """Whether neither refs nor what is fetched later can change what is said of a commit."""
    judged = ruling.judged
    if judged.verdict in _MAY_CHANGE or ruling.rule in _OF_RECORDS:
        return False
    if not judged.candidate.parents:
        return not judged.entries
    return not is_of_one_ref(ruling)


def is_of_one_ref(ruling: Ruling) -> bool:
    """Whether it hangs on the ref that the commit is for, so that for another it may differ.

    A statement names a ref, entries go that its old side has, and a merge keeps what it had.
    """
    judged = ruling.judged
    if judged.verdict is Verdict.MERGE:
        return bool(judged.entries)
    return judged.verdict in (Verdict.ATTESTED, Verdict.PRUNE) or not judged.candidate.parents


@dataclass
class Report:
    """What one run of the gate comes to: a policy, and rulings, which may be counted and not kept.

    `provisional` is one on a client, whose hooks can be skipped. With `explain` it is told which
    rules were tried on each commit.
    """

    policy: Policy
    rulings: tuple[Ruling, ...] = ()
    provisional: bool = False
    explain: bool = False
    told: int = 0
    told_rejected: int = 0

    def watch(self, rulings: Iterable[Ruling]) -> Iterator[Ruling]:
        """Pass rulings on that are not kept, and count them."""
        for ruling in rulings:
            self.told += 1
            self.told_rejected += not ruling.passes
            yield ruling

    @property
    def count(self) -> int:
        """How many commits were judged."""
        return len(self.rulings) + self.told

    @property
    def rejected(self) -> int:
        """How many of them do not pass."""
        return sum(not ruling.passes for ruling in self.rulings) + self.told_rejected

    @property
    def passes(self) -> bool:
        """Whether nothing is rejected, or the policy only warns or reports."""
        return self.policy.mode != "enforce" or not self.rejected

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to tell: no finding, not even of what was accepted."""
        return not any(ruling.findings for ruling in self.rulings)
