"""What the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from hkgit.applying.evidence import STRONGEST_FIRST
from hkgit.audit.commits import (
    ATTESTED,
    DERIVED,
    NOT_DERIVED,
    PARTLY,
    VOUCHED,
    AuditedCommit,
    audit_commit,
    count_standings,
    fold_agent,
    is_weak_commit,
    median,
    strength_of,
)
from hkgit.audit.page.heat import FileHeat, list_paths, measure_heat
from hkgit.audit.page.hunks import ReviewHunk, list_hunks
from hkgit.audit.reports.fix import mend
from hkgit.audit.tables.figures import (
    AgentFigures,
    Period,
    list_agents,
    list_periods,
    open_rows_of,
)
from hkgit.evidence.refusal_log import RefusedAttempt
from hkgit.evidence.verdict import Finding
from hkgit.gate.ruling import BY_GIT, BY_HAND, NO_EVIDENCE, Report
from hkgit.git.repository import Repository
from hkgit.text.escape import visible
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
        return tuple(kind for kind in STRONGEST_FIRST if self.commit.evidence[kind]) or bare


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """A rule, and where it was broken by commits that do not pass."""

    rule: str
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
    agents: tuple[AgentFigures, ...]
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
    def line_kinds(self) -> tuple[str, ...]:
        """On what lines of the files rest, the strongest evidence first."""
        kinds = {each.kind for file in self.files for each in file.stretches}
        return tuple(sorted(kinds, key=lambda kind: (strength_of(kind), kind)))

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


MOST_ROWS = 8_000
"""Lines of diffs on one page: the weakest commits come first, the rest is named."""

MOST_FINDINGS = 300
_OPEN = 4
"""What a commit that can be opened weighs, in lines of diffs."""

MOST_NAMED = 8
"""Agents on the first screen: those of most commits."""

_GROUPS = {
    NO_EVIDENCE: 0,
    NOT_DERIVED: 0,
    VOUCHED: 1,
    PARTLY: 1,
    DERIVED: 2,
    ATTESTED: 3,
    BY_HAND: 4,
}
_BESIDE = {BY_HAND: 4, BY_GIT: 5}
"""Where the commits of agents stand in the order of review, and those of others."""


def gather_facts(
    repository: Repository,
    title: str,
    name: str,
    ends: tuple[str, str],
    report: Report,
    refusals: Sequence[RefusedAttempt] = (),
) -> PageFacts:
    """Collect everything of a report that the page shows."""
    audited = [audit_commit(ruling) for ruling in report.rulings]
    commits = tuple(_page_commits(repository, sorted(audited, key=_weakness)))
    edits = [edit for commit in audited for edit in commit.edits]
    sure = [edit.confidence for edit in edits]
    with open_rows_of(audited, report.policy) as database:
        agents = tuple(list_agents(database, refusals)[""])
        periods, step = list_periods(database).get("", ((), "day"))
    return PageFacts(
        title=visible(title),
        name=visible(name),
        ends=ends,
        report=report,
        commits=commits,
        standings=count_standings(audited),
        agents=agents,
        people=len({commit.author for commit in audited if commit.standing == BY_HAND}),
        periods=periods,
        step=step,
        files=measure_heat(repository, audited, report.policy, ends[1]),
        groups=tuple(_groups(commits)),
        confidences=tuple(sure),
        lowest=min(sure, default=None),
        middle=median(sure),
        evidence=sum((commit.evidence for commit in audited), Counter()),
        refusals=tuple(sorted(refusals, key=lambda each: -each.time)),
    )


def _weakness(commit: AuditedCommit) -> tuple[int, int, int, float]:
    group = _BESIDE.get(commit.made_by, _GROUPS[commit.standing])
    strength = 0 if commit.weakest is None else strength_of(commit.weakest)
    sure = 1000 if commit.confidence is None else commit.confidence
    return group, -strength, sure, -commit.time.timestamp()


def _page_commits(repository: Repository, commits: Sequence[AuditedCommit]) -> Iterator[PageCommit]:
    left = MOST_ROWS
    for commit in commits:
        hunks = None
        if left > 0:
            hunks = list_hunks(repository, commit)
            left -= _OPEN + sum(len(hunk.rows) + 2 for hunk in hunks)
        paths = tuple(map(visible, list_paths(repository, commit)))
        yield PageCommit(commit, hunks, paths, visible(mend(commit.ruling)))


def _groups(commits: Sequence[PageCommit]) -> Iterator[FindingGroup]:
    found: dict[str, list[tuple[PageCommit, Finding]]] = {}
    count = 0
    for each in commits:
        for finding in each.commit.ruling.findings if not each.commit.passes else ():
            count += 1
            if count <= MOST_FINDINGS:
                found.setdefault(finding.rule, []).append((each, finding))
    for rule, findings in sorted(found.items(), key=lambda item: -len(item[1])):
        yield FindingGroup(rule, tuple(findings))
