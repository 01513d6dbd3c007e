"""shown_facts.py: what the page shows, as values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from hkgit.applying.evidence import KINDS
from hkgit.audit.commits import (
    DERIVED,
    NOT_DERIVED,
    PARTLY,
    AuditedCommit,
    fold_agent,
)
from hkgit.audit.page.heat import FileHeat
from hkgit.audit.page.hunks import ReviewHunk
from hkgit.audit.trail import is_weak_commit
from hkgit.evidence.refusals import RefusedAttempt
from hkgit.evidence.replay.findings import Finding
from hkgit.gate.rulings import NO_EVIDENCE, Report
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class PageCommit:
    """A commit on the page; `hunks` is None where its details are left out."""

    commit: AuditedCommit
    hunks: tuple[ReviewHunk, ...] | None
    paths: tuple[str, ...]
    mend: str

    @property
    def anchor(self) -> str:
        return f"c-{self.commit.id[:12]}"

    @property
    def unseen(self) -> int:
        return sum(hunk.unseen for hunk in self.hunks or ())

    @property
    def agent_names(self) -> tuple[str, ...]:
        """What a filter by agent compares: names without versions."""
        return tuple(dict.fromkeys(map(fold_agent, self.commit.agents)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """What a filter by evidence compares."""
        bare = ("no evidence",) if self.commit.made_by == NO_EVIDENCE else ()
        return tuple(kind for kind in KINDS if self.commit.evidence[kind]) or bare


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent in numbers; `bare` are its commits without evidence, `refused` its refusals."""

    name: str
    versions: tuple[str, ...]
    commits: int
    derived: int
    passing: int
    edits: int
    evidence: Mapping[str, int]
    bare: int
    lowest: int | None
    refused: int


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the timeline: its first day, and its commits by standing."""

    start: date
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """A rule, what it is for, and where it was broken by commits that do not pass."""

    rule: str
    meaning: str
    findings: tuple[tuple[PageCommit, Finding], ...]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The page of one range; commits stand in the order of review, the weakest first."""

    title: str
    name: str
    ends: tuple[str, str]
    report: Report
    commits: tuple[PageCommit, ...]
    standings: Mapping[str, int]
    agents: tuple[AgentRow, ...]
    people: int
    periods: tuple[Period, ...]
    step: str
    files: tuple[FileHeat, ...]
    groups: tuple[FindingGroup, ...]
    confidences: tuple[int, ...]
    lowest: int | None
    middle: int | None
    evidence: Mapping[str, int]
    refusals: tuple[RefusedAttempt, ...] = ()

    @property
    def passing(self) -> int:
        return sum(each.commit.passes for each in self.commits)

    @property
    def left_out(self) -> int:
        """How many commits stand without their hunks."""
        return sum(each.hunks is None for each in self.commits)

    @property
    def derived(self) -> int:
        return self.standings[DERIVED]

    @property
    def edits(self) -> int:
        return sum(self.evidence.values())

    @property
    def look_first(self) -> tuple[PageCommit, ...]:
        """The weakest commits of agents, of which the first screen speaks."""
        weak = (each for each in self.commits if needs_a_look(each))
        return tuple(each for _, each in zip(range(5), weak, strict=False))

    @property
    def days(self) -> tuple[date, date] | None:
        times = [each.commit.time.date() for each in self.commits]
        return (min(times), max(times)) if times else None


def needs_a_look(each: PageCommit) -> bool:
    """Whether a person should look at it first."""
    commit = each.commit
    is_open = commit.standing in (NOT_DERIVED, PARTLY)
    is_unsure = commit.confidence is not None and commit.confidence < 900
    return not commit.passes or is_open or is_unsure or is_weak_commit(commit)
