"""Judge many repositories in parallel and keep what they say.

The executor does the work and knows about workers; here a generator says what comes after what: a
repository's plan, its commits in parts, its row. Workers send rows, and this thread alone writes
the database. A run that ends early has what it has judged: the next one leaves that out.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import ExitStack
from queue import SimpleQueue
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

from hkgit.audit.commits import History
from hkgit.audit.fleet.plan import (
    FleetDirectory,
    ListedRepository,
    PlannedRepository,
    RepositoryState,
    plan_repository,
    refuse,
    write_json,
)
from hkgit.audit.tables.columns import TABLES
from hkgit.audit.tables.database import (
    add_commits,
    keep_only,
    list_held,
    open_directory,
    transaction,
)
from hkgit.audit.tables.export_tables import (
    has_duck,
    note_repository,
    open_duck,
    write_parquet,
)
from hkgit.audit.tables.figures import Figures, add_figures, count_all
from hkgit.audit.tables.rows import (
    RepositoryIdentity,
    Rows,
    describe_versions,
    make_rows,
    name_url,
)
from hkgit.errors import GitRefused, HkgitError
from hkgit.gate.commit_range import CommitRange
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, replace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 100
"""Repositories at whose work is waited for at the same time."""

PART = 1000
"""Commits of one task: some seconds of work."""

KINDS = ("replay", "evidence", "agents")
"""What commits are counted by; `evidence` counts edits, and `agents` a commit by each."""

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


def figures_json(figures: Figures) -> JsonObject:
    """Write the numbers of commits as one JSON object."""
    by = {kind: dict(sorted(figures[kind].items())) for kind in KINDS}
    return {"commits": figures.commits, "passing": figures.passing, **by}


def _read_state(database: Connection, name: str) -> RepositoryState:
    """Read what a repository was like when all of it had been judged."""
    asked = "SELECT basis, tips FROM states WHERE name = ?"
    basis, tips = database.execute(asked, (name,)).fetchone() or ("", "{}")
    return basis, json.loads(tips)


VERIFIED, UNCHANGED, EMPTY, SAME, FAILED = "verified", "unchanged", "empty", "same", "failed"

STATUSES = (VERIFIED, UNCHANGED, EMPTY, SAME, FAILED)
"""What a run can say of a repository."""


@dataclass(frozen=True)
class FleetRow:
    """One repository: what state it is in, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects.
    """

    listed: ListedRepository
    status: str
    tips: Mapping[str, str] = field(default_factory=dict)
    figures: Figures = field(default_factory=lambda: Figures({}))
    new: int = 0
    policy: str | None = None
    enforces: bool = True
    same_as: str | None = None
    failure: HkgitError | None = None

    @property
    def passes(self) -> bool:
        """Whether it was judged and its policy lets every commit pass."""
        if self.status == FAILED:
            return False
        return not self.enforces or not self.figures.failing


@dataclass(frozen=True)
class FleetSummary:
    """All rows, in the order of the list."""

    rows: tuple[FleetRow, ...]

    @property
    def failed(self) -> int:
        return sum(row.status == FAILED for row in self.rows)

    @property
    def rejected(self) -> int:
        """Repositories that were judged, and that their policy does not accept."""
        return sum(not row.passes and row.status != FAILED for row in self.rows)

    @property
    def figures(self) -> Figures:
        return add_figures(row.figures for row in self.rows)


def row_line(row: FleetRow) -> str:
    """Write a row for a person, in a line."""
    name = visible(row.listed.name)
    if row.failure is not None:
        what = visible(f"{row.failure.where}: {row.failure.what.partition(chr(10))[0]}")
        return f"FAIL {name}: {what}" + (
            f"\n     {visible(row.failure.fix)}" if row.failure.fix else ""
        )
    if row.status == SAME:
        return f"ok   {name}: the same as {visible(row.same_as or '')}"
    if row.status == EMPTY:
        return f"ok   {name}: no commit yet"
    mark = "ok  " if row.passes else "FAIL"
    figures = row.figures
    by = ", ".join(f"{count} {kind}" for kind, count in sorted(figures["replay"].items()))
    line = f"{mark} {name}: {count_noun(figures.commits, 'commit')}, {row.new} new"
    line += f"; {by}" if by else ""
    return line + (f"; {figures.failing} rejected" if figures.failing else "")


def summary_lines(summary: FleetSummary) -> list[str]:
    """Write the whole summary for a person."""
    counted = Counter(row.status for row in summary.rows)
    by = ", ".join(f"{counted[status]} {status}" for status in STATUSES if counted[status])
    figures = summary.figures
    repositories = count_noun(len(summary.rows), "repository", "repositories")
    commits = count_noun(figures.commits, "commit")
    return [
        f"{repositories}: {by}",
        f"{commits}: {figures.derived} derived, {figures.failing} rejected",
    ]


def summary_json(summary: FleetSummary) -> JsonObject:
    """Write the whole summary as one JSON object."""
    return {
        "schema": 1,
        "versions": list(describe_versions()),
        "repositories": [row_json(row) for row in summary.rows],
        "total": figures_json(summary.figures),
        "failed": summary.failed,
        "rejected": summary.rejected,
    }


def row_json(row: FleetRow) -> JsonObject:
    """Write one row as a JSON object."""
    failure = row.failure
    return {
        "name": to_json_text(row.listed.name),
        "address": to_json_text(row.listed.place),
        "status": row.status,
        "passes": row.passes,
        "tips": {to_json_text(ref): tip for ref, tip in row.tips.items()},
        "policy": row.policy,
        "new": row.new,
        "same_as": None if row.same_as is None else to_json_text(row.same_as),
        "error": None
        if failure is None
        else {name: to_json_text(getattr(failure, name)) for name in ("where", "what", "fix")},
        "numbers": figures_json(row.figures),
    }


@dataclass(frozen=True)
class FleetRequest:
    """The repositories, where all is kept, a named policy, and how many commits a task judges.

    `has_tables` says that the tables are written as Parquet, too, where DuckDB is.
    """

    listed: tuple[ListedRepository, ...]
    directory: FleetDirectory
    policy: Policy | None = None
    size: int = PART
    has_tables: bool = True


def verify_fleet(request: FleetRequest, executor: Executor) -> Iterator[FleetRow]:
    """Judge what is new in each repository; a row as soon as a repository is done.

    When the last row is read, the summary is written. Raises GitRefused where another run is at
    work in the directory or the executor is lost, InvalidInput where the directory is no fleet's.
    """
    request.directory.prepare()
    with request.directory.lock(), ExitStack() as stack:
        database = stack.enter_context(open_directory(request.directory.tables, is_new=True))
        has_duckdb = request.has_tables and has_duck()
        duck = stack.enter_context(open_duck()) if has_duckdb else None
        columns = "name TEXT PRIMARY KEY, basis TEXT, tips TEXT"
        database.execute(f"CREATE TABLE IF NOT EXISTS states ({columns})")
        run, rows = _Run(request, executor, database, duck), dict[ListedRepository, FleetRow]()
        try:
            for row in run.verify_all():
                rows[row.listed] = row
                yield row
        except (BrokenExecutor, CancelledError) as error:
            what = f"the workers are gone ({type(error).__name__})"
            fix = "Run it again: what has been judged is kept."
            raise GitRefused(str(request.directory.root), what, fix) from error
        finally:
            for future in run.under_way:
                future.cancel()
        summary = FleetSummary(tuple(rows[each] for each in request.listed))
        write_json(request.directory.summary, summary_json(summary))


Verification = Generator[None, Any, FleetRow]
"""The work on one repository. It submits tasks, and is sent each of them when it is done."""


class _Run:
    """One run: many repositories are verified by turns, whenever a task of theirs is done."""

    def __init__(
        self,
        request: FleetRequest,
        executor: Executor,
        database: Connection,
        duck: DuckDBPyConnection | None,
    ) -> None:
        self.request = request
        self.executor = executor
        self.database = database
        self.duck = duck
        self.under_way = set[Future[Any]]()
        self.done = SimpleQueue[tuple[ListedRepository, Future[Any]]]()
        self.by_place: dict[tuple[object, ...], str] = {}
        for each in request.listed:  # the first in the list is the one that is judged
            self.by_place.setdefault((each.identity, each.refs), each.name)
        self.by_history: dict[tuple[str, ...], str] = {}

    def verify_all(self) -> Iterator[FleetRow]:
        """Verify every repository, `_AT_ONCE` at the same time."""
        waiting = list(reversed(self.request.listed))
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
        # The tables call it by its address, and by the refs that are named.
        name = name_url("#".join((listed.identity, *listed.refs)))
        identity = RepositoryIdentity(name, listed.identity)
        first = self.by_place[listed.identity, listed.refs]
        if first != listed.name:  # names are unique
            return FleetRow(listed, SAME, same_as=first)
        try:
            return (yield from self._judge_new(listed, identity))
        except Exception as error:  # noqa: BLE001 - of a worker, too; `refuse` raises what ends all
            return self._fail(listed, identity, refuse(error, listed.place))

    def _judge_new(self, listed: ListedRepository, identity: RepositoryIdentity) -> Verification:
        request, name = self.request, identity.name
        before = _read_state(self.database, name)
        self._submit(listed, plan_repository, request.directory, listed, request.policy, before)
        plan: PlannedRepository = (yield).result()
        policy = plan.policy
        if not plan.tips:
            return FleetRow(listed, EMPTY)
        same = self.by_history.setdefault((plan.basis, *plan.tips.values()), listed.name)
        if same != listed.name and not before[1]:
            return FleetRow(listed, SAME, tips=plan.tips, same_as=same)
        fresh = self._find_fresh(name, plan, before)
        whose = request.directory, listed.directory, policy, plan.tip
        starts = range(0, len(fresh), request.size)
        for at in starts:
            self._submit(listed, judge_part, *whose, fresh[at : at + request.size])
        for _ in starts:
            add_commits(self.database, name, (yield).result())
        figures = count_all(self.database, name)
        if plan.commits is not None:
            self._note(replace(identity, roots=plan.roots), plan, figures)
        return FleetRow(
            listed,
            VERIFIED if plan.commits is not None else UNCHANGED,
            tips=plan.tips,
            figures=figures,
            new=len(fresh),
            policy=hash_policy(policy),
            enforces=policy.mode == "enforce",
        )

    def _find_fresh(
        self, name: str, plan: PlannedRepository, before: RepositoryState
    ) -> Sequence[str]:
        """Find what is not judged yet, or may be judged otherwise by now; forget what has gone."""
        if plan.commits is None:
            return ()
        keep_only(self.database, name, plan.commits)
        held = list_held(self.database, name, plan.policy, with_open=before[0] == plan.basis)
        return tuple(each for each in plan.commits if each not in held)

    def _note(
        self, identity: RepositoryIdentity, plan: PlannedRepository, figures: Figures
    ) -> None:
        """Keep what the tables and the next run shall know of a repository that is judged."""
        # What could not be read may be readable the next time, whatever the refs say.
        is_open = figures["replay"].get("unverifiable", 0) > 0
        with transaction(self.database):
            tips = " ".join(plan.tips)
            note_repository(self.database, identity, tips, tip=plan.tip, policy=plan.policy)
            values = (identity.name, "" if is_open else plan.basis, json.dumps(plan.tips))
            self.database.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", values)
        self._write_parquet(identity, tuple(TABLES))

    def _fail(
        self, listed: ListedRepository, identity: RepositoryIdentity, failure: HkgitError
    ) -> FleetRow:
        """The row of a repository that could not be judged; the tables say so, too."""
        _, tips = _read_state(self.database, identity.name)
        note_repository(
            self.database,
            identity,
            " ".join(tips or listed.refs),
            tip=next(iter(tips.values()), None),
            error=f"{failure.where}: {failure.what}",
        )
        self._write_parquet(identity, ("repositories",))
        return FleetRow(listed, FAILED, failure=failure)

    def _write_parquet(self, identity: RepositoryIdentity, names: Sequence[str]) -> None:
        if self.duck is not None:
            tables = self.request.directory.tables
            write_parquet(self.duck, self.database, tables, identity.name, names)
