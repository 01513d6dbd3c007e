"""exporting.py: bring a directory of tables up to what a repository has now."""

from __future__ import annotations

from pathlib import Path

from hkgit.audit.tables.duck import keep_duck
from hkgit.audit.tables.evidence_rows import make_rows_of_clone
from hkgit.audit.tables.identity import RepositoryIdentity, identify
from hkgit.audit.tables.rows import describe_judges, judge_commits
from hkgit.audit.tables.writing import ExportCounts, ExportFacts, plan_export, write_tables
from hkgit.evidence.refusals import RefusalLog
from hkgit.gate.policy import Policy
from hkgit.gate.ranges import Watch
from hkgit.git.repository import Repository
from hkgit.values import dataclass


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Commits of `old..new`, or without `old` all that leads to `new`; `revision` as it was said.

    The policy judges them all.
    """

    directory: Path
    revision: str
    old: str | None
    new: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Whose tables they are, how many commits were judged, and what became of them."""

    identity: RepositoryIdentity
    judged: int
    counts: ExportCounts


@keep_duck()
def export(repository: Repository, request: ExportRequest, watch: Watch = iter) -> ExportResult:
    """Write the evidence of commits as tables: what is new, and what must be judged again.

    Raises InvalidInput for a directory that holds something else, GitRefused where it cannot be
    written.
    """
    identity = identify(repository, request.new)
    judge = describe_judges(request.policy)
    commits = repository.commits_between(request.old, request.new)
    whole = request.old is None
    plan = plan_export(request.directory, identity, commits, judge, whole=whole)
    rows = judge_commits(repository, request.policy, watch(plan.fresh), request.new)
    counts = write_tables(
        request.directory,
        identity,
        rows,
        ExportFacts(request.revision, request.new, judge["policy"], request.policy.source),
        gone=plan.gone,
        of_clone=make_rows_of_clone(RefusalLog.of(repository.common_dir).read()),
    )
    return ExportResult(identity, len(plan.fresh), counts)
