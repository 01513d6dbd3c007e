"""facts.py: everything that the page shows, counted once, ready for the template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from hkgit.audit.commits import (
    ATTESTED,
    DERIVED,
    NOT_DERIVED,
    PARTLY,
    STANDINGS,
    VOUCHED,
    AuditedCommit,
    audit_commit,
    count_standings,
    fold_agent,
    median,
    strength_of,
)
from hkgit.audit.page.heat import list_paths, measure_heat
from hkgit.audit.page.hunks import list_hunks
from hkgit.audit.page.shown_facts import AgentRow, FindingGroup, PageCommit, PageFacts, Period
from hkgit.audit.reports.mending import mend
from hkgit.audit.reports.rules import describe_rule
from hkgit.evidence.refusals import RefusedAttempt
from hkgit.evidence.replay.findings import Finding
from hkgit.gate.rulings import BY_GIT, BY_HAND, NO_EVIDENCE, Report
from hkgit.git.repository import Repository
from hkgit.text.escaping import visible

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
    periods, step = _periods(audited)
    return PageFacts(
        title=visible(title),
        name=visible(name),
        ends=ends,
        report=report,
        commits=commits,
        standings=count_standings(audited),
        agents=tuple(_agents(audited, refusals)),
        people=len({commit.author for commit in audited if commit.standing == BY_HAND}),
        periods=periods,
        step=step,
        files=measure_heat(repository, audited, report.policy, ends[1]),
        groups=tuple(_groups(commits)),
        confidences=tuple(sure),
        lowest=min(sure, default=None),
        middle=median(sure),
        evidence=Counter(edit.evidence for edit in edits),
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


def _agents(
    commits: Sequence[AuditedCommit], refusals: Sequence[RefusedAttempt]
) -> Iterator[AgentRow]:
    """Count what each agent did, the busiest first."""
    refused = Counter(fold_agent(visible(each.agent)) for each in refusals)
    own: dict[str, list[AuditedCommit]] = {}
    for commit in commits:
        for name in dict.fromkeys(map(fold_agent, commit.agents)):
            own.setdefault(name, []).append(commit)
    for name, listed in sorted(own.items(), key=lambda item: -len(item[1])):
        yield _count_agent(name, listed, refused[name])


def _count_agent(name: str, commits: Sequence[AuditedCommit], refused: int) -> AgentRow:
    edits = [
        edit
        for commit in commits
        for _, entry in commit.ruling.judged.entries
        if fold_agent(visible(entry.agent)) == name
        for edit in entry.edits
    ]
    versions = {each for c in commits for each in c.agents if fold_agent(each) == name}
    return AgentRow(
        name=name,
        versions=tuple(sorted(each.partition("/")[2] for each in versions if "/" in each)),
        commits=len(commits),
        derived=sum(commit.standing == DERIVED for commit in commits),
        passing=sum(commit.passes for commit in commits),
        edits=len(edits),
        evidence=Counter(edit.evidence for edit in edits),
        bare=sum(commit.made_by == NO_EVIDENCE for commit in commits),
        lowest=min((edit.confidence for edit in edits), default=None),
        refused=refused,
    )


def _periods(commits: Sequence[AuditedCommit]) -> tuple[tuple[Period, ...], str]:
    """The commits by day, week or month, whichever gives a picture that can be read."""
    days = [commit.time.date() for commit in commits]
    if not days:
        return (), "day"
    span = (max(days) - min(days)).days
    step = "day" if span <= 45 else "week" if span <= 540 else "month"
    found: dict[date, Counter[str]] = {start: Counter() for start in _starts(days, step)}
    for commit, day in zip(commits, days, strict=True):
        found.setdefault(_start_of(day, step), Counter())[commit.standing] += 1
    periods = (Period(start, _order_counts(counts)) for start, counts in sorted(found.items()))
    return tuple(periods), step


def _order_counts(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in STANDINGS}


def _start_of(day: date, step: str) -> date:
    if step == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if step == "week" else day


def _starts(days: Sequence[date], step: str) -> Iterator[date]:
    """Every period between the first and the last, empty ones too; of ages only those with any."""
    day, last = _start_of(min(days), step), max(days)
    for _ in range(400):
        if day > last:
            return
        yield day
        ahead = {"day": 1, "week": 7, "month": 31}[step]
        day = _start_of(day + timedelta(days=ahead), step)


def _groups(commits: Sequence[PageCommit]) -> Iterator[FindingGroup]:
    found: dict[str, list[tuple[PageCommit, Finding]]] = {}
    count = 0
    for each in commits:
        for finding in each.commit.ruling.findings if not each.commit.passes else ():
            count += 1
            if count <= MOST_FINDINGS:
                found.setdefault(finding.rule, []).append((each, finding))
    for rule, findings in sorted(found.items(), key=lambda item: -len(item[1])):
        yield FindingGroup(rule, describe_rule(rule), tuple(findings))
