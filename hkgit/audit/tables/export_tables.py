"""Keep the evidence of a repository in a directory of tables: what is new, judged once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection

from hkgit.audit.commits import Trail
from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.database import (
    ExportCounts,
    add_commits,
    insert_rows,
    keep_only,
    list_held,
    note_refusals,
    open_directory,
)
from hkgit.audit.tables.identity import RepositoryIdentity, identify
from hkgit.audit.tables.parquet import has_duck, open_duck, write_parquet
from hkgit.audit.tables.remembered import open_rows
from hkgit.audit.tables.rows import describe_judges, judge_commits, make_rows_of_clone
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.commit_range import Watch
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.policy.source import hash_policy
from hkgit.gate.ruling import Ruling
from hkgit.git.repository import Repository
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class ExportFacts:
    """What an export says of a repository; `status` is `ok`, else `error` says what went wrong."""

    revision: str
    tip: str | None = None
    policy: str | None = None
    policy_source: str | None = None
    status: str = "ok"
    error: str | None = None


def note_repository(database: Connection, identity: RepositoryIdentity, facts: ExportFacts) -> None:
    """Say of a repository what was exported of it last, and how that went."""
    row = {
        "url": identity.url,
        "roots": list(identity.roots),
        "revision": facts.revision,
        "tip": facts.tip,
        "policy": facts.policy,
        "policy_source": facts.policy_source,
        "exported": datetime.now(UTC).replace(tzinfo=None, microsecond=0).isoformat(),
        "status": facts.status,
        "error": facts.error,
    }
    insert_rows(database, identity.name, {"repositories": [row]})


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


def export(repository: Repository, request: ExportRequest, watch: Watch = iter) -> ExportResult:
    """Write the evidence of commits as tables: what is new, and what must be judged again.

    Raises InvalidInput for a directory that holds something else, GitRefused where it cannot be
    written.
    """
    identity = identify(repository, request.new)
    judge = describe_judges(request.policy)
    commits = repository.commits_between(request.old, request.new)
    with open_directory(request.directory, is_new=True) as database:
        held = list_held(database, identity.name, judge)
        fresh = [each for each in commits if each not in held]
        rows = judge_commits(repository, request.policy, watch(fresh), request.new)
        counts = add_commits(database, identity.name, rows)
        if request.old is None:  # they are all there are: what is there beside them has gone
            counts = replace(counts, removed=keep_only(database, identity.name, commits))
        _note_clone(database, repository, identity, request)
        if has_duck():
            is_same = counts == ExportCounts(kept=counts.kept)
            names = ("repositories", "refusals") if is_same else tuple(TABLES)
            with open_duck() as duck:
                write_parquet(duck, database, request.directory, identity.name, names)
    return ExportResult(identity, len(fresh), counts)


@contextmanager
def open_repository_rows(
    repository: Repository, request: ExportRequest, watch: Watch = iter
) -> Iterator[Connection]:
    """Open a database with what `export` would write of a repository alone."""
    identity = identify(repository, request.new)
    commits = repository.commits_between(request.old, request.new)
    trail = Trail(repository, Gate(repository, request.policy, tip=request.new))

    def rule(fresh: Sequence[str]) -> Iterator[Ruling]:
        return map(trail.rule, watch(fresh))

    with open_rows(repository, request.policy, commits, rule, identity.name) as database:
        _note_clone(database, repository, identity, request)
        yield database


def _note_clone(
    database: Connection,
    repository: Repository,
    identity: RepositoryIdentity,
    request: ExportRequest,
) -> None:
    """Write what is said of a clone as a whole."""
    of_clone = make_rows_of_clone(RefusalLog.of(repository.common_dir).read())
    note_refusals(database, identity.name, of_clone)
    policy = request.policy
    facts = ExportFacts(request.revision, request.new, hash_policy(policy), policy.source)
    note_repository(database, identity, facts)
