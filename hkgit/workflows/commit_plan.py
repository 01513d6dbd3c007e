"""Plan commits, and what each records."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence

from hkgit.applying.carry import carry_plan, follow_reads, renew_reads
from hkgit.applying.evidence import find_holding_read, refuse_stale_hash, whole
from hkgit.applying.files import DirectorySnapshot
from hkgit.applying.net import NetChange
from hkgit.applying.outcome import (
    Plan,
    expect_change,
    files_after,
    files_before,
    refuse_spec,
)
from hkgit.applying.planner import Options, PlannedSpec, Series, plan, plan_spec
from hkgit.applying.ranges import refuse_stale_read
from hkgit.applying.workspace import resolve_names
from hkgit.edits import File, MappingSnapshot, Overlay, Read, Snapshot, Spec
from hkgit.errors import HkgitError, InvalidInput, Stale
from hkgit.evidence.claims import (
    complete_entry,
    list_read_lines,
    make_claims,
    make_entry,
)
from hkgit.evidence.entry import Entry, entry_id
from hkgit.evidence.kept_text import says_only
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.evidence.trailers import append_trailers, list_missing_lines, render_trailers
from hkgit.git.attributes import Content, Conversion, expect_no_collisions
from hkgit.git.repository import Repository
from hkgit.git.transaction.landing import RESOLVE
from hkgit.text.document import Document, terminate, words_of_files
from hkgit.text.escape import count_noun
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass
from hkgit.workflows.merge_plan import expect_conflicted
from hkgit.workflows.target import LandingTarget, PlannedCommit, find_base


def prepare(
    target: LandingTarget, first: Sequence[PlannedCommit] = ()
) -> tuple[PlannedCommit, ...]:
    """Plan every spec, each on what the one before it leaves; stop at the first that is refused.

    The reads of the request are of the files before all specs. With `first`, specs that name no
    base are planned as they were then, and carried to the target. Raises InvalidInput for a base
    that is not in the branch's history, Stale for a read of a file that no spec touches and that
    does not hold.
    """
    repository, request = target.repository, target.request
    start = repository.snapshot(target.tip)
    conversion = Conversion(repository, start)
    options = request.options
    series, steps = Series(start), list[PlannedCommit]()
    ahead: tuple[Read, ...] = ()  # reads of files that earlier specs changed
    for number, spec in enumerate(request.specs):
        base = find_base(target, spec)
        files, given = series.files, renew_reads(request.reads, ahead)
        if base is not None:
            is_tip = base == target.tip and not number
            files, given = files if is_tip else repository.snapshot(base), request.reads
        elif first:
            files, given = first[number].before, first[number].reads
        planned, reads = _plan_spec(spec, files, series.files, options, given, ahead)
        planned = explain_uncommitted(repository, spec, planned, options, given)
        if planned.ok:
            planned = _expect_stored(conversion, spec, planned, series.changed)
        if target.merging is not None:
            planned = expect_conflicted(planned, target.merging)
        if base is None and not number:
            base = first[0].base if first else target.tip
        step = PlannedCommit(spec, planned, reads, base=base, before=series.files)
        series.add(step)
        steps.append(step)
        if not planned.ok:
            return tuple(steps)
        ahead = tuple(_read_ahead(planned, reads, series.changed))
    touched = {outcome.path for outcome in series.outcomes}
    promised = (read for read in request.reads if read.kind == "hash")
    _check_reads(start, [read for read in promised if read.path not in touched])
    return tuple(steps)


def _plan_spec(
    spec: Spec,
    base: Snapshot,
    tip: Snapshot,
    options: Options,
    reads: tuple[Read, ...],
    ahead: tuple[Read, ...],
) -> tuple[Plan, tuple[Read, ...]]:
    """The plan on the tip of a spec that refers to a base, and the reads that hold there."""
    if base is tip:
        return plan_spec(spec, tip, options, reads), reads
    try:
        spec = resolve_names(spec, base)
        planned, known = carry_plan(spec, base, tip, options, reads, ahead)
    except HkgitError as error:
        return refuse_spec(spec, error), reads
    return expect_change(planned), known


def _expect_stored(
    conversion: Conversion, spec: Spec, planned: Plan, changed: Mapping[str, File | None]
) -> Plan:
    """The plan, or its refusal where git could not keep what it makes as it is."""
    try:
        conversion.expect_stored(dict(_list_new_contents(planned)))
        expect_no_collisions(conversion.files, {**changed, **files_after(planned)})
    except HkgitError as error:
        return refuse_spec(spec, error)
    return planned


def _read_ahead(planned: Plan, reads: Sequence[Read], changed: Collection[str]) -> Iterator[Read]:
    """Carry the reads of changed files to their lines after a plan.

    Of a file that the plan creates its author knows all lines.
    """
    yield from (read for read in follow_reads(reads, planned) if read.path in changed)
    for change in planned.files:
        base = terminate(Document.of(change.after))
        if change.path is None and base.line_count:
            yield Read(change.name, *whole(base), base.whole_hash)


def _list_new_contents(planned: Plan) -> Iterator[tuple[str, Content]]:
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


@dataclass(frozen=True)
class RecordedCommit:
    """A step with its entry and message; `commit` is None while none is made of it.

    `warning` is what the policy has against it where it only warns.
    """

    step: PlannedCommit
    entry: Entry
    id: str
    message: bytes
    commit: str | None = None
    warning: HkgitError | None = None

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.decode("utf-8", "replace").split("\n", 1)[0]


def record_step(
    target: LandingTarget, step: PlannedCommit, verify: JsonObject | None = None
) -> RecordedCommit:
    """Make the entry and message of a step in which every edit applied.

    The entry holds their net change where they wrote over one another. Raises InvalidInput for an
    agent or a message that cannot be in a commit.
    """
    request = target.request
    told_agent = step.spec.agent if request.agent is None else request.agent
    agent = "unknown" if told_agent is None else told_agent
    if not agent.strip() or not agent.isprintable():
        raise InvalidInput("--agent", "is not one line of printable text", "Write name/version.")
    threshold = request.options.threshold
    net = _find_net_change(step, threshold)
    claims = make_claims(
        agent,
        int(time.time()),
        verify=verify,
        allow_blind=request.allow_blind,
        refusals=RefusalLog.of(target.repository.common_dir).make_claims(agent, step.spec.edits),
        squashed=None if net is None else (len(step.plan.outcomes), [agent]),
    )
    entry = complete_entry(make_entry(step if net is None else net, threshold), step.base, claims)
    name = entry_id(entry.to_bytes())
    text = _choose_message(target, step)
    is_credited = target.policy.assisted_by == "require"
    credit = list_missing_lines([entry], text.encode()) if is_credited else []
    message = append_trailers(text, (*credit, *render_trailers(entry, name)))
    return RecordedCommit(step, entry, name, message)


def _find_net_change(step: PlannedCommit, threshold: int) -> PlannedSpec | None:
    """The net change of a spec that wrote text and took it back; None for any other spec.

    The ledger holds no such text: no diff shows it. Raises InvalidInput where no diff says what
    the edits make together.
    """
    changes = step.plan.files
    if not step.spec.sequential or len(step.plan.outcomes) < 2:
        return None
    landed = words_of_files(file for each in changes for file in (each.before, each.after))
    entry = make_entry(step, threshold)
    if says_only(entry, landed):
        return None
    net = NetChange(Overlay(MappingSnapshot(), files_before(changes)))
    net.add(changes, [*list_read_lines(entry, {edit.id for edit in entry.edits})])
    try:
        return net.restate(threshold)
    except InvalidInput as error:
        what = "its edits write text and remove it again, which a ledger may not keep"
        raise InvalidInput(
            error.where, what, "Write each line only once, in its final form."
        ) from error


def _choose_message(target: LandingTarget, step: PlannedCommit) -> str:
    text = step.spec.summary if target.request.message is None else target.request.message
    if text is None and target.merging is not None:
        text = f"Merge {target.merging.name}"
    if text is None:
        edits, files = len(step.plan.outcomes), len(step.plan.files)
        text = f"Apply {count_noun(edits, 'edit')} to {count_noun(files, 'file')}"
    if not text.strip():
        raise InvalidInput("--message", "is empty", "Say what the commit does, or leave it out.")
    if any(line.lower().startswith("hkgit-") for line in text.splitlines()):
        raise InvalidInput("--message", "holds a Hkgit- trailer", "hkgit writes these itself.")
    return text


def explain_uncommitted(
    repository: Repository, spec: Spec, planned: Plan, options: Options, reads: Sequence[Read]
) -> Plan:
    """Add to each refusal that the edit fits the working tree, where it does.

    The agent has then read changes that are not committed yet.
    """
    if repository.work_tree is None or planned.ok:
        return planned
    committed = repository.snapshot(repository.head().commit)
    checkout = DirectorySnapshot(repository.work_tree)
    refused = {each.path for each in planned.outcomes if each.error is not None}
    differing = [path for path in refused if is_other_text(checkout, committed, path)]
    if not differing:
        return planned
    foreign = Conversion(repository, committed).why_foreign(differing)
    live = plan(spec, checkout, options, reads)
    way = f"\n{RESOLVE}" if repository.remembers("MERGE_HEAD") else ""
    outcomes = [*planned.outcomes]
    for at, (each, there) in enumerate(zip(planned.outcomes, live.outcomes, strict=True)):
        error, path = each.error, each.path
        if error is None or there.error is not None:
            continue
        if not is_other_text(checkout, committed, there.path):
            continue
        is_new = committed.get(path) is None
        state = "is not committed yet" if is_new else "has uncommitted changes"
        what = f"{error.what}; it matches the working tree, where the file {state}"
        fix = (
            f"`apply` reads HEAD: commit {path} first, or make this edit with `edit`, which reads"
            f" the working tree.{way}"
        )
        outcomes[at] = each.refuse(foreign.get(path) or type(error)(error.where, what, fix))
    return Plan(tuple(outcomes), ())


def is_other_text(checkout: Snapshot, committed: Snapshot, path: str) -> bool:
    """Whether a file's lines are others in the checkout; its line ends may be."""
    try:
        here, there = checkout.get(path), committed.get(path)
    except InvalidInput:  # no path of a checkout, which the refusal says already
        return False
    if here is None or there is None:
        return here is not there
    return here.data != there.data and Document(here.data).lines != Document(there.data).lines
