"""running.py: verify every repository of a list, on whatever executor the caller has.

The executor does the work and knows about workers; here it is only said what comes after what:
a repository's plan, its parts in any order, its state. What is done stays done: parts and states
are files, and a run that ends early is taken up by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from hkgit.audit.fleet.judging import judge_part
from hkgit.audit.fleet.listing import ListedRepository
from hkgit.audit.fleet.places import FleetDirectory
from hkgit.audit.fleet.planning import plan_repository
from hkgit.audit.fleet.rows import (
    EMPTY,
    FAILED,
    SAME,
    UNCHANGED,
    VERIFIED,
    FleetRow,
    FleetSummary,
    summary_json,
)
from hkgit.audit.fleet.states import join_parts, write_state
from hkgit.audit.fleet.storing import note_failure, remove_pending, store_rows
from hkgit.audit.fleet.tally import Tally, sum_tallies
from hkgit.audit.fleet.tasks import (
    PART,
    Answer,
    Failure,
    PartJob,
    PlanJob,
    PlannedRepository,
    StoreJob,
    describe_versions,
    take_answer,
)
from hkgit.audit.tables.duck import require_duck
from hkgit.audit.tables.store import TableDirectory, write_json
from hkgit.errors import GitRefused
from hkgit.gate.policy import Policy
from hkgit.values import dataclass, field

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
        tip = next(iter(plan.tips.values()))
        for start in range(0, plan.count, self.request.size):
            if start in plan.done:
                continue
            job = PartJob(
                directory=self.request.directory,
                name=plan.name,
                policy=plan.policy,
                basis=plan.basis,
                tip=tip,
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
        remove_pending(self.request.directory, plan.name)
        return FleetRow(
            listed,
            VERIFIED if plan.count or plan.is_fresh else UNCHANGED,
            tips=plan.tips,
            tally=sum_tallies((Tally(state.settled), Tally(state.open_tally))),
            new=plan.count,
            policy=plan.policy_digest,
            enforces=plan.policy.mode == "enforce",
            restarts="its history was rewritten" if plan.is_rewritten else "",
        )
