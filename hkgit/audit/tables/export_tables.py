"""Write tables to a directory, as SQLite and Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hkgit.audit.commits import History
from hkgit.audit.tables.columns import REPOSITORY, TABLES, EvidenceTable
from hkgit.audit.tables.database import (
    FREE_SPACE,
    insert_rows,
    keep_only,
    note_refusals,
    open_directory,
    open_kept_rows,
    restrict_rows,
    transaction,
    update_rows,
)
from hkgit.audit.tables.rows import RepositoryIdentity, identify, make_rows_of_clone, quote_name
from hkgit.errors import GitRefused
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.clock import Watch
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import Ruling
from hkgit.gate.trusted_policy import hash_policy
from hkgit.text.escape import visible
from hkgit.values import dataclass, replace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


FILE = "rows.parquet"


@cache
def open_duck() -> DuckDBPyConnection | None:
    """Open this process's database in memory, which fetches nothing; None without DuckDB."""
    try:
        import duckdb
    except ImportError:
        return None
    names = ("python_enable_replacements", "autoinstall_known_extensions")
    return duckdb.connect(":memory:", config=dict.fromkeys(names, False))


def find_file(directory: Path, table: str, repository: str) -> Path:
    """Find the file for a repository's rows of a table."""
    return directory / table / f"{REPOSITORY}={quote_name(repository)}" / FILE


def write_parquet(
    database: Connection, directory: Path, repository: str, names: Iterable[str] = tuple(TABLES)
) -> None:
    """Write a repository's rows of some tables, each file in place of the one before.

    Without DuckDB nothing is written. Raises GitRefused where they cannot be written.
    """
    connection = open_duck()
    if connection is None:
        return
    import duckdb

    try:
        with (
            TemporaryDirectory(prefix=".draft-", dir=directory) as draft,
            connection.cursor() as duck,
        ):
            duck.execute("SET enable_progress_bar = false")
            for name in names:
                part = _write_part(duck, database, TABLES[name], Path(draft), repository)
                place = find_file(directory, name, repository)
                place.parent.mkdir(parents=True, exist_ok=True)
                part.replace(place)
    except (duckdb.IOException, duckdb.InvalidInputException, OSError) as error:
        raise GitRefused(str(directory), str(error).partition("\n")[0], FREE_SPACE) from error


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


def note_repository(
    database: Connection,
    identity: RepositoryIdentity,
    revision: str,
    *,
    tip: str | None = None,
    policy: Policy | None = None,
    error: str | None = None,
) -> None:
    """Say of a repository its last export, of which revision, and the result."""
    row = {
        "url": identity.url,
        "roots": list(identity.roots),
        "revision": revision,
        "tip": tip,
        "policy": None if policy is None else hash_policy(policy),
        "policy_source": None if policy is None else policy.source,
        "exported": datetime.now(UTC).replace(tzinfo=None, microsecond=0).isoformat(),
        "status": "ok" if error is None else "failed",
        "error": error,
    }
    insert_rows(database, identity.name, {"repositories": [row]})


@dataclass(frozen=True)
class ExportResult:
    """Whose tables they are, how many commits were judged, and how many of them have gone."""

    identity: RepositoryIdentity
    judged: int
    removed: int


def write_tables(
    history: History, revision: str, directory: Path, watch: Watch = iter
) -> ExportResult:
    """Write the evidence of commits as tables: what is new, and what must be judged again.

    `revision` is what the commits were named by. Raises InvalidInput for a directory that contains
    something else, GitRefused where it cannot be written.
    """
    identity = identify(history.repository, history.asked.new)
    with open_directory(directory, is_new=True) as database:
        # Without `old` they are all there are: what is there beside them has gone.
        removes = history.asked.old is None
        _, *counts = _update(database, identity, history, revision, watch, removes=removes)
        with transaction(database):  # what others add waits: no older files replace theirs
            write_parquet(database, directory, identity.name)
    return ExportResult(identity, *counts)


@contextmanager
def open_repository_rows(
    history: History, revision: str, watch: Watch = iter
) -> Iterator[Connection]:
    """Open a database with what `export` would write of a repository alone."""
    identity = identify(history.repository, history.asked.new)
    with open_kept_rows(history.repository, history.policy, identity.name) as database:
        database.execute('DELETE FROM refusals WHERE "commit" IS NULL')
        commits, *_ = _update(database, identity, history, revision, watch)
        restrict_rows(database, commits)
        yield database


def _update(
    database: Connection,
    identity: RepositoryIdentity,
    history: History,
    revision: str,
    watch: Watch,
    *,
    removes: bool = False,
) -> tuple[Sequence[str], int, int]:
    """Write what is missing of a history, and with `removes` drop all other rows.

    Return its commits, how many were judged, and how many were dropped.
    """
    repository, asked, policy = history.repository, history.asked, history.policy
    commits = repository.commits_between(asked.old, asked.new)
    # Rows are there for whoever asks, so no side is trusted.
    alone = replace(history, asked=CommitRange(None, asked.new))

    def rule(fresh: Sequence[str]) -> Iterator[Ruling]:
        return map(alone.rule, watch(fresh))

    judged = update_rows(database, identity.name, commits, policy, rule, repository)
    removed = keep_only(database, identity.name, commits) if removes else 0
    of_clone = make_rows_of_clone(RefusalLog.of(repository.common_dir).read())
    note_refusals(database, identity.name, of_clone)
    note_repository(database, identity, visible(revision), tip=asked.new, policy=policy)
    return commits, judged, removed
