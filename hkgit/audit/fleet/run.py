"""Judge many repositories in parallel and keep what they say.

The executor does the work and knows about workers; here it is only said what comes after what: a
repository's plan, its commits in parts, its row. Workers send rows, and this process alone writes
the database. A run that ends early has what it has judged: the next one leaves that out.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import ExitStack
from inspect import GEN_CLOSED, getgeneratorstate
from queue import SimpleQueue
from sqlite3 import Connection
from sqlite3 import Error as DatabaseError
from typing import TYPE_CHECKING, Any

from hkgit.audit.commits import Trail
from hkgit.audit.fleet.plan import (
    FleetDirectory,
    ListedRepository,
    PlannedRepository,
    RepositoryState,
    describe_versions,
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
    ExportFacts,
    has_duck,
    note_repository,
    open_duck,
    write_parquet,
)
from hkgit.audit.tables.figures import Figures, add_figures, count_all
from hkgit.audit.tables.rows import RepositoryIdentity, Rows, describe_judges, make_rows, name_url
from hkgit.errors import GitRefused, HkgitError
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import hash_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, replace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
        _OF_THREAD.trail = Trail(repository, Gate(repository, policy, tip=tip))
        _OF_THREAD.key = key
    return _judge(_OF_THREAD.trail, commits)


def _judge(trail: Trail, commits: Sequence[str]) -> list[Rows]:
    policy, judge = trail.gate.policy, describe_judges(trail.gate.policy)
    return [make_rows(trail.repository, trail.tell(each), policy, judge) for each in commits]


def figures_json(figures: Figures) -> JsonObject:
    """Write the numbers of commits as one JSON object."""
    by = {kind: dict(sorted(figures[kind].items())) for kind in KINDS}
    return {"commits": figures.commits, "passing": figures.passing, **by}


def identify_listed(listed: ListedRepository, roots: tuple[str, ...] = ()) -> RepositoryIdentity:
    """Name a listed repository as the tables do: by its address, and by the refs that are named."""
    name = name_url("#".join((listed.identity, *listed.refs)))
    return RepositoryIdentity(name, listed.identity, roots)


class _States:
    """What each repository was like when all of it had been judged; kept beside its rows."""

    def __init__(self, database: Connection) -> None:
        self._database = database
        columns = "name TEXT PRIMARY KEY, basis TEXT, evidence TEXT, tips TEXT"
        database.execute(f"CREATE TABLE IF NOT EXISTS fleet ({columns})")

    def get(self, name: str) -> RepositoryState | None:
        asked = "SELECT basis, evidence, tips FROM fleet WHERE name = ?"
        for basis, evidence, tips in self._database.execute(asked, (name,)):
            return RepositoryState(basis, evidence, json.loads(tips))
        return None

    def set(self, name: str, state: RepositoryState) -> None:
        values = (name, state.basis, state.evidence, json.dumps(state.tips))
        self._database.execute("INSERT OR REPLACE INTO fleet VALUES (?, ?, ?, ?)", values)


VERIFIED, UNCHANGED, EMPTY, SAME, FAILED = "verified", "unchanged", "empty", "same", "failed"

STATUSES = {
    VERIFIED: "what was new is judged",
    UNCHANGED: "nothing is new since the last run",
    EMPTY: "it has no commits yet",
    SAME: "the same repository as another in the list; see that one",
    FAILED: "it could not be judged; see the reason given",
}
"""What a run can say of a repository."""


@dataclass(frozen=True)
class FleetRow:
    """One repository: what state it is in, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects, `restarts`
    why commits of an earlier run count no more (empty where all do).
    """

    listed: ListedRepository
    status: str
    tips: Mapping[str, str] = field(default_factory=dict)
    figures: Figures = field(default_factory=lambda: Figures({}))
    new: int = 0
    policy: str | None = None
    enforces: bool = True
    restarts: str = ""
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
    versions: tuple[str, ...]

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
    line += f"; {figures.failing} rejected" if figures.failing else ""
    return line + (f" ({row.restarts})" if row.restarts else "")


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
        "versions": list(summary.versions),
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
        "restarts": row.restarts or None,
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


def _failure_json(failure: HkgitError) -> JsonObject:
    said = {"where": failure.where, "what": failure.what, "fix": failure.fix}
    return {name: to_json_text(words) for name, words in said.items()}


Work = Sequence[tuple[Any, ...]]
"""Tasks for the executor, each with its arguments."""


def verify_fleet(request: FleetRequest, executor: Executor) -> Iterator[FleetRow]:
    """Judge what is new in each repository; a row as soon as a repository is done.

    When the last row is read, the summary is written. Raises GitRefused where another run is at
    work in the directory or the executor is lost, InvalidInput where the directory is no fleet's.
    """
    request.directory.prepare()
    with ExitStack() as stack:
        stack.enter_context(request.directory.lock())
        database = stack.enter_context(open_directory(request.directory.tables, is_new=True))
        has_duckdb = request.has_tables and has_duck()
        duck = stack.enter_context(open_duck()) if has_duckdb else None
        run = _Run(request, executor, database, duck)
        rows: dict[ListedRepository, FleetRow] = {}
        try:
            for row in run.rows():
                rows[row.listed] = row
                yield row
        except (BrokenExecutor, CancelledError) as error:
            what = f"the workers are gone ({type(error).__name__})"
            fix = "Run it again: what has been judged is kept."
            raise GitRefused(str(request.directory.root), what, fix) from error
        finally:
            run.cancel()
        ordered = tuple(rows[each] for each in request.listed)
        summary = FleetSummary(ordered, describe_versions())
        write_json(request.directory.summary, summary_json(summary))


class _Run:
    """One run: each repository says what is to be done for it, and is told what came of it."""

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
        self.states = _States(database)
        self.under_way: dict[Future[Any], tuple[ListedRepository, Generator[Work, Any, FleetRow]]]
        self.under_way = {}
        self.answered: SimpleQueue[Future[Any]] = SimpleQueue()
        self.by_place: dict[tuple[object, ...], str] = {}
        self.by_history: dict[tuple[str, ...], str] = {}

    def rows(self) -> Iterator[FleetRow]:
        """The rows, as repositories are done."""
        for listed in self.request.listed:
            row = self._go_on(listed, self._verify(listed))
            if row is not None:
                yield row
        while self.under_way:
            future = self.answered.get()
            listed, steps = self.under_way.pop(future)
            if getgeneratorstate(steps) != GEN_CLOSED:  # no other part of it has failed
                row = self._go_on(listed, steps, future)
                if row is not None:
                    yield row

    def cancel(self) -> None:
        """Let nothing start that has not begun."""
        for future in self.under_way:
            future.cancel()

    def _go_on(
        self,
        listed: ListedRepository,
        steps: Generator[Work, Any, FleetRow],
        answered: Future[Any] | None = None,
    ) -> FleetRow | None:
        """Take one step for a repository, and submit what it asks for; its row, if it is done."""
        try:
            error = None if answered is None else answered.exception()
            if answered is None:
                work = next(steps)
            elif error is None:
                work = steps.send(answered.result())
            else:
                work = steps.throw(refuse(error, listed.place))
            for task, *given in work:
                future = self.executor.submit(task, *given)
                self.under_way[future] = listed, steps
                future.add_done_callback(self.answered.put)
        except StopIteration as done:
            row: FleetRow = done.value
            return row
        except (HkgitError, OSError, DatabaseError) as error:
            return self._fail(listed, refuse(error, listed.place))
        return None

    def _verify(self, listed: ListedRepository) -> Generator[Work, Any, FleetRow]:
        """Verify one repository: each step gives tasks, and gets the answer of one of them."""
        request, identity = self.request, identify_listed(listed)
        first = self.by_place.setdefault((listed.identity, listed.refs), listed.name)
        if first != listed.name:  # names are unique
            return FleetRow(listed, SAME, same_as=first)
        before = self.states.get(identity.name)
        asked = plan_repository, request.directory, listed, request.policy, before
        plan: PlannedRepository = yield [asked]
        state, policy = plan.state, plan.policy
        if not state.tips:
            return FleetRow(listed, EMPTY)
        same = self.by_history.setdefault((state.basis, *state.tips.values()), listed.name)
        if same != listed.name and before is None:
            return FleetRow(listed, SAME, tips=state.tips, same_as=same)
        fresh, is_rewritten = self._find_fresh(identity.name, plan, before)
        whose = request.directory, listed.directory, policy, plan.tip
        starts = range(0, len(fresh), request.size)
        work = [(judge_part, *whose, fresh[start : start + request.size]) for start in starts]
        for _ in starts:
            rows: list[Rows] = yield work
            add_commits(self.database, identity.name, rows)
            work = []
        figures = count_all(self.database, repository=identity.name)[""]
        if plan.commits is not None:
            self._note(replace(identity, roots=plan.roots), plan, figures)
        return FleetRow(
            listed,
            VERIFIED if plan.commits is not None else UNCHANGED,
            tips=state.tips,
            figures=figures,
            new=len(fresh),
            policy=hash_policy(policy),
            enforces=policy.mode == "enforce",
            restarts="its history was rewritten" if is_rewritten else "",
        )

    def _find_fresh(
        self, name: str, plan: PlannedRepository, before: RepositoryState | None
    ) -> tuple[Sequence[str], bool]:
        """Find what is not judged yet, or may be judged otherwise by now.

        And whether commits have gone that were judged under the same policy.
        """
        if plan.commits is None:
            return (), False
        gone = keep_only(self.database, name, plan.commits)
        is_same = before is not None and before.basis == plan.state.basis
        has_same_refs = is_same and before is not None and before.evidence == plan.state.evidence
        held = list_held(self.database, name, describe_judges(plan.policy), with_open=has_same_refs)
        return tuple(each for each in plan.commits if each not in held), is_same and gone > 0

    def _note(
        self, identity: RepositoryIdentity, plan: PlannedRepository, figures: Figures
    ) -> None:
        """Keep what the tables and the next run shall know of a repository that is judged."""
        state, policy = plan.state, plan.policy
        # What could not be read may be readable the next time, whatever the refs say.
        is_open = figures["replay"].get("unverifiable", 0) > 0
        facts = ExportFacts(" ".join(state.tips), plan.tip, hash_policy(policy), policy.source)
        with transaction(self.database):
            note_repository(self.database, identity, facts)
            self.states.set(identity.name, replace(state, evidence="") if is_open else state)
        self._write_parquet(identity, tuple(TABLES))

    def _fail(self, listed: ListedRepository, failure: HkgitError) -> FleetRow:
        """The row of a repository that could not be judged; the tables say so, too."""
        identity = identify_listed(listed)
        state = self.states.get(identity.name)
        tips = {} if state is None else state.tips
        facts = ExportFacts(
            revision=" ".join(tips or listed.refs),
            tip=next(iter(tips.values()), None),
            status="failed",
            error=f"{failure.where}: {failure.what}",
        )
        note_repository(self.database, identity, facts)
        self._write_parquet(identity, ("repositories",))
        return FleetRow(listed, FAILED, failure=failure)

    def _write_parquet(self, identity: RepositoryIdentity, names: Sequence[str]) -> None:
        if self.duck is not None:
            tables = self.request.directory.tables
            write_parquet(self.duck, self.database, tables, identity.name, names)
