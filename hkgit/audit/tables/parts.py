"""Write tables, in parts that hold what is new."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.identity import RepositoryIdentity, identify
from hkgit.audit.tables.query import (
    keep_duck,
    open_duck,
    quote_text,
    read_lines_of,
    refuse_failures,
    select_table,
)
from hkgit.audit.tables.rows import Row, Rows, describe_judges, judge_commits, make_rows_of_clone
from hkgit.audit.tables.store import (
    TableDirectory,
    flush_file,
    list_names,
    open_lines,
    sort_rows,
    to_line,
)
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.gate.commit_range import Watch
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository
from hkgit.values import dataclass

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MOST_PARTS = 16
"""So many files a repository's part of a table may have before they are made one."""


@dataclass(frozen=True, slots=True)
class ExportFacts:
    """What an export says of a repository; `status` is `ok`, else `error` says what went wrong."""

    revision: str
    tip: str | None = None
    policy: str | None = None
    policy_source: str | None = None
    status: str = "ok"
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """Which commits must be judged, which went, and how many stay as they are."""

    fresh: tuple[str, ...]
    gone: tuple[str, ...]
    kept: int


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """What became of commits: `judged` again, they may still have come out as they were."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    kept: int = 0


def plan_export(
    directory: Path,
    identity: RepositoryIdentity,
    commits: Sequence[str],
    judge: Mapping[str, str],
    *,
    whole: bool,
) -> ExportPlan:
    """Choose the commits that a directory has not, or has judged by what has changed since.

    `judge` are the columns that say who judges now. `whole` says that the commits are all that
    there are, so that what the directory has beside them has gone.
    """
    if not TableDirectory(directory).is_begun:
        return ExportPlan(tuple(commits), (), 0)
    known = _read_known(TableDirectory.open(directory), identity)
    now = (judge["policy"], judge["judged_by"], True)
    fresh = tuple(each for each in commits if known.get(each) != now)
    gone = tuple(sorted(known.keys() - set(commits))) if whole else ()
    return ExportPlan(fresh, gone, len(commits) - len(fresh))


def _read_known(
    directory: TableDirectory, identity: RepositoryIdentity
) -> dict[str, tuple[str, str, bool]]:
    paths = _paths(directory, identity, "commits")
    if not paths:
        return {}
    with open_duck() as database, refuse_failures(directory.path):
        table = select_table(TABLES["commits"], paths)
        asked = f"SELECT commit, policy, judged_by, lasting FROM {table}"
        return {commit: (a, b, c) for commit, a, b, c in database.execute(asked).fetchall()}


def _paths(directory: TableDirectory, identity: RepositoryIdentity, table: str) -> list[Path]:
    names = directory.files_of(identity).get(table, ())
    return [directory.place(table, identity) / name for name in names]


def write_tables(
    directory: Path,
    identity: RepositoryIdentity,
    rows: Iterable[Rows],
    facts: ExportFacts,
    *,
    gone: Collection[str] = (),
    of_clone: Sequence[Row] = (),
) -> ExportCounts:
    """Put the rows of commits in the place of what a directory has of them; leave all others.

    `gone` are commits whose rows go, `of_clone` the refusals that a clone has noted. Everything
    is written beside and counts in one step. Raises GitRefused where it cannot be written.
    """
    with open_duck() as database, refuse_failures(directory):
        store = TableDirectory.make(directory)
        with store.lock(identity), store.draft() as draft:
            return _Writer(store, identity, database, draft).write(rows, facts, gone, of_clone)


@dataclass(frozen=True, slots=True)
class _Writer:
    """One export of one repository, under its lock."""

    store: TableDirectory
    identity: RepositoryIdentity
    database: DuckDBPyConnection
    draft: Path

    def write(
        self,
        rows: Iterable[Rows],
        facts: ExportFacts,
        gone: Collection[str],
        of_clone: Sequence[Row],
    ) -> ExportCounts:
        self.store.tidy(self.identity)
        known = self._read_digests()
        with open_lines(self.draft) as lines:
            sorted_ = sort_rows(rows, known, lines)
            lines["repositories"].write(to_line(describe_repository(self.identity, facts)))
            removed = known.keys() & set(gone) - set(sorted_.changed)
            dropped = [*sorted_.changed, *removed]
            was, now = self._merge_refusals(of_clone, sorted_.claimed)
            rewrites = bool(dropped) or was != now
            lines["refusals"].writelines(map(to_line, now if rewrites else ()))
        self._note_dropped(dropped)
        files = {
            name: self._write_table(name, rewrites if name == "refusals" else bool(dropped))
            for name in TABLES
        }
        self.store.replace_files(self.identity, files)
        return ExportCounts(sorted_.added, len(sorted_.changed), len(removed), sorted_.kept)

    def _read_digests(self) -> dict[str, str]:
        paths = _paths(self.store, self.identity, "commits")
        if not paths:
            return {}
        asked = f"SELECT commit, digest FROM {select_table(TABLES['commits'], paths)}"
        return dict(self.database.execute(asked).fetchall())

    def _merge_refusals(
        self, of_clone: Sequence[Row], claimed: Collection[str]
    ) -> tuple[list[Row], list[Row]]:
        """The refusals that clones have noted and no entry claims: as they were, as they shall be.

        They are kept though another clone exports, which has noted others.
        """
        was: list[Row] = []
        settled = set(claimed)
        for row in self._read_refusals():
            if row["commit"] is None:
                was.append(row)
            else:
                settled.add(row["refusal"])
        merged = {each["refusal"]: each for each in (*was, *of_clone)}
        return was, [each for name, each in merged.items() if name not in settled]

    def _read_refusals(self) -> list[Row]:
        paths = _paths(self.store, self.identity, "refusals")
        if not paths:
            return []
        names = [each.name for each in TABLES["refusals"].stored]
        shown = list_names(names).replace('"time"', """strftime("time", '%Y-%m-%dT%H:%M:%S')""")
        asked = f"SELECT {shown} FROM {select_table(TABLES['refusals'], paths)}"
        found = self.database.execute(asked).fetchall()
        return [dict(zip(names, row, strict=True)) for row in found]

    def _note_dropped(self, commits: Sequence[str]) -> None:
        asked = "CREATE TEMP TABLE dropped AS SELECT unnest(?::VARCHAR[]) AS commit"
        self.database.execute(asked, [list(commits)])

    def _write_table(self, table: str, rewrites: bool) -> tuple[str, ...]:
        """The files of a table that count from now on."""
        old = self.store.files_of(self.identity).get(table, ())
        lines = self.draft / f"{table}.jsonl"
        if table == "repositories":
            return (self._write_part(table, (), lines),)
        # A refusal of a clone stands in the lines again: where those are not written, nothing goes.
        can_merge = table != "refusals" and len(old) >= MOST_PARTS
        if (rewrites or can_merge) and old:
            return (self._write_part(table, old, lines),)
        return (*old, self._write_part(table, (), lines)) if lines.stat().st_size else old

    def _write_part(self, table: str, old: Sequence[str], lines: Path) -> str:
        """One file with the rows of old ones that stay, and the new rows."""
        columns = TABLES[table].stored
        names = list_names([each.name for each in columns])
        place = self.store.place(table, self.identity)
        asked = f"SELECT {names} FROM {read_lines_of(lines, columns)}"
        if old:
            stays = "commit IS NOT NULL AND commit NOT IN (SELECT commit FROM dropped)"
            kept = select_table(TABLES[table], [place / name for name in old])
            asked = f"SELECT {names} FROM {kept} WHERE {stays} UNION ALL {asked}"
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.urandom(6).hex()}.parquet"
        part = self.draft / f"{table}-{name}"
        target = f"{quote_text(str(part))} (FORMAT parquet, COMPRESSION zstd)"
        self.database.execute(f"COPY ({asked}) TO {target}")
        place.mkdir(parents=True, exist_ok=True)
        flush_file(part)
        part.rename(place / name)
        return name


def describe_repository(identity: RepositoryIdentity, facts: ExportFacts) -> Row:
    return {
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
