"""Plan the commit of each spec, or say why it is refused. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property

from hkgit.applying.carry import carry_plan
from hkgit.applying.edit_lines import follow_reads, renew_reads
from hkgit.applying.evidence import find_holding_read, refuse_stale_hash, whole
from hkgit.applying.outcome import Plan, expect_change, files_after, refuse_spec
from hkgit.applying.path_names import resolve_names
from hkgit.applying.planner import Options, plan
from hkgit.applying.ranges import refuse_stale_read
from hkgit.applying.series import PlannedSpec, Series, plan_series
from hkgit.edits import Overlay, Read, Snapshot, Spec
from hkgit.errors import HkgitError, Stale
from hkgit.git.attributes import Content, Conversion
from hkgit.git.collisions import expect_no_collisions
from hkgit.git.objects import TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.text.document import Document, terminate
from hkgit.values import dataclass, replace
from hkgit.workflows.merge_plan import MergePlan, expect_conflicted
from hkgit.workflows.target import ApplyOptions, LandingTarget, find_base
from hkgit.workflows.uncommitted import explain_uncommitted


@dataclass(frozen=True, slots=True)
class PlannedCommit(PlannedSpec):
    """One spec, planned, and what becomes of it as a commit when all of its edits apply.

    `base` is None where that is the commit of the step before, which is not made yet.
    """

    base: str | None
    merging: MergePlan | None = None


@dataclass(frozen=True, slots=True)
class FirstPlan:
    """The commit, the files and the reads on which specs without a base were planned at first."""

    tip: str
    files: tuple[Snapshot, ...]
    reads: tuple[tuple[Read, ...], ...]

    @classmethod
    def of(
        cls, repository: Repository, target: LandingTarget, steps: Sequence[PlannedCommit]
    ) -> FirstPlan:
        """Remember what plans on a target were made on."""
        files: list[Snapshot] = [repository.snapshot(target.tip)]
        for step in steps[:-1]:
            files.append(Overlay(files[-1], step.files))
        return cls(target.tip, tuple(files), tuple(step.reads for step in steps))


@dataclass(frozen=True, slots=True)
class Progress:
    """How a caller hears of slow work: `say` gets a sentence, `watch` passes the steps on."""

    say: Callable[[str], None]
    watch: Callable[[Sequence[PlannedCommit]], Iterable[PlannedCommit]] = iter


SILENT = Progress(lambda sentence: None)


def prepare(
    repository: Repository,
    specs: Sequence[Spec],
    choices: ApplyOptions,
    target: LandingTarget,
    origin: FirstPlan | None = None,
) -> tuple[PlannedCommit, ...]:
    """Plan every spec, each on what the one before it leaves; stop at the first that is refused.

    `choices.reads` are of the files before all specs. With `origin`, specs that name no base are
    planned on it and carried to the target. Raises InvalidInput for a base that is not in the
    branch's history, Stale for a read of a file that no spec touches and that does not hold.
    """
    start = repository.snapshot(target.tip)
    planning = _Planning(
        repository=repository, choices=choices, target=target, start=start, origin=origin
    )
    series = plan_series(specs, start, planning.plan_next)
    if series.is_ok:
        touched = {outcome.path for outcome in series.outcomes}
        promised = (read for read in choices.reads if read.kind == "hash")
        _check_reads(start, [read for read in promised if read.path not in touched])
    return tuple(series.steps)


@dataclass
class _Planning:
    """Plans one spec after the other; `ahead` are reads of files that earlier ones changed."""

    repository: Repository
    choices: ApplyOptions
    target: LandingTarget
    start: TreeSnapshot
    origin: FirstPlan | None
    ahead: tuple[Read, ...] = ()

    def plan_next(self, spec: Spec, series: Series[PlannedCommit]) -> PlannedCommit:
        """Plan a spec on the files that the series leaves. Raises InvalidInput."""
        base = find_base(self.repository, spec, self.choices, self.target)
        before, given = self._base_files(base, series)
        planned, reads = self._plan_spec(spec, before, series.files, given)
        if planned.ok:
            planned = self._storable(spec, planned, series)
        merging = self.target.merging
        if merging is not None:
            planned = expect_conflicted(planned, merging)
        first = self.target.tip if self.origin is None else self.origin.tip
        stated = first if base is None and not series.steps else base
        if planned.ok:
            self.ahead = _read_ahead(planned, reads, {*series.changed, *files_after(planned)})
        return PlannedCommit(spec=spec, plan=planned, reads=reads, base=stated, merging=merging)

    def _base_files(
        self, base: str | None, series: Series[PlannedCommit]
    ) -> tuple[Snapshot, tuple[Read, ...]]:
        """The files that a spec was written against, and the reads of them."""
        if base is not None:
            is_tip = base == self.target.tip and not series.steps
            return series.files if is_tip else self.repository.snapshot(base), self.choices.reads
        if self.origin is not None:
            number = len(series.steps)
            return self.origin.files[number], self.origin.reads[number]
        return series.files, renew_reads(self.choices.reads, self.ahead)

    def _plan_spec(
        self, spec: Spec, base: Snapshot, tip: Snapshot, reads: tuple[Read, ...]
    ) -> tuple[Plan, tuple[Read, ...]]:
        try:
            spec = resolve_names(spec, base)
            if base is tip:
                planned, known = plan(spec, tip, self._options, reads), reads
            else:
                planned, known = carry_plan(spec, base, tip, self._options, reads, self.ahead)
        except HkgitError as error:
            return refuse_spec(spec, error), reads
        planned = expect_change(planned)
        return explain_uncommitted(self.repository, spec, planned, self._options, reads), known

    def _storable(self, spec: Spec, planned: Plan, series: Series[PlannedCommit]) -> Plan:
        """The plan, or its refusal where git could not keep what it makes as it is."""
        changed = series.changed | files_after(planned)
        try:
            self._conversion.expect_stored(dict(_new_contents(planned)))
            expect_no_collisions(self._conversion.files, changed)
        except HkgitError as error:
            return refuse_spec(spec, error)
        return planned

    @cached_property
    def _conversion(self) -> Conversion:
        return Conversion(self.repository, self.start)

    @cached_property
    def _options(self) -> Options:
        """The options, which ask git's attributes about line ends."""

        def stores_lf(path: str, data: bytes, before: bytes | None) -> bool:
            return self._conversion.stores_lf(path, Content(data, before))

        return replace(self.choices.options, stores_lf=stores_lf)


def _read_ahead(planned: Plan, reads: Sequence[Read], changed: Collection[str]) -> tuple[Read, ...]:
    """Carry the reads of changed files to their lines after a plan."""
    known = (*follow_reads(reads, planned), *_read_written(planned))
    return tuple(read for read in known if read.path in changed)


def _read_written(planned: Plan) -> Iterator[Read]:
    """Make a read of every file that a plan creates: its author knows all of its lines."""
    for change in planned.files:
        if change.path is None and change.new_path is not None and change.after is not None:
            base = terminate(Document(change.after.data))
            if base.line_count:
                yield Read(change.new_path, *whole(base), base.whole_hash)


def _new_contents(planned: Plan) -> Iterator[tuple[str, Content]]:
    """Every path whose bytes a plan changes; a new path or mode alone is no new content."""
    for change in planned.files:
        before = None if change.before is None else change.before.data
        after = None if change.after is None else change.after.data
        if change.new_path is not None and after is not None and after != before:
            yield change.new_path, Content(after, before)


def _check_reads(files: Snapshot, reads: Sequence[Read]) -> None:
    """Raise Stale for a read that does not hold, though nothing of its file is edited."""
    for read in reads:
        file = files.get(read.path)
        if file is None:
            what = "there is no such file, though a hash of it was expected"
            raise Stale(read.path, what, "Check the path and the lines.")
        base = terminate(Document(file.data))
        if find_holding_read(base, (), (read,)) is not None:
            continue
        if read.start_line is None:
            raise refuse_stale_hash(base, read.path, (whole(base),), read.range_hash)
        raise refuse_stale_read(read.path, base, read)
