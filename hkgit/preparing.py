"""preparing.py: from specs to steps: where they land, what each changes, or why it is refused.

Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hkgit.applying.carrying import carried_plan
from hkgit.applying.evidence import from_reads, stale_hash, whole
from hkgit.applying.following import followed, renewed
from hkgit.applying.names import resolved
from hkgit.applying.outcome import EditOutcome, Plan, changed_files, expect_change
from hkgit.applying.planner import Options, plan
from hkgit.applying.ranges import stale_read
from hkgit.directory import DirectorySnapshot
from hkgit.document import Document, terminated
from hkgit.edits import File, MappingSnapshot, Overlay, Read, Snapshot, Spec
from hkgit.errors import GitRefused, HkgitError, InvalidInput, Stale
from hkgit.git.conversion import Content, Conversion
from hkgit.git.landing import RESOLVE
from hkgit.git.repository import Repository
from hkgit.git.twins import expect_no_twins
from hkgit.resolving import Merging, expect_conflicted, find_merging

if TYPE_CHECKING:
    from hkgit.conflicts.meeting import Met


@dataclass(frozen=True, slots=True)
class Choices:
    """How a spec is applied, as asked on the command line; None where nothing was asked.

    `met` are the conflicts that its edits may resolve; `merge` is a revision to be merged.
    """

    branch: str | None = None
    merge: str | None = None
    base: str | None = None
    agent: str | None = None
    message: str | None = None
    verify: str | None = None
    options: Options = field(default_factory=Options)
    reads: tuple[Read, ...] = ()
    accept_hook_changes: bool = False
    met: Met | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where commits land: on `tip`, moving `branch` from `old` (None: it is made).

    With `merging` the one commit merges that as well.
    """

    branch: str
    tip: str
    old: str | None
    checkout: bool
    merging: Merging | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One spec, planned: its outcomes and, when all applied, what becomes its commit.

    `base` is None where that is the commit of the step before, which is not made yet.
    """

    spec: Spec
    base: str | None
    made: Plan
    reads: tuple[Read, ...]
    merging: Merging | None = None

    @property
    def files(self) -> dict[str, File | None]:
        """The changed files by path; None where one is gone."""
        return changed_files(self.made)


def find_target(repository: Repository, specs: Sequence[Spec], choices: Choices) -> Target:
    """Where to land. Raises GitRefused when there is no branch to land on, or it is in use.

    Raises InvalidInput for what cannot be merged there.
    """
    target = _target(repository, specs, choices)
    if choices.merge is None:
        return target
    if len(specs) > 1:
        raise InvalidInput("--merge", "is one commit, so of one spec", "Put the edits into one.")
    merging = find_merging(repository, choices.merge, target.branch, target.tip)
    return replace(target, merging=merging)


def _target(repository: Repository, specs: Sequence[Spec], choices: Choices) -> Target:
    if choices.branch is not None:
        return _named_target(repository, choices.branch, _stated_base(specs[0], choices))
    head = repository.head()
    fix = "Switch to a branch, or name one with --branch."
    if repository.is_bare:
        raise GitRefused("HEAD", "a bare repository has no checkout to land in", fix)
    if head.branch is None:
        raise GitRefused("HEAD", "is detached: there is no branch to land on", fix)
    if head.commit is None:
        what = "has no commit yet, so there is nothing to edit"
        raise GitRefused(head.branch, what, "Make a first commit: git commit --allow-empty")
    return Target(head.branch, head.commit, head.commit, checkout=True)


def _named_target(repository: Repository, branch: str, base: str | None) -> Target:
    used = repository.checked_out_branches().get(branch)
    if used is not None:
        fix = "Leave --branch out there, or name another branch."
        raise GitRefused(branch, f"is checked out at {used}", fix)
    tip = repository.branch_tip(branch)
    if tip is not None:
        return Target(branch, tip, tip, checkout=False)
    start = repository.resolve("HEAD" if base is None else base)
    return Target(branch, start, None, checkout=False)


def _stated_base(spec: Spec, choices: Choices) -> str | None:
    return spec.base if choices.base is None else choices.base


@dataclass(frozen=True, slots=True)
class Origin:
    """What specs that state no base were planned on at first: a commit; files and reads of each."""

    tip: str
    files: tuple[Snapshot, ...]
    reads: tuple[tuple[Read, ...], ...]

    @classmethod
    def of(cls, repository: Repository, target: Target, steps: Sequence[Step]) -> Origin:
        """The origin of steps that were planned on a target."""
        files: list[Snapshot] = [repository.snapshot(target.tip)]
        for step in steps[:-1]:
            files.append(Overlay(files[-1], step.files))
        return cls(target.tip, tuple(files), tuple(step.reads for step in steps))


def prepare(
    repository: Repository,
    specs: Sequence[Spec],
    choices: Choices,
    target: Target,
    origin: Origin | None = None,
) -> tuple[Step, ...]:
    """Plan every spec, each on what the one before it leaves; stops at the first refused.

    The reads are of the files before all specs, and follow what a spec changes. With an origin,
    specs that state no base speak of it. Raises InvalidInput for a base that is not in the
    branch's history, Stale for a read of a file that no spec touches and that does not hold.
    """
    start = repository.snapshot(target.tip)
    conversion = Conversion(repository, start)
    first = target.tip if origin is None else origin.tip
    steps: list[Step] = []
    tip: Snapshot = start
    ahead: tuple[Read, ...] = ()
    for spec in specs:
        base = _base(repository, spec, choices, target)
        given = choices.reads
        if base is not None:
            is_tip = base == target.tip and not steps
            before = tip if is_tip else repository.snapshot(base)
        elif origin is not None:
            before, given = origin.files[len(steps)], origin.reads[len(steps)]
        else:
            before, given = tip, renewed(choices.reads, ahead)
        planned = _converting(replace(choices, reads=given), conversion)
        made, reads = _planned(repository, spec, before, tip, planned, ahead)
        made = _storable(spec, made, conversion, [step.files for step in steps])
        if target.merging is not None:
            made = expect_conflicted(made, target.merging)
        stated = base if steps or base is not None else first
        steps.append(Step(spec, stated, made, reads, target.merging))
        if not made.ok:
            return tuple(steps)
        tip = Overlay(tip, steps[-1].files)
        changed = {path for step in steps for path in step.files}
        ahead = tuple(read for read in followed(reads, made) if read.path in changed)
    touched = {outcome.path for step in steps for outcome in step.made.outcomes}
    promised = (read for read in choices.reads if read.kind == "hash")
    _check_reads(start, [read for read in promised if read.path not in touched])
    return tuple(steps)


def _converting(choices: Choices, conversion: Conversion) -> Choices:
    """The choices, with git's word on what line ends it keeps."""

    def stores_lf(path: str, data: bytes, before: bytes | None) -> bool:
        return conversion.stores_lf(path, Content(data, before))

    return replace(choices, options=replace(choices.options, stores_lf=stores_lf))


def _storable(
    spec: Spec,
    made: Plan,
    conversion: Conversion,
    earlier: Sequence[Mapping[str, File | None]],
) -> Plan:
    """The plan, or its refusal where git could not keep what it makes as it is."""
    changed: dict[str, File | None] = {}
    for files in (*earlier, changed_files(made)):
        changed |= files
    try:
        conversion.expect_stored(dict(_new_contents(made)))
        expect_no_twins(conversion.files, changed)
    except HkgitError as error:
        return _all_refused(spec, error)
    return made


def _new_contents(made: Plan) -> Iterator[tuple[str, Content]]:
    """Every path whose bytes a plan changes; that a file moves or gets a mode is no new content."""
    for change in made.files:
        before = None if change.before is None else change.before.data
        after = None if change.after is None else change.after.data
        if change.new_path is not None and after is not None and after != before:
            yield change.new_path, Content(after, before)


def _base(repository: Repository, spec: Spec, choices: Choices, target: Target) -> str | None:
    """The commit that a spec was written against; None when it does not say."""
    rev = _stated_base(spec, choices)
    if rev is None:
        return None
    base = repository.resolve(rev)
    if not repository.is_ancestor(base, target.tip):
        fix = "Name a commit in the branch's history, or rebase the spec by reading again."
        raise InvalidInput(rev, f"is no ancestor of {target.branch}", fix)
    return base


def _planned(
    repository: Repository, spec: Spec, base: Snapshot, tip: Snapshot, choices: Choices,
    ahead: Sequence[Read],
) -> tuple[Plan, tuple[Read, ...]]:  # fmt: skip
    reads = choices.reads
    try:
        spec = resolved(spec, base)
        if base is tip:
            made = plan(spec, tip, choices.options, reads)
        else:
            made, reads = carried_plan(spec, base, tip, choices.options, reads, ahead)
    except HkgitError as error:
        return _all_refused(spec, error), choices.reads
    return _explained(repository, spec, expect_change(made), choices), reads


def _all_refused(spec: Spec, error: HkgitError) -> Plan:
    """The plan of a spec whose names cannot be settled, or that cannot be carried to the tip."""
    outcomes = tuple(
        EditOutcome(number, edit.path, error.status, error=error)
        for number, edit in enumerate(spec.edits, 1)
    )
    return Plan(outcomes, ())


def _explained(repository: Repository, spec: Spec, made: Plan, choices: Choices) -> Plan:
    """Say where a refused edit fits the working tree: the agent read uncommitted changes."""
    if repository.work_tree is None or made.ok:
        return made
    head = repository.head().commit
    committed = MappingSnapshot() if head is None else repository.snapshot(head)
    checkout = DirectorySnapshot(repository.work_tree)
    live = plan(spec, checkout, choices.options, choices.reads)
    way = f"\n{RESOLVE}" if repository.remembers("MERGE_HEAD") else ""
    outcomes = tuple(
        _uncommitted(each, each.error, way)
        if each.error is not None
        and there.error is None
        and _differ(checkout, committed, there.path)
        else each
        for each, there in zip(made.outcomes, live.outcomes, strict=True)
    )
    return Plan(outcomes, ())


def _differ(checkout: Snapshot, committed: Snapshot, path: str) -> bool:
    """Whether a file's lines are others in the checkout; its line ends may be."""
    here, there = checkout.get(path), committed.get(path)
    if here is None or there is None:
        return here is not there
    return Document(here.data).lines != Document(there.data).lines


def _uncommitted(outcome: EditOutcome, error: HkgitError, way: str) -> EditOutcome:
    what = f"{error.what}; it fits the working tree, where the file has uncommitted changes"
    fix = f"Commit the changes of {outcome.path} first, or read it with --rev HEAD.{way}"
    return replace(outcome, error=type(error)(error.where, what, fix))


def _check_reads(files: Snapshot, reads: Sequence[Read]) -> None:
    """Raise Stale for a read that does not hold, though nothing of its file is edited."""
    for read in reads:
        file = files.get(read.path)
        if file is None:
            what = "there is no such file, though a hash of it was expected"
            raise Stale(read.path, what, "Check the path and the lines.")
        base = terminated(Document(file.data))
        if from_reads(base, (), (read,)) is not None:
            continue
        if read.start_line is None:
            raise stale_hash(base, read.path, (whole(base),), read.range_hash)
        raise stale_read(read.path, base, read)
