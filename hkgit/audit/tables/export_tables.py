"""Write tables to a directory, as SQLite and Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hkgit.audit.commits import Trail
from hkgit.audit.tables.columns import REPOSITORY, TABLES, EvidenceTable
from hkgit.audit.tables.database import (
    insert_rows,
    keep_only,
    note_refusals,
    open_directory,
    open_kept_rows,
    restrict_rows,
    transaction,
    update_rows,
)
from hkgit.audit.tables.rows import (
    RepositoryIdentity,
    identify,
    make_rows_of_clone,
    quote_name,
)
from hkgit.errors import GitRefused
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.clock import Watch
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


FILE = "rows.parquet"


def has_duck() -> bool:
    """Whether DuckDB is installed."""
    return find_spec("duckdb") is not None


@contextmanager
def open_duck() -> Iterator[DuckDBPyConnection]:
    """Open a database of DuckDB in memory, which fetches nothing from anywhere."""
    import duckdb

    with duckdb.connect(":memory:") as database:
        for name in ("python_enable_replacements", "autoinstall_known_extensions"):
            database.execute(f"SET {name} = false")
        database.execute("SET enable_progress_bar = false")
        yield database


def write_parquet(
    duck: DuckDBPyConnection,
    database: Connection,
    directory: Path,
    repository: str,
    names: Sequence[str] = tuple(TABLES),
) -> None:
    """Write a repository's rows of some tables, each file in place of the one before.

    Raises GitRefused where they cannot be written.
    """
    import duckdb

    try:
        with TemporaryDirectory(prefix=".draft-", dir=directory) as draft:
            for name in names:
                part = _write_part(duck, database, TABLES[name], Path(draft), repository)
                place = directory / name / f"{REPOSITORY}={quote_name(repository)}"
                place.mkdir(parents=True, exist_ok=True)
                part.replace(place / FILE)
    except (duckdb.IOException, OSError) as error:
        fix = (
            "Free some space or choose another place, then run it again: what has been"
            " judged is kept."
        )
        raise GitRefused(str(directory), str(error).partition("\n")[0], fix) from error


def _write_part(
    duck: DuckDBPyConnection,
    database: Connection,
    table: EvidenceTable,
    draft: Path,
    repository: str,
) -> Path:
    lines, part = draft / "rows.jsonl", draft / FILE
    names = ", ".join(f'"{each.name}"' for each in table.stored)
    asked = f"SELECT {names} FROM {table.name} WHERE repository = ? ORDER BY rowid"
    with lines.open("w", encoding="utf-8") as file:
        for row in database.execute(asked, (repository,)):
            values = zip((each.name for each in table.stored), row, strict=True)
            file.write(json.dumps(dict(values)) + "\n")
    kinds = ", ".join(f"'{each.name}': '{each.type}'" for each in table.stored)
    source = f"read_json(?, format = 'newline_delimited', columns = {{{kinds}}})"
    target = "(FORMAT parquet, COMPRESSION zstd)"
    place = str(part).replace("'", "''")
    duck.execute(f"COPY (SELECT {names} FROM {source}) TO '{place}' {target}", [str(lines)])
    with part.open("rb") as file:
        os.fsync(file.fileno())
    return part


@dataclass(frozen=True)
class ExportFacts:
    """What an export says of a repository; `status` is `ok`, else `error` says what went wrong."""

    revision: str
    tip: str | None = None
    policy: str | None = None
    policy_source: str | None = None
    status: str = "ok"
    error: str | None = None


def note_repository(database: Connection, identity: RepositoryIdentity, facts: ExportFacts) -> None:
    """Say of a repository its last export, and the result."""
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


@dataclass(frozen=True)
class ExportRequest:
    """Commits of `old..new`, or without `old` all that leads to `new`; `revision` as it was said.

    The policy judges them all.
    """

    directory: Path
    revision: str
    old: str | None
    new: str
    policy: Policy


@dataclass(frozen=True)
class ExportResult:
    """Whose tables they are, how many commits were judged, and how many of them have gone."""

    identity: RepositoryIdentity
    judged: int
    removed: int = 0


def write_tables(
    repository: Repository, request: ExportRequest, watch: Watch = iter
) -> ExportResult:
    """Write the evidence of commits as tables: what is new, and what must be judged again.

    Raises InvalidInput for a directory that contains something else, GitRefused where it cannot be
    written.
    """
    identity = identify(repository, request.new)
    commits = repository.commits_between(request.old, request.new)
    rule = _make_rule(repository, request, watch)
    with open_directory(request.directory, is_new=True) as database:
        judged = update_rows(database, identity.name, commits, request.policy, rule, repository)
        # Without `old` they are all there are: what is there beside them has gone.
        removed = keep_only(database, identity.name, commits) if request.old is None else 0
        _note_clone(database, repository, identity, request)
        if has_duck():
            names = tuple(TABLES) if judged or removed else ("repositories", "refusals")
            # What others add meanwhile waits, so that no older files replace theirs.
            with open_duck() as duck, transaction(database):
                write_parquet(duck, database, request.directory, identity.name, names)
    return ExportResult(identity, judged, removed)


@contextmanager
def open_repository_rows(
    repository: Repository, request: ExportRequest, watch: Watch = iter
) -> Iterator[Connection]:
    """Open a database with what `export` would write of a repository alone."""
    identity = identify(repository, request.new)
    commits = repository.commits_between(request.old, request.new)
    rule = _make_rule(repository, request, watch)
    with open_kept_rows(repository, request.policy, identity.name) as database:
        update_rows(database, identity.name, commits, request.policy, rule, repository)
        database.execute('DELETE FROM refusals WHERE "commit" IS NULL')
        _note_clone(database, repository, identity, request)
        restrict_rows(database, commits)
        yield database


def _make_rule(
    repository: Repository, request: ExportRequest, watch: Watch
) -> Callable[[Sequence[str]], Iterable[Ruling]]:
    trail = Trail(repository, Gate(repository, request.policy, tip=request.new))
    return lambda commits: map(trail.rule, watch(commits))


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
