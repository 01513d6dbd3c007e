"""trail.py: the commits of a history, each judged once, under one policy, by the one judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from fnmatch import fnmatchcase

from hkgit.applying.evidence import is_weak
from hkgit.audit.commits import STANDINGS, AuditedCommit, audit_commit, fold_agent
from hkgit.evidence.replay.findings import Verdict
from hkgit.gate import Gate, candidate_of
from hkgit.gate.rulings import NO_EVIDENCE, NOTHING, Ruling
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace

BEFORE_SINCE = "before since"
"""The rule by which a commit passes that came before the policy's `since`."""

PASSES, FAILS = "passes", "fails"
VERDICT_WORDS = (PASSES, FAILS, *map(str, Verdict), NOTHING, *STANDINGS)
"""What a filter by verdict may ask for."""


@dataclass(frozen=True, slots=True)
class Trail:
    """Tells of commits what can be derived and whether the gate's policy lets them pass."""

    repository: Repository
    gate: Gate

    def rule(self, commit: str) -> Ruling:
        """Judge a commit; one before the policy's `since` passes."""
        ruling = self.gate.judge(candidate_of(self.repository, commit))
        since = self.gate.policy.since
        if ruling.passes or since is None:
            return ruling
        start = self.repository.resolve(since)
        is_before = self.repository.is_ancestor(commit, start)
        return replace(ruling, passes=True, rule=BEFORE_SINCE) if is_before else ruling

    def tell(self, commit: str) -> AuditedCommit:
        """Judge and describe a commit."""
        return audit_commit(self.rule(commit))

    def find(self, commits: Iterable[str], wanted: CommitFilter) -> Iterator[AuditedCommit]:
        """Find those of some commits that fit a filter, as they are judged."""
        return (audited for each in commits if wanted.fits(audited := self.tell(each)))


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """What a commit must be; None and False ask for nothing.

    `agent` and `author` are globs, of an agent with or without its version; `below` is per mille;
    `verdict` is one of `VERDICT_WORDS`: what replay says, the verdict, a standing, or the policy's.
    """

    agent: str | None = None
    author: str | None = None
    verdict: str | None = None
    is_blind: bool = False
    below: int | None = None

    @property
    def asks(self) -> bool:
        """Whether it leaves anything out."""
        return self != CommitFilter()

    def fits(self, commit: AuditedCommit) -> bool:
        """Whether a commit is wanted."""
        return (
            (self.agent is None or fits_agent(commit.agents, self.agent))
            and (self.author is None or _fits(commit.author, self.author))
            and (self.verdict is None or self.verdict in _words_of(commit))
            and (not self.is_blind or is_weak_commit(commit))
            and (self.below is None or _is_below(commit, self.below))
        )


def is_weak_commit(commit: AuditedCommit) -> bool:
    """Whether an agent may have written some of it unseen, as far as anybody can tell."""
    if commit.weakest is None:
        return commit.made_by == NO_EVIDENCE
    return is_weak(commit.weakest) or bool(commit.ruling.judged.leftovers)


def _is_below(commit: AuditedCommit, below: int) -> bool:
    return commit.confidence is not None and commit.confidence < below


def _words_of(commit: AuditedCommit) -> tuple[str, ...]:
    verdict = str(commit.ruling.judged.verdict)
    return commit.replay, verdict, commit.standing, PASSES if commit.passes else FAILS


def fits_agent(agents: Iterable[str], glob: str) -> bool:
    """Whether one of some agents fits a glob, with or without its version."""
    return any(_fits(each, glob) or _fits(fold_agent(each), glob) for each in agents)


def _fits(text: str, glob: str) -> bool:
    """Whether a text fits a glob, whatever the case; a plain word fits anywhere in it."""
    folded, wanted = text.casefold(), glob.casefold()
    has_star = any(char in wanted for char in "*?[")
    return fnmatchcase(folded, wanted) if has_star else wanted in folded


def format_rfc3339(time: datetime) -> str:
    """Write a moment as RFC 3339 does."""
    return time.isoformat(timespec="seconds")
