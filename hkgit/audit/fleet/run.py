"""Judge many repositories in parallel and keep what they say.

The executor does the work and knows about workers; here it is only said what comes after what: a
repository's plan, its commits in parts, its row. Workers send rows, and this process alone writes
the database. A run that ends early has what it has judged: the next one leaves that out.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import ExitStack
from queue import SimpleQueue
from sqlite3 import Connection
from sqlite3 import Error as DatabaseError
from typing import TYPE_CHECKING, TypeVar

from hkgit.audit.commits import Trail
from hkgit.audit.fleet.plan import (
    Answer,
    Failure,
    FleetDirectory,
    ListedRepository,
    PartJob,
    PlanJob,
    PlannedRepository,
    RepositoryState,
    describe_versions,
    make_failure,
    plan_repository,
    take_answer,
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
from hkgit.audit.tables.figures import ask
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

KINDS = ("replay", "made_by", "standing", "evidence", "agents")
"""What commits are counted by; `evidence` counts edits, and `agents` a commit by each."""

_OF_THREAD = threading.local()
"""The judge of this thread, which keeps what it has read; a worker may have several threads."""


def judge_part(job: PartJob) -> list[Rows] | Failure:
    """Judge some commits; their rows."""
    try:
        job.directory.expect_seen()
        return _judge(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, job.name)


def _judge(job: PartJob) -> list[Rows]:
    trail, judge = _trail_of(job), describe_judges(job.policy)
    return [
        make_rows(trail.repository, trail.tell(each), job.policy, judge) for each in job.commits
    ]


def _trail_of(job: PartJob) -> Trail:
    key = (job.directory.root, job.name, job.policy, job.tip)
    if getattr(_OF_THREAD, "key", None) != key:
        repository = Repository.discover(job.directory.mirror(job.name))
        _OF_THREAD.trail = Trail(repository, Gate(repository, job.policy, tip=job.tip))
        _OF_THREAD.key = key
    trail: Trail = _OF_THREAD.trail
    return trail


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of commits: all, those that the policy lets pass, and by each of `KINDS`."""

    commits: int = 0
    passing: int = 0
    by: Mapping[str, Counter[str]] = field(
        default_factory=lambda: {kind: Counter() for kind in KINDS}
    )

    def to_json(self) -> JsonObject:
        """Write the numbers as one JSON object."""
        by = {kind: dict(sorted(self.by[kind].items())) for kind in KINDS}
        return {"commits": self.commits, "passing": self.passing, **by}


def count_repository(database: Connection, name: str) -> Tally:
    """Count the commits of one repository."""
    by: dict[str, Counter[str]] = {kind: Counter() for kind in ("passing", *KINDS)}
    for row in ask(database, "tally", repository=name):
        by[row["kind"]][row["value"]] = row["count"]
    return Tally(by["standing"].total(), by.pop("passing").total(), by)


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """Add up some tallies."""
    known = list(tallies)
    return Tally(
        sum(each.commits for each in known),
        sum(each.passing for each in known),
        {kind: sum((each.by[kind] for each in known), Counter()) for kind in KINDS},
    )


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


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One repository: how it stands, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects, `restarts`
    why commits of an earlier run count no more (empty where all do).
    """

    listed: ListedRepository
    status: str
    tips: Mapping[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    new: int = 0
    policy: str | None = None
    enforces: bool = True
    restarts: str = ""
    same_as: str | None = None
    failure: Failure | None = None

    @property
    def passes(self) -> bool:
        """Whether it was judged and its policy lets every commit pass."""
        if self.status == FAILED:
            return False
        return not self.enforces or self.tally.passing == self.tally.commits


@dataclass(frozen=True, slots=True)
class FleetSummary:
    """All rows, in the order of the list."""

    rows: tuple[FleetRow, ...]
    versions: tuple[str, ...]

    @property
    def failed(self) -> int:
        return sum(row.status == FAILED for row in self.rows)

    @property
    def rejected(self) -> int:
        """Repositories that were judged, and that their policy does not let pass."""
        return sum(not row.passes and row.status != FAILED for row in self.rows)

    @property
    def tally(self) -> Tally:
        return sum_tallies(row.tally for row in self.rows)


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
    tally = row.tally
    counted = count_noun(tally.commits, "commit")
    by = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.by["standing"].items()))
    refused = tally.commits - tally.passing
    line = f"{mark} {name}: {counted}, {row.new} new"
    line += f"; {by}" if by else ""
    line += f"; {refused} rejected" if refused else ""
    return line + (f" ({row.restarts})" if row.restarts else "")


def summary_lines(summary: FleetSummary) -> list[str]:
    """Write the whole summary for a person."""
    counted = Counter(row.status for row in summary.rows)
    by = ", ".join(f"{counted[status]} {status}" for status in STATUSES if counted[status])
    tally = summary.tally
    repositories = count_noun(len(summary.rows), "repository", "repositories")
    derived = tally.by["standing"]["derived"]
    return [
        f"{repositories}: {by}",
        f"{count_noun(tally.commits, 'commit')}: {derived} derived,"
        f" {tally.commits - tally.passing} rejected",
    ]


def summary_json(summary: FleetSummary) -> JsonObject:
    """Write the whole summary as one JSON object."""
    return {
        "schema": 1,
        "versions": list(summary.versions),
        "repositories": [row_json(row) for row in summary.rows],
        "total": summary.tally.to_json(),
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
        else {
            "where": to_json_text(failure.where),
            "what": to_json_text(failure.what),
            "fix": to_json_text(failure.fix),
        },
        "numbers": row.tally.to_json(),
    }


Job = TypeVar("Job", PlanJob, PartJob)


@dataclass(frozen=True, slots=True)
class FleetRequest:
    """The repositories, where all is kept, a named policy, and how many commits a task judges.

    `has_tables` says that the tables are written as Parquet, too, where DuckDB is.
    """

    listed: tuple[ListedRepository, ...]
    directory: FleetDirectory
    policy: Policy | None = None
    size: int = PART
    has_tables: bool = True


@dataclass(slots=True)
class _Underway:
    """A repository whose parts are being judged, and how many commits are new in it."""

    listed: ListedRepository
    plan: PlannedRepository
    new: int = 0
    missing: int = 0
    is_rewritten: bool = False
    failure: Failure | None = None


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
    """One run: what is submitted, and what each answer is followed by."""

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
        self.plans: dict[Future[Answer], ListedRepository] = {}
        self.parts: dict[Future[Answer], _Underway] = {}
        self.answered: SimpleQueue[Future[Answer]] = SimpleQueue()
        self.by_history: dict[tuple[str, ...], str] = {}
        self.versions = describe_versions()

    def rows(self) -> Iterator[FleetRow]:
        """The rows, as repositories are done."""
        yield from self._submit_plans()
        while self.plans or self.parts:
            row = self._follow(self.answered.get())
            if row is not None:
                yield row

    def cancel(self) -> None:
        """Let nothing start that has not begun."""
        for future in (*self.plans, *self.parts):
            future.cancel()

    def _submit_plans(self) -> Iterator[FleetRow]:
        """Submit a plan for each repository; what is listed twice is told at once."""
        first: dict[tuple[str, tuple[str, ...]], str] = {}
        for each in self.request.listed:
            key = (each.identity, each.refs)
            if key in first:
                yield FleetRow(each, SAME, same_as=first[key])
                continue
            first[key] = each.name
            before = self.states.get(identify_listed(each).name)
            job = PlanJob(self.request.directory, each, self.request.policy, before)
            self.plans[self._submit(plan_repository, job)] = each

    def _submit(self, task: Callable[[Job], Answer], job: Job) -> Future[Answer]:
        future = self.executor.submit(task, job)
        future.add_done_callback(self.answered.put)
        return future

    def _follow(self, future: Future[Answer]) -> FleetRow | None:
        """What comes after an answer: a row, or more work; a full disk is the row's failure."""
        answer = take_answer(future)
        listed = self.plans[future] if future in self.plans else self.parts[future].listed
        try:
            if future in self.plans:
                return self._take_plan(self.plans.pop(future), answer)
            return self._take_part(self.parts.pop(future), answer)
        except (HkgitError, OSError, DatabaseError) as error:
            return self._fail(listed, make_failure(error, listed.place))

    def _take_plan(self, listed: ListedRepository, plan: Answer) -> FleetRow | None:
        if isinstance(plan, Failure):
            return self._fail(listed, plan)
        assert isinstance(plan, PlannedRepository)
        if plan.versions != self.versions:
            ours = ", ".join(self.versions)
            what = f"a worker has {', '.join(plan.versions)}; this machine has {ours}"
            return self._fail(listed, Failure("worker", what, "Install the same versions."))
        if not plan.state.tips:
            return FleetRow(listed, EMPTY)
        before = self.states.get(identify_listed(listed).name)
        known = self.by_history.setdefault(
            (plan.state.basis, *plan.state.tips.values()), listed.name
        )
        if known != listed.name and before is None:
            return FleetRow(listed, SAME, tips=plan.state.tips, same_as=known)
        underway = _Underway(listed, plan)
        if plan.commits is not None:
            self._submit_parts(underway, plan.commits, before)
        return None if underway.missing else self._finish(underway)

    def _submit_parts(
        self, underway: _Underway, commits: tuple[str, ...], before: RepositoryState | None
    ) -> None:
        """Submit what is not judged yet, or may be judged otherwise by now."""
        listed, plan = underway.listed, underway.plan
        name = identify_listed(listed).name
        gone = keep_only(self.database, name, commits)
        is_same = before is not None and before.basis == plan.state.basis
        has_same_refs = is_same and before is not None and before.evidence == plan.state.evidence
        held = list_held(self.database, name, describe_judges(plan.policy), with_open=has_same_refs)
        fresh = tuple(each for each in commits if each not in held)
        underway.new, underway.is_rewritten = len(fresh), is_same and gone > 0
        for start in range(0, len(fresh), self.request.size):
            part = fresh[start : start + self.request.size]
            job = PartJob(
                self.request.directory,
                listed.directory,
                policy=plan.policy,
                tip=plan.tip,
                commits=part,
            )
            underway.missing += 1
            self.parts[self._submit(judge_part, job)] = underway

    def _take_part(self, underway: _Underway, answer: Answer) -> FleetRow | None:
        underway.missing -= 1
        if isinstance(answer, Failure):
            underway.failure = underway.failure or answer
        elif isinstance(answer, list) and underway.failure is None:
            name = identify_listed(underway.listed).name
            try:
                add_commits(self.database, name, answer)
            except (HkgitError, OSError, DatabaseError) as error:
                underway.failure = make_failure(error, underway.listed.place)
        if underway.missing:
            return None
        if underway.failure is not None:
            return self._fail(underway.listed, underway.failure)
        return self._finish(underway)

    def _finish(self, underway: _Underway) -> FleetRow:
        """The row of a repository whose parts are all answered; its state is kept before."""
        listed, plan = underway.listed, underway.plan
        identity, state = identify_listed(listed, plan.roots), plan.state
        tally = count_repository(self.database, identity.name)
        if plan.commits is not None:
            # What could not be read may be readable the next time, whatever the refs say.
            is_open = tally.by["replay"]["unverifiable"] > 0
            policy = plan.policy
            facts = ExportFacts(" ".join(state.tips), plan.tip, hash_policy(policy), policy.source)
            with transaction(self.database):
                note_repository(self.database, identity, facts)
                self.states.set(identity.name, replace(state, evidence="") if is_open else state)
            self._write_parquet(identity)
        return FleetRow(
            listed,
            VERIFIED if plan.commits is not None else UNCHANGED,
            tips=state.tips,
            tally=tally,
            new=underway.new,
            policy=hash_policy(plan.policy),
            enforces=plan.policy.mode == "enforce",
            restarts="its history was rewritten" if underway.is_rewritten else "",
        )

    def _fail(self, listed: ListedRepository, failure: Failure) -> FleetRow:
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

    def _write_parquet(
        self, identity: RepositoryIdentity, names: tuple[str, ...] = tuple(TABLES)
    ) -> None:
        if self.duck is not None:
            tables = self.request.directory.tables
            write_parquet(self.duck, self.database, tables, identity.name, names)
