"""The result of a run of the gate: one ruling a commit, in one report."""

from __future__ import annotations

from hkgit.evidence.verdict import Finding, ReplayResult, Verdict
from hkgit.gate.policy.model import Policy
from hkgit.values import dataclass

REJECTED = "hkgit-rejected"
"""The file in the git directory by which a hook tells `hkgit apply` that the gate rejected."""

NOTHING = "none"
"""What replay says of a commit in which nothing stands that could be replayed."""

AGENT, NO_EVIDENCE, BY_HAND, BY_GIT = "agent", "agent, no evidence", "by hand", "git"
UNKNOWN = "unknown"
"""By whom a commit was made, and whether evidence says how; unknown where it cannot be read."""

_UNREAD = (Verdict.UNVERIFIABLE, Verdict.FAIL)
_BY_GIT = (Verdict.MERGE, Verdict.REVERT, Verdict.PRUNE)


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One rule that was tried on a commit, and what it said."""

    rule: str
    says: str


@dataclass(frozen=True, slots=True)
class Before:
    """The paths that a commit changes, and what making it again asks for.

    `is_merged` says that it is as git merges it, `for_person` that no evidence lets an agent change
    one of them, and `is_granted` that the policy grants all of them to somebody. `by_hand` is the
    rule that has to be kept by hand before evidence helps, `late` where none from afterwards does.
    """

    paths: tuple[str, ...] = ()
    is_merged: bool = False
    for_person: bool = False
    is_granted: bool = False
    by_hand: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One commit: what replay says, and whether and why the policy lets it pass.

    `tried` holds the rules in the order in which they were tried. A commit that a record of
    break-glass lets pass keeps its findings. `before` is what it takes to make a rejected one
    again. `evidence` says in words how tight the evidence of each file is, where that was asked.
    `replayed` is what replay says before any rule of the policy is asked, None where there
    is no evidence to replay; the verdict of `judged` is what replay and policy come to. `agent` is
    the name by which the commit is an agent's.
    """

    judged: ReplayResult
    replayed: Verdict | None
    passes: bool
    rule: str
    findings: tuple[Finding, ...] = ()
    tried: tuple[RuleResult, ...] = ()
    before: Before = Before()
    evidence: tuple[str, ...] = ()
    agent: str | None = None

    @property
    def replay(self) -> str:
        """What can be derived, whatever the policy thinks of it: a verdict, or `none`."""
        return NOTHING if self.replayed is None else str(self.replayed)

    @property
    def made_by(self) -> str:
        """Who made the commit: an agent, one without evidence, a person by hand, git, unknown."""
        if self.judged.entries:
            return AGENT
        if self.replay in _BY_GIT:
            return BY_GIT
        if self.agent is None:
            # A shallow clone, or entries of a newer version: nobody is known, a person neither.
            return UNKNOWN if self.replayed in _UNREAD else BY_HAND
        return NO_EVIDENCE if self.replay in (NOTHING, Verdict.VOUCHED) else AGENT


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
