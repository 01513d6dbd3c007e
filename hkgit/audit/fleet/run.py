"""Judge many repositories in parallel and keep what they say.

The executor does the work and knows about workers; here a generator says what comes after what: a
repository's plan, its commits in parts, its row. Workers send rows, and this thread alone writes
the database. A run that ends early has what it has judged: the next one leaves that out.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from queue import SimpleQueue
from sqlite3 import Connection
from sqlite3 import Error as DatabaseError
from typing import Any

from hkgit.audit.commits import History
from hkgit.audit.fleet.plan import (
    FleetDirectory,
    ListedRepository,
    PlannedRepository,
    plan_repository,
)
from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.database import (
    add_commits,
    explain_failure,
    keep_only,
    list_held,
    open_directory,
)
from hkgit.audit.tables.export_tables import find_file, note_repository, write_parquet
from hkgit.audit.tables.figures import Figures, add_figures, count_all, numbers_json
from hkgit.audit.tables.rows import RepositoryIdentity, Rows, describe_versions, make_rows
from hkgit.errors import GitRefused, HkgitError
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field

_AT_ONCE = 100
"""Repositories at whose work is waited for at the same time."""

PART = 1000
"""Commits of one task: some seconds of work."""

_OF_THREAD = threading.local()
"""The judge of this thread, which keeps what it has read; a worker may have several threads."""


def judge_part(
    directory: FleetDirectory, name: str, policy: Policy, tip: str, commits: Sequence[str]
) -> list[Rows]:
    """Judge some commits of a mirror; their rows. Raises HkgitError."""
    directory.expect_seen()
    key = directory.root, name, policy, tip
    if getattr(_OF_THREAD, "key", None) != key:
        repository = Repository.discover(directory.mirror(name))
        _OF_THREAD.history = History(repository, CommitRange(None, tip), policy)
        _OF_THREAD.key = key
    return _judge(_OF_THREAD.history, commits)


def _judge(history: History, commits: Sequence[str]) -> list[Rows]:
    return [*make_rows(map(history.rule, commits), history.policy, history.repository)]


VERIFIED, UNCHANGED, EMPTY, FAILED = "verified", "unchanged", "empty", "failed"

STATUSES = (VERIFIED, UNCHANGED, EMPTY, FAILED)
"""What a run can say of a repository."""


@dataclass(frozen=True)
class FleetRow:
    """One repository: what state it is in, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects.
    """

    listed: ListedRepository
    status: str
    branch: str | None = None
    tip: str | None = None
    figures: Figures = field(default_factory=lambda: Figures({}))
    new: int = 0
    policy: str | None = None
    enforces: bool = True
    failure: HkgitError | None = None

    @property
    def passes(self) -> bool:
        """Whether it was judged and its policy lets every commit pass."""
        if self.failure is not None:
            return False
        return not self.enforces or not self.figures.failing


def count_failed(rows: Sequence[FleetRow]) -> int:
    """Count the repositories that could not be judged."""
    return sum(row.failure is not None for row in rows)


def count_rejected(rows: Sequence[FleetRow]) -> int:
    """Count the repositories that were judged, and that their policy does not accept."""
    return sum(not row.passes for row in rows) - count_failed(rows)


def row_line(row: FleetRow) -> str:
    """Write a row for a person, in a line."""
    name = visible(row.listed.name)
    if row.failure is not None:
        what = visible(f"{row.failure.where}: {row.failure.what.partition(chr(10))[0]}")
        fix = f"\n     {visible(row.failure.fix)}" if row.failure.fix else ""
        return f"FAIL {name}: {what}{fix}"
    if row.status == EMPTY:
        return f"ok   {name}: no commit yet"
    mark = "ok  " if row.passes else "FAIL"
    figures = row.figures
    by = ", ".join(f"{count} {kind}" for kind, count in figures.replays.items())
    line = f"{mark} {name}: {count_noun(figures.commits, 'commit')}, {row.new} new; {by}"
    return line + (f"; {figures.failing} rejected" if figures.failing else "")


def summary_lines(rows: Sequence[FleetRow]) -> list[str]:
    """Write what all rows come to, for a person."""
    counted = Counter(row.status for row in rows)
    by = ", ".join(f"{counted[status]} {status}" for status in STATUSES if counted[status])
    figures = add_figures(row.figures for row in rows)
    repositories = count_noun(len(rows), "repository", "repositories")
    commits = count_noun(figures.commits, "commit")
    return [
        f"{repositories}: {by}",
        f"{commits}: {figures.derived} derived, {figures.failing} rejected",
    ]


def summary_json(rows: Sequence[FleetRow]) -> JsonObject:
    """Write all rows as one JSON object."""
    return {
        "schema": 1,
        "versions": list(describe_versions()),
        "repositories": [_row_json(row) for row in rows],
        "total": numbers_json(add_figures(row.figures for row in rows)),
        "failed": count_failed(rows),
        "rejected": count_rejected(rows),
    }


def _row_json(row: FleetRow) -> JsonObject:
    failure = row.failure
    return {
        "name": to_json_text(row.listed.name),
        "address": to_json_text(row.listed.place),
        "status": row.status,
        "passes": row.passes,
        "branch": to_json_text(row.branch),
        "tip": row.tip,
        "policy": row.policy,
        "new": row.new,
        "error": None
        if failure is None
        else {name: to_json_text(getattr(failure, name)) for name in ("where", "what", "fix")},
        "numbers": numbers_json(row.figures),
    }


def verify_fleet(
    listed: Sequence[ListedRepository],
    directory: FleetDirectory,
    executor: Executor,
    policy: Policy | None = None,
    size: int = PART,
) -> Generator[FleetRow, None, None]:
    """Judge what is new in each repository; a row as soon as a repository is done.

    `policy` is the one that was named, `size` how many commits a task judges. Raises GitRefused
    where another run is at work in the directory or the executor is lost, InvalidInput where the
    directory is no fleet's.
    """
    directory.prepare()
    with directory.lock(), open_directory(directory.tables, is_new=True) as database:
        columns = "name TEXT PRIMARY KEY, basis TEXT, tip TEXT"
        database.execute(f"CREATE TABLE IF NOT EXISTS states ({columns})")
        run = _Run(directory, executor, database, policy=policy, size=size)
        try:
            yield from run.verify_all(listed)
        except (BrokenExecutor, CancelledError) as error:
            what = f"the workers are gone ({type(error).__name__})"
            fix = "Run it again: what has been judged is kept."
            raise GitRefused(str(directory.root), what, fix) from error
        finally:
            for future in run.under_way:
                future.cancel()


Verification = Generator[None, Any, FleetRow]
"""The work on one repository. It submits tasks, and is sent each of them when it is done."""


@dataclass
class _Run:
    """One run: many repositories are verified by turns, whenever a task of theirs is done."""

    directory: FleetDirectory
    executor: Executor
    database: Connection
    policy: Policy | None
    size: int
    under_way: set[Future[Any]] = field(default_factory=set)
    done: SimpleQueue[tuple[ListedRepository, Future[Any]]] = field(default_factory=SimpleQueue)

    def verify_all(self, several: Sequence[ListedRepository]) -> Iterator[FleetRow]:
        """Verify every repository, `_AT_ONCE` at the same time."""
        waiting = list(reversed(several))
        begun: dict[ListedRepository, Verification] = {}
        while waiting or begun:
            future = None
            if waiting and len(begun) < _AT_ONCE:
                listed = waiting.pop()
                begun[listed] = self._verify(listed)
            else:
                listed, future = self.done.get()
                self.under_way.discard(future)
            try:
                begun[listed].send(future)
            except StopIteration as end:
                del begun[listed]
                yield end.value

    def _submit(
        self, listed: ListedRepository, task: Callable[..., object], *given: object
    ) -> None:
        """Let the executor do a task, and the work on its repository go on when it is done."""
        future = self.executor.submit(task, *given)
        self.under_way.add(future)
        future.add_done_callback(lambda done: self.done.put((listed, done)))

    def _verify(self, listed: ListedRepository) -> Verification:
        """Verify one repository; its row says what went wrong, if something did."""
        try:
            return (yield from self._judge_new(listed))
        except Exception as error:  # noqa: BLE001 - of a worker, too; `_refuse` raises what ends all
            failure = _refuse(error, listed.place)
        what = f"{failure.where}: {failure.what}"
        self._note(listed, ("repositories",), "HEAD", error=what)
        return FleetRow(listed, FAILED, failure=failure)

    def _judge_new(self, listed: ListedRepository) -> Verification:
        database, directory, name = self.database, self.directory, listed.name
        asked = "SELECT basis, tip FROM states WHERE name = ?"
        before = database.execute(asked, (name,)).fetchone() or ("", "")
        self._submit(listed, plan_repository, directory, listed, self.policy, before)
        plan: PlannedRepository = (yield).result()
        if plan.tip is None:
            return FleetRow(listed, EMPTY)
        fresh: Sequence[str] = ()
        if plan.commits is not None:  # some are new, may be judged otherwise by now, or have gone
            keep_only(database, name, plan.commits)
            held = list_held(database, name, plan.policy, with_open=before[0] == plan.basis)
            fresh = [each for each in plan.commits if each not in held]
        starts = range(0, len(fresh), self.size)
        for at in starts:
            part = fresh[at : at + self.size]
            self._submit(listed, judge_part, directory, name, plan.policy, plan.tip, part)
        for _ in starts:
            add_commits(database, name, (yield).result())
        figures = count_all(database, name)
        if plan.commits is not None:
            about = {"tip": plan.tip, "policy": plan.policy}
            self._note(listed, tuple(TABLES), plan.branch, roots=plan.roots, **about)
            # What could not be read may be readable the next time, whatever the refs say.
            basis = "" if figures["replay"].get("unverifiable") else plan.basis
            values = (name, basis, plan.tip)  # last of all: what a crash left out is made again
            database.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", values)
        else:  # DuckDB may not have been installed the last time
            place = directory.tables
            missing = [each for each in TABLES if not find_file(place, each, name).exists()]
            write_parquet(database, place, name, missing)
        return FleetRow(
            listed,
            UNCHANGED if plan.commits is None else VERIFIED,
            branch=plan.branch,
            tip=plan.tip,
            figures=figures,
            new=len(fresh),
            policy=hash_policy(plan.policy),
            enforces=plan.policy.mode == "enforce",
        )

    def _note(
        self,
        listed: ListedRepository,
        tables: Sequence[str],
        branch: str,
        *,
        roots: tuple[str, ...] = (),
        **about: Any,
    ) -> None:
        """Say in the tables what became of a repository, and write those that have changed."""
        identity = RepositoryIdentity(listed.name, listed.identity, roots)
        note_repository(self.database, identity, branch, **about)
        write_parquet(self.database, self.directory.tables, listed.name, tables)


def _refuse(error: Exception, place: str) -> HkgitError:
    """Build what is said of a repository whose work failed; one that ends the run is raised."""
    if isinstance(error, HkgitError):
        return error
    if isinstance(error, DatabaseError):
        return explain_failure(error, place)
    if isinstance(error, OSError):
        name = place if error.filename is None else str(error.filename)
        fix = "Free some space or give access, then run it again."
        return GitRefused(name, error.strerror or str(error), fix)
    if isinstance(error, BrokenExecutor | CancelledError):
        raise error  # the worker is gone, or somebody has interrupted it
    fix = "Run it again; if it stays, run hkgit verify in the mirror with --debug and report it."
    return HkgitError("worker", f"{type(error).__name__}: {error}".partition("\n")[0], fix)
