"""sums.py: the values of the pages over tables: of all repositories, or of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hkgit.audit.commits import STANDINGS
from hkgit.audit.page.shown_facts import Period
from hkgit.gate.rulings import AGENT, NO_EVIDENCE
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class RepositorySum:
    """One repository; `blind` counts edits that its policy does not accept, `derived` commits
    by agents that can be derived.

    `exported` says when its rows were looked at last, `status` how that went.
    """

    name: str
    url: str | None
    status: str
    error: str | None
    exported: datetime
    policy_source: str | None
    commits: int
    passing: int
    derived: int
    edits: int
    blind: int
    newest: datetime | None
    standings: Mapping[str, int]
    made_by: Mapping[str, int]

    @property
    def is_whole(self) -> bool:
        """Whether its last export went well."""
        return self.status == "ok"

    @property
    def failing(self) -> int:
        return self.commits - self.passing

    @property
    def by_agents(self) -> int:
        return self.made_by[AGENT] + self.made_by[NO_EVIDENCE]

    @property
    def bare(self) -> int:
        return self.made_by[NO_EVIDENCE]

    @property
    def badness(self) -> tuple[bool, float, float, float]:
        """A key that sorts the worst last."""
        failing = self.failing / self.commits if self.commits else 0.0
        bare = self.bare / self.by_agents if self.by_agents else 0.0
        return not self.is_whole, failing, bare, self.blind / self.edits if self.edits else 0.0


@dataclass(frozen=True, slots=True)
class AgentSum:
    """One agent over all; `repositories` says in how many it worked."""

    name: str
    repositories: int
    commits: int
    derived: int
    passing: int
    bare: int
    edits: int
    lowest: float | None
    evidence: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CommitSum:
    """One of the commits to look at first."""

    id: str
    time: datetime
    who: str
    subject: str
    standing: str
    passes: bool
    rule: str
    evidence: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class RuleSum:
    """A rule that commits break: how often, and what it is for."""

    rule: str
    findings: int
    commits: int
    meaning: str


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file by what agents changed of it unseen."""

    path: str
    commits: int
    removed: int
    unseen: int


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a page shows: of all repositories, or of one with its commits and files."""

    repositories: tuple[RepositorySum, ...]
    agents: tuple[AgentSum, ...]
    periods: tuple[Period, ...]
    rules: tuple[RuleSum, ...]
    commits: tuple[CommitSum, ...] = ()
    files: tuple[FileSum, ...] = ()

    @property
    def count(self) -> int:
        return sum(each.commits for each in self.repositories)

    @property
    def passing(self) -> int:
        return sum(each.passing for each in self.repositories)

    @property
    def edits(self) -> int:
        return sum(each.edits for each in self.repositories)

    @property
    def blind(self) -> int:
        return sum(each.blind for each in self.repositories)

    @property
    def standings(self) -> dict[str, int]:
        return {name: sum(each.standings[name] for each in self.repositories) for name in STANDINGS}

    @property
    def derived(self) -> int:
        """Commits by agents that can be derived."""
        return sum(each.derived for each in self.repositories)

    @property
    def by_agents(self) -> int:
        return sum(each.by_agents for each in self.repositories)

    @property
    def broken(self) -> int:
        """How many repositories could not be looked at last time."""
        return sum(not each.is_whole for each in self.repositories)


@dataclass(frozen=True, slots=True)
class TableSums:
    """The facts of all repositories, the worst first, and of each by its name."""

    whole: TableFacts
    single: Mapping[str, TableFacts]
