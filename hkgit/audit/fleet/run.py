"""Judge many repositories in parallel and keep what they say.

The executor does the work and knows about workers; here it is only said what comes after what:
a repository's plan, its parts in any order, its state. What is done stays done: parts and states
are files, and a run that ends early is taken up by the next one.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from hkgit.audit.commits import Trail
from hkgit.audit.fleet.plan import (
    PART,
    Answer,
    Failure,
    FleetDirectory,
    PartJob,
    PlanJob,
    PlannedRepository,
    StoreJob,
    Tally,
    describe_versions,
    join_parts,
    make_failure,
    plan_repository,
    read_state,
    sum_tallies,
    take_answer,
    write_state,
)
from hkgit.audit.fleet.repositories import ListedRepository
from hkgit.audit.tables.identity import RepositoryIdentity, find_roots, name_url
from hkgit.audit.tables.parts import ExportFacts, plan_export, write_tables
from hkgit.audit.tables.query import keep_duck, require_duck
from hkgit.audit.tables.rows import Rows, describe_judges, is_lasting, make_rows
from hkgit.audit.tables.store import TableDirectory, write_json
from hkgit.errors import GitRefused, HkgitError
from hkgit.gate.judge import Gate
from hkgit.gate.policy.model import Policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun, to_json_text, visible
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass, field, replace

_OF_THREAD = threading.local()
"""The judge of this thread, which keeps what it has read; a worker may have several threads."""


def judge_part(job: PartJob) -> int | Failure:
    """Judge the commits of a part, and keep what came out; how many they were."""
    try:
        job.directory.expect_seen()
        return _judge(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, job.plan.name)


def _judge(job: PartJob) -> int:
    trail, judge = _trail_of(job), describe_judges(job.plan.policy)
    settled, opened, left = Tally(), Tally(), []
    pending = job.directory.pending(job.plan.name)
    commits = _read_part(job)
    with (pending / f"{job.start}.jsonl").open("w", encoding="utf-8") as file:
        for commit in commits:
            audited = trail.tell(commit)
            if job.has_tables:
                rows = make_rows(trail.repository, audited, job.plan.policy, judge)
                file.write(json.dumps(rows) + "\n")
            if is_lasting(audited.ruling):
                settled.count(audited)
            else:
                opened.count(audited)
                left.append(commit)
    document: JsonObject = {
        "settled": settled.to_json(),
        "open_tally": opened.to_json(),
        "open": left,
    }
    write_json(pending / f"{job.start}.json", document)  # the rows are there before it
    return len(commits)


def _trail_of(job: PartJob) -> Trail:
    plan = job.plan
    key = (job.directory.root, plan.name, plan.basis, plan.tip)
    if getattr(_OF_THREAD, "key", None) != key:
        repository = Repository.discover(job.directory.mirror(plan.name))
        _OF_THREAD.trail = Trail(repository, Gate(repository, plan.policy, tip=plan.tip))
        _OF_THREAD.key = key
    trail: Trail = _OF_THREAD.trail
    return trail


def _read_part(job: PartJob) -> list[str]:
    """Read the ids of a part, without reading the list of all: each takes the same room."""
    with (job.directory.pending(job.plan.name) / "commits").open("rb") as file:
        width = len(file.readline())
        file.seek(job.start * width)
        return file.read(job.size * width).decode("ascii").split()


def store_rows(job: StoreJob) -> int | Failure:
    """Put the rows of all parts into the tables; how many commits they are.

    Done twice it is as done once: rows that are there already stay as they are.
    """
    try:
        return _store(job)
    except (HkgitError, OSError) as error:
        return make_failure(error, job.listed.place)


@keep_duck()
def _store(job: StoreJob) -> int:
    plan, tables = job.plan, job.directory.tables
    repository = Repository.discover(job.directory.mirror(plan.name))
    identity = identify_listed(job.listed, find_roots(repository, plan.tip))
    gone: tuple[str, ...] = ()
    if plan.is_fresh:  # the list is of all that there is: what the tables have beside it has gone
        listed = (job.directory.pending(plan.name) / "commits").read_text("ascii").split()
        judge = describe_judges(plan.policy)
        gone = plan_export(tables, identity, listed, judge, whole=True).gone
    facts = ExportFacts(" ".join(plan.tips), plan.tip, plan.policy_digest, plan.policy.source)
    write_tables(tables, identity, _read_rows(job), facts, gone=gone)
    return plan.count


def _read_rows(job: StoreJob) -> Iterator[Rows]:
    pending = job.directory.pending(job.plan.name)
    for start in range(0, job.plan.count, job.size):
        with (pending / f"{start}.jsonl").open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def identify_listed(listed: ListedRepository, roots: tuple[str, ...] = ()) -> RepositoryIdentity:
    """Name a listed repository as the tables do."""
    return RepositoryIdentity(name_url(listed.identity), listed.identity, roots)


def note_failure(directory: FleetDirectory, listed: ListedRepository, failure: Failure) -> None:
    """Say in the tables why a repository could not be judged; what they have of it stays."""
    state = read_state(directory, listed.directory)
    tips = {} if state is None else state.tips
    error = f"{failure.where}: {failure.what}"
    facts = ExportFacts(" ".join(tips or listed.refs), next(iter(tips.values()), None))
    facts = replace(facts, status="failed", error=error)
    write_tables(directory.tables, identify_listed(listed), (), facts)


VERIFIED, UNCHANGED, EMPTY, SAME, FAILED = "verified", "unchanged", "empty", "same", "failed"

STATUSES = {
    VERIFIED: "what was new is judged",
    UNCHANGED: "nothing is new since the last run",
    EMPTY: "it has no commit yet",
    SAME: "the same repository as another of the list, which is told of there",
    FAILED: "it could not be judged; the reason stands beside it",
}
"""What a run can say of a repository."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One repository: how it stands, and the numbers of all of its commits.

    `new` commits were judged in this run; `enforces` says whether its policy rejects, `restarts`
    why nothing of an earlier run counts (empty where it does).
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
    line += f"; {refused} not let pass" if refused else ""
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
        f" {tally.commits - tally.passing} not let pass",
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


Job = TypeVar("Job", PlanJob, PartJob, StoreJob)


@dataclass(frozen=True, slots=True)
class FleetRequest:
    """The repositories, where all is kept, a named policy, and how many commits a task judges.

    `has_tables` says that the evidence is written as tables, too, which takes DuckDB.
    """

    listed: tuple[ListedRepository, ...]
    directory: FleetDirectory
    policy: Policy | None = None
    size: int = PART
    has_tables: bool = True


@dataclass(slots=True)
class _Underway:
    """A repository whose parts are being judged."""

    listed: ListedRepository
    plan: PlannedRepository
    missing: set[int] = field(default_factory=set)
    failure: Failure | None = None
    is_stored: bool = False


_TABLES = -1
"""Stands for the task that stores rows, among the starts of parts."""


def verify_fleet(request: FleetRequest, executor: Executor) -> Iterator[FleetRow]:
    """Judge what is new in each repository; a row as soon as a repository is done.

    When the last row is read, the summary is written. Raises GitRefused where another run is at
    work in the directory or the executor is lost, InvalidInput where the directory is no fleet's.
    """
    request.directory.prepare()
    if request.has_tables:
        check_tables(request.directory.tables)
    with request.directory.lock():
        run = _Run(request, executor)
        rows: dict[ListedRepository, FleetRow] = {}
        try:
            for row in run.rows():
                rows[row.listed] = row
                yield row
        except (BrokenExecutor, CancelledError) as error:
            what = f"the workers are gone ({type(error).__name__})"
            fix = "Run it again: what is judged by now is kept."
            raise GitRefused(str(request.directory.root), what, fix) from error
        finally:
            run.cancel()
        ordered = tuple(rows[each] for each in request.listed)
        summary = FleetSummary(ordered, describe_versions())
        write_json(request.directory.summary, summary_json(summary))


def check_tables(place: Path) -> None:
    """Raise InvalidInput where tables cannot be written: no DuckDB, or those of a newer hkgit."""
    require_duck()
    if place.exists():
        TableDirectory.open(place)


class _Run:
    """One run: what is submitted, and what each answer is followed by."""

    def __init__(self, request: FleetRequest, executor: Executor) -> None:
        self.request = request
        self.executor = executor
        self.plans: dict[Future[Answer], ListedRepository] = {}
        self.parts: dict[Future[Answer], tuple[_Underway, int]] = {}
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
            job = PlanJob(
                directory=self.request.directory,
                listed=each,
                policy=self.request.policy,
                size=self.request.size,
                has_tables=self.request.has_tables,
            )
            self.plans[self._submit(plan_repository, job)] = each

    def _submit(self, task: Callable[[Job], Answer], job: Job) -> Future[Answer]:
        future = self.executor.submit(task, job)
        future.add_done_callback(self.answered.put)
        return future

    def _follow(self, future: Future[Answer]) -> FleetRow | None:
        """What comes after an answer: a row, or more work."""
        answer = take_answer(future)
        if future in self.plans:
            return self._take_plan(self.plans.pop(future), answer)
        underway, start = self.parts.pop(future)
        underway.missing.discard(start)
        if isinstance(answer, Failure):
            underway.failure = underway.failure or answer
        return None if underway.missing else self._go_on(underway)

    def _take_plan(self, listed: ListedRepository, plan: Answer) -> FleetRow | None:
        if isinstance(plan, Failure):
            return self._fail(listed, plan)
        assert isinstance(plan, PlannedRepository)
        if plan.versions != self.versions:
            what = f"a worker has {', '.join(plan.versions)}; here are {', '.join(self.versions)}"
            return self._fail(listed, Failure("worker", what, "Install the same."))
        if not plan.tips:
            return FleetRow(listed, EMPTY)
        history = (plan.basis, *plan.tips.values())
        known = self.by_history.setdefault(history, listed.name)
        if known != listed.name and plan.is_fresh:
            return FleetRow(listed, SAME, tips=plan.tips, same_as=known)
        underway = _Underway(listed, plan)
        self._submit_parts(underway)
        return None if underway.missing else self._go_on(underway)

    def _go_on(self, underway: _Underway) -> FleetRow | None:
        """What follows when nothing of a repository is missing: its tables, then its row."""
        if underway.failure is not None:
            return self._fail(underway.listed, underway.failure)
        if underway.is_stored or not self.request.has_tables or not underway.plan.count:
            return self._finish(underway)
        job = StoreJob(self.request.directory, underway.listed, underway.plan, self.request.size)
        underway.is_stored = True
        underway.missing.add(_TABLES)
        self.parts[self._submit(store_rows, job)] = underway, _TABLES
        return None

    def _fail(self, listed: ListedRepository, failure: Failure) -> FleetRow:
        """The row of a repository that could not be judged; the tables say so, too."""
        if self.request.has_tables:
            note_failure(self.request.directory, listed, failure)
        return FleetRow(listed, FAILED, failure=failure)

    def _submit_parts(self, underway: _Underway) -> None:
        plan = underway.plan
        for start in range(0, plan.count, self.request.size):
            if start in plan.done:
                continue
            job = PartJob(
                self.request.directory,
                plan,
                start=start,
                size=self.request.size,
                has_tables=self.request.has_tables,
            )
            underway.missing.add(start)
            self.parts[self._submit(judge_part, job)] = underway, start

    def _finish(self, underway: _Underway) -> FleetRow:
        """The row of a repository whose parts are all answered; its state is written before."""
        listed, plan = underway.listed, underway.plan
        state = join_parts(self.request.directory, plan, self.request.size)
        write_state(self.request.directory, plan.name, state)
        # What was under way is in the state now.
        shutil.rmtree(self.request.directory.pending(plan.name), ignore_errors=True)
        return FleetRow(
            listed,
            VERIFIED if plan.count or plan.is_fresh else UNCHANGED,
            tips=plan.tips,
            tally=sum_tallies((state.settled, state.open_tally)),
            new=plan.count,
            policy=plan.policy_digest,
            enforces=plan.policy.mode == "enforce",
            restarts="its history was rewritten" if plan.is_rewritten else "",
        )
