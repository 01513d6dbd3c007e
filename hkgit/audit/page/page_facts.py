"""What the page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from hkgit.applying.evidence import STRONGEST_FIRST
from hkgit.audit.audit import Audit
from hkgit.audit.commits import (
    AuditedCommit,
    fold_agent,
    list_changes,
    needs_a_look,
    rank_weakness,
)
from hkgit.audit.page.hunks import ReviewHunk, list_hunks
from hkgit.audit.reports.fix import mend
from hkgit.errors import HkgitError
from hkgit.evidence.refusal_log import RefusedAttempt
from hkgit.evidence.verdict import Finding
from hkgit.gate.ruling import NO_EVIDENCE
from hkgit.git.repository import Repository
from hkgit.text.escape import visible
from hkgit.values import dataclass


@dataclass(frozen=True)
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
        bare = (NO_EVIDENCE,) if self.commit.ruling.is_bare else ()
        return tuple(kind for kind in STRONGEST_FIRST if self.commit.evidence[kind]) or bare


@dataclass(frozen=True)
class FindingGroup:
    """A rule, and where it was broken by commits that do not pass."""

    rule: str
    findings: tuple[tuple[PageCommit, Finding], ...]


@dataclass(frozen=True)
class PageFacts:
    """The page of one range; commits are in the order of review, the weakest first."""

    title: str
    audit: Audit
    commits: tuple[PageCommit, ...]
    groups: tuple[FindingGroup, ...]
    refusals: tuple[RefusedAttempt, ...] = ()

    @property
    def left_out(self) -> int:
        """How many commits are without their hunks."""
        return sum(each.hunks is None for each in self.commits)

    @property
    def look_first(self) -> tuple[PageCommit, ...]:
        """The weakest commits of agents, of which the first screen speaks."""
        return tuple(each for each in self.commits if needs_a_look(each.commit))[:5]

    @property
    def days(self) -> tuple[date, date] | None:
        times = [each.commit.time.date() for each in self.commits]
        return (min(times), max(times)) if times else None


MOST_ROWS = 8_000
"""Lines of diffs on one page: the weakest commits come first, the rest is named."""

MOST_FINDINGS = 300
_OPEN = 4
"""What a commit that can be opened weighs, in lines of diffs."""

MOST_NAMED = 8
"""Agents on the first screen: those of most commits."""


def gather_facts(
    repository: Repository, title: str, audit: Audit, refusals: Sequence[RefusedAttempt] = ()
) -> PageFacts:
    """Collect everything of an audit that the page shows."""
    commits = tuple(_page_commits(repository, sorted(audit.commits, key=rank_weakness)))
    return PageFacts(
        title=visible(title),
        audit=audit,
        commits=commits,
        groups=tuple(_groups(commits)),
        refusals=tuple(sorted(refusals, key=lambda each: -each.time)),
    )


def _page_commits(repository: Repository, commits: Sequence[AuditedCommit]) -> Iterator[PageCommit]:
    left = MOST_ROWS
    for commit in commits:
        hunks = None
        if left > 0:
            hunks = list_hunks(repository, commit)
            left -= _OPEN + sum(len(hunk.rows) + 2 for hunk in hunks)
        paths = tuple(map(visible, _list_paths(repository, commit)))
        yield PageCommit(commit, hunks, paths, visible(mend(commit.ruling)))


def _list_paths(repository: Repository, commit: AuditedCommit) -> tuple[str, ...]:
    """List the files that an agent's commit changes, by their new names; of others none."""
    judged = commit.ruling.judged
    if judged.entries:
        named = (file.new_path or file.name for _, entry in judged.entries for file in entry.files)
        return tuple(dict.fromkeys(named))
    if not commit.ruling.is_bare:
        return ()
    try:
        return tuple(change.path for change in list_changes(repository, judged.candidate))
    except HkgitError:
        return ()


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
