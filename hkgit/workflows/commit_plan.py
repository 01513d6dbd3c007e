"""Plan commits, and what each records."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property

from hkgit.applying.carry import carry_plan
from hkgit.applying.edit_lines import follow_reads, renew_reads
from hkgit.applying.evidence import find_holding_read, refuse_stale_hash, whole
from hkgit.applying.net import NetChange, words_of_files, words_written
from hkgit.applying.outcome import Plan, expect_change, files_after, files_before, refuse_spec
from hkgit.applying.planner import Options, PlannedSpec, Series, plan, plan_series
from hkgit.applying.ranges import refuse_stale_read
from hkgit.applying.workspace import resolve_names
from hkgit.edits import File, MappingSnapshot, Overlay, Read, Snapshot, Spec
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.evidence.claims import make_claims, make_squash_claim, record
from hkgit.evidence.entry import ATTRIBUTES, ATTRIBUTES_PATH, Entry, entry_id, entry_path
from hkgit.evidence.refusal_log import digest_text, make_refusal_claims
from hkgit.evidence.trailers import append_trailers, list_missing_lines, render_trailers
from hkgit.git.attributes import Content, Conversion, expect_no_collisions
from hkgit.git.objects import TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.matching.place import Settings
from hkgit.text.document import Document, terminate
from hkgit.text.escape import count_noun
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
            what = "there is no such file, but a hash of it was expected"
            raise Stale(read.path, what, "Check the path and the lines.")
        base = terminate(Document(file.data))
        if find_holding_read(base, (), (read,)) is not None:
            continue
        if read.start_line is None:
            raise refuse_stale_hash(base, read.path, (whole(base),), read.range_hash)
        raise refuse_stale_read(read.path, base, read)


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step with its entry, as it will stand in the commit."""

    entry: Entry
    id: str
    message: bytes


def record_step(
    step: PlannedCommit,
    choices: ApplyOptions,
    verify: dict[str, object] | None,
    *,
    credits_agents: bool = False,
    as_said: bool = False,
) -> RecordedStep:
    """Make the entry and message of a step in which every edit applied.

    With `credits_agents` the message says that the agent assisted, too. With `as_said` the entry
    holds each edit, else their net change where they wrote over one another. Raises InvalidInput
    for an agent or a message that cannot stand in a commit.
    """
    told_agent = step.spec.agent if choices.agent is None else choices.agent
    agent = "unknown" if told_agent is None else told_agent
    if not agent.strip() or not agent.isprintable():
        raise InvalidInput("--agent", "is not one line of printable text", "Write name/version.")
    net = None if as_said else _find_net_change(step, choices.options.settings)
    told = step if net is None else net
    claims = make_claims(
        agent,
        int(time.time()),
        verify=verify,
        allow_blind=choices.allow_blind,
        refusals=_find_refusals(step, choices, agent),
    )
    if net is not None:
        claims["squashed"] = make_squash_claim(len(step.plan.outcomes), [agent])
    entry = record(
        told.spec,
        told.plan,
        settings=choices.options.settings,
        base=step.base,
        spec_digest=told.spec.digest,
        reads=told.reads,
        claims=claims,
    )
    name = entry_id(entry.to_bytes())
    text = _choose_message(step, choices)
    credit = list_missing_lines([entry], text.encode()) if credits_agents else []
    message = append_trailers(text, (*credit, *render_trailers(entry, name)))
    return RecordedStep(entry, name, message)


def _find_net_change(step: PlannedCommit, settings: Settings) -> PlannedSpec | None:
    """The net change of a spec that wrote text and took it back; None for any other spec.

    The ledger holds no such text: no diff shows it. Raises InvalidInput where no diff says what
    the edits make together.
    """
    changes, outcomes = step.plan.files, step.plan.outcomes
    if not step.spec.sequential or len(outcomes) < 2:
        return None
    landed = words_of_files(file for each in changes for file in (each.before, each.after))
    if words_written(step.spec, outcomes) <= landed:
        return None
    net = NetChange()
    net.add(step.plan)
    try:
        return net.restate(Overlay(MappingSnapshot(), files_before(changes)), settings)
    except InvalidInput as error:
        what = "its edits write text and remove it again, which a ledger may not keep"
        raise InvalidInput(
            error.where, what, "Write each line only once, in its final form."
        ) from error


def _choose_message(step: PlannedCommit, choices: ApplyOptions) -> str:
    text = step.spec.summary if choices.message is None else choices.message
    if text is None:
        text = _make_subject(step)
    if not text.strip():
        raise InvalidInput("--message", "is empty", "Say what the commit does, or leave it out.")
    if any(line.lower().startswith("hkgit-") for line in text.splitlines()):
        raise InvalidInput("--message", "holds a Hkgit- trailer", "hkgit writes these itself.")
    return text


def _find_refusals(
    step: PlannedCommit, choices: ApplyOptions, agent: str
) -> list[dict[str, object]]:
    """Find what the agent was refused before of the texts that the step writes."""
    if choices.refused is None:
        return []
    texts = {digest_text(edit) for edit in step.spec.edits}
    return make_refusal_claims(choices.refused.find_open(agent, texts))


def _make_subject(step: PlannedCommit) -> str:
    """`Apply 3 edits to 2 files`, or `Merge topic`."""
    if step.merging is not None:
        return f"Merge {step.merging.name}"
    edits, files = len(step.plan.outcomes), len(step.plan.files)
    return f"Apply {count_noun(edits, 'edit')} to {count_noun(files, 'file')}"


def ledger_files(files: Snapshot, record: RecordedStep) -> dict[str, File | None]:
    """List what hkgit itself adds to a commit: the entry and, the first time, its attributes."""
    added: dict[str, File | None] = {entry_path(record.id): File(record.entry.to_bytes())}
    if files.get(ATTRIBUTES_PATH) is None:
        added[ATTRIBUTES_PATH] = File(ATTRIBUTES)
    return added
