"""The entries of edits that are not committed just as they were made.

An agent writes a line and takes it back in its next call, or a person takes it out before the
commit. Nobody sees that line in the commit, so the ledger must not keep it. A version of a file is
clean where all of its lines are in the file before the commit or after it. One edit from a clean
version to the next is recorded as it is; several are squashed into their net change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.evidence import is_blind
from hkgit.applying.net import NetChange, Words, words_of_files, words_written
from hkgit.applying.outcome import EditOutcome
from hkgit.applying.planner import PlannedSpec
from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import make_entry
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.git.attributes import Content, Conversion
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.matching.place import Settings
from hkgit.sessions.call_journal import (
    PendingEdit,
    group_connected,
)
from hkgit.sessions.call_plan import render_mending_read
from hkgit.sessions.proposal import Proposal, ProposedEntry, propose_entry
from hkgit.sessions.selection import Built, CommitBuilder, choose_units, read_contents
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.values import dataclass, field, replace

Step = tuple[tuple[PendingEdit, ...], PlannedSpec]


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """Edits that get one entry, and how they are placed; None where they change nothing together.

    `is_net` says that they are told by their net change.
    """

    units: tuple[PendingEdit, ...]
    planned: PlannedSpec | None
    is_net: bool = False


@dataclass(frozen=True, slots=True)
class Squash:
    """What a commit records of its edits, in order; and sentences on text that has to stay."""

    steps: tuple[CommittedStep, ...]
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """The edits of some files from one clean version to the next, by the numbers of their steps."""

    paths: tuple[str, ...]
    units: tuple[PendingEdit, ...]
    steps: tuple[int, ...]
    landed: Words


@dataclass
class _Squashing:
    """Squashes the steps of a commit; `files` are those before each step, and after the last."""

    builder: CommitBuilder
    built: Built
    after: Snapshot
    files: list[Overlay] = field(default_factory=list)
    nets: dict[_Run, PlannedSpec | None] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    def squash(self) -> Squash:
        self.files.append(Overlay(self.builder.before))
        for _, planned in self.built.steps:
            files = {**self.files[-1].files, **planned.files}
            self.files.append(Overlay(self.builder.before, files))
        for run in self._find_runs():
            try:
                self.nets[run] = self._restate(run)
            except HkgitError as error:
                self.kept.append(_describe_kept(run, error))
        return Squash(tuple(self._list_steps()), tuple(self.kept))

    def _find_runs(self) -> Iterator[_Run]:
        """Find the runs whose edits, told one by one, would tell text that did not stay."""
        steps = self.built.steps
        for paths, group in group_connected([unit for units, _ in steps for unit in units]):
            mine = frozenset(group)
            landed = self._words(self.files[0], paths) | self._words(self.after, paths)
            run: list[int] = []
            here = [at for at, (units, _) in enumerate(steps) if mine.intersection(units)]
            for at in here:
                run.append(at)
                is_clean = self._words(self.files[at + 1], paths) <= landed
                if not is_clean and at != here[-1]:
                    continue
                if not is_clean or len(run) > 1 or not self._write(at, mine) <= landed:
                    units = tuple(unit for at in run for unit in steps[at][0] if unit in mine)
                    yield _Run(tuple(paths), units, tuple(run), landed)
                run = []

    def _words(self, files: Snapshot, paths: Sequence[str]) -> Words:
        return words_of_files(read_contents(files, paths))

    def _write(self, at: int, units: frozenset[PendingEdit]) -> Words:
        """What the edits of a step wrote, those that it overwrote itself as well."""
        own, planned = self.built.steps[at]
        outcomes: list[EditOutcome] = list(planned.plan.outcomes)
        if len(own) == len(outcomes):  # a plan may tell a unit in several edits
            outcomes = [each for unit, each in zip(own, outcomes, strict=True) if unit in units]
        return words_written(planned.spec, outcomes)

    def _restate(self, run: _Run) -> PlannedSpec | None:
        """The net change of a run, on the files before it. Raises HkgitError."""
        net = NetChange()
        for at in run.steps:
            net.add(self.built.steps[at][1].plan, run.paths)
        net.drop(run.landed)
        threshold = min(unit.entry.threshold for unit in run.units)
        return net.restate(self.files[run.steps[0]], Settings(threshold))

    def _list_steps(self) -> Iterator[CommittedStep]:
        squashed = {unit for run in self.nets for unit in run.units}
        files = Overlay(self.builder.before)
        for at, (units, planned) in enumerate(self.built.steps):
            steps = [
                CommittedStep(run.units, net, is_net=True)
                for run, net in self.nets.items()
                if run.steps[-1] == at
            ]
            left = tuple(unit for unit in units if unit not in squashed)
            if left:
                own = planned if left == units else self.builder.place(files, left)
                steps.append(CommittedStep(left, own))
            for step in steps:
                if step.planned is not None:
                    files = Overlay(self.builder.before, {**files.files, **step.planned.files})
                yield step


def squash_steps(builder: CommitBuilder, built: Built, after: Snapshot) -> Squash:
    """Choose what the entries of a commit tell of the edits that were built for it."""
    return _Squashing(builder, built, after).squash()


def _describe_kept(run: _Run, error: HkgitError) -> str:
    first, last = run.units[0], run.units[-1]
    what = f"{first.name}" if first is last else f"{first.name}, to {last.name}"
    return (
        f"{what}: the ledger keeps text that they wrote and that is not in this commit"
        f" ({error.where}: {error.what})"
    )


def propose_onto(
    repository: Repository, candidates: Sequence[PendingEdit], head: str | None, tree: str
) -> Proposal:
    """Make the entries, from some edits, for what differs between a commit and a tree."""
    before = repository.snapshot(EMPTY_TREE if head is None else head)
    after = repository.snapshot(tree)
    changed = {change.path for change in repository.changes(before.tree_id, tree)}
    units = [unit for unit in candidates if unit.paths & changed]
    conversion = Conversion(repository, before)

    def stores_lf(path: str, data: bytes, old: bytes | None) -> bool:
        return conversion.stores_lf(path, Content(data, old))

    builder = CommitBuilder(before, stores_lf)
    kept, lost = choose_units(builder, units, before, after)
    built = builder.build([unit for unit in units if unit in kept])
    squash = squash_steps(builder, built, after)
    entries, refused = _entries(squash.steps, head, RefusalLog.of(repository.common_dir))
    added = [path for path in sorted(changed) if before.entry(path) is None]
    moved = _find_moved(lost, added, after)
    told = (*refused, *squash.kept, *moved, *_blind(built, squash.steps))
    uncovered = (*told, *_find_uncovered(built, after))
    return Proposal(tuple(entries), uncovered, built)


def _entries(
    steps: Sequence[CommittedStep], head: str | None, log: RefusalLog
) -> tuple[list[ProposedEntry], list[str]]:
    """The entries of a commit's steps; and why any cannot be written."""
    entries: list[ProposedEntry] = []
    refused: list[str] = []
    settled: list[PendingEdit] = []
    for step in steps:
        if step.planned is None:
            settled += step.units
            continue
        try:
            entries.append(_entry(step, step.planned, head, log))
        except InvalidInput as error:
            refused.append(f"{step.units[0].name} is not recorded: {error.what}")
    if entries and settled:  # what cancels out is done with this commit as well
        entries[-1] = replace(entries[-1], units=(*entries[-1].units, *settled))
    return entries, refused


def _entry(
    step: CommittedStep, found: PlannedSpec, head: str | None, log: RefusalLog
) -> ProposedEntry:
    """The entry of one step. Raises InvalidInput where it would be too large."""
    settings = Settings(min(unit.entry.threshold for unit in step.units))
    entry = make_entry(found.spec, found.plan, settings, found.reads)
    return propose_entry(entry, step.units, head, log, is_net=step.is_net)


def _blind(built: Built, steps: Sequence[CommittedStep]) -> Iterator[str]:
    """The blind edits, each with the command that reads its lines after the fact."""
    told = {unit for step in steps if _has_blind_edit(step.planned) for unit in step.units}
    for units, found in built.steps:
        # A unit that was restated on the parent's lines may have become several edits.
        for unit, outcome in zip(units, found.plan.outcomes, strict=False):
            if unit in told and is_blind(outcome.evidence.kind):
                session, call, _ = unit.key
                command = render_mending_read(unit.edit.path, unit.edit.base_lines, session, call)
                yield f"{unit.name} is blind; fix it: {command}, then edit again"


def _has_blind_edit(planned: PlannedSpec | None) -> bool:
    outcomes = () if planned is None else planned.plan.outcomes
    return any(is_blind(outcome.evidence.kind) for outcome in outcomes)


def _find_moved(
    lost: Sequence[PendingEdit], added: Sequence[str], after: Snapshot
) -> Iterator[str]:
    """Find the edits whose file was renamed by hand, which no entry can follow."""
    for unit in lost:
        for path in sorted(unit.paths):
            place = next((each for each in added if _is_most_in(unit, path, after.get(each))), None)
            if place is not None:
                import shlex

                back = f"git mv {shlex.quote(place)} {shlex.quote(path)}"
                mend = f"commit it by its old name first: {back}"
                yield f"{unit.name} is not covered: {path} is staged as {place}; {mend}"


def _is_most_in(unit: PendingEdit, path: str, staged: File | None) -> bool:
    """Whether what a spec wrote, and half of the file's lines, are in what is staged."""
    if staged is None or not _is_in(unit, path, staged.data):
        return False
    versions = [each.after for each in unit.entry.files if each.new_path == path]
    kept = [unit.version(each) or b"" for each in versions if each is not None]
    lines, here = [{*Document(data).lines} for data in kept], {*Document(staged.data).lines}
    return any(2 * len(written & here) >= len(written) for written in lines)


def _find_uncovered(built: Built, after: Snapshot) -> Iterator[str]:
    """Changes that no edit accounts for, in files that edits touch."""
    touched = {path for units, _ in built.steps for unit in units for path in unit.paths}
    for path in sorted(touched.union(*(unit.paths for unit in built.refused))):
        [derived], [staged] = read_contents(built.files, [path]), read_contents(after, [path])
        if derived == staged:
            continue
        for unit, error in built.refused.items():
            if path in unit.paths and staged is not None and _is_in(unit, path, staged.data):
                yield f"{unit.name} is not covered: {_why(error)}"
        if derived is not None and staged is not None:
            lines = ", ".join(_find_changed_lines(derived.data, staged.data))
            what = f"lines {lines}" if lines else f"its mode {staged.mode:o}"
            yield f"{path}: no session's edits explain {what}"
        else:
            yield f"{path}: no session's edit made or removed it"


def _is_in(unit: PendingEdit, path: str, staged: bytes) -> bool:
    """Whether something that a spec wrote in a file is in its staged version."""
    for change in unit.entry.files:
        if change.new_path == path and change.after is not None:
            sides = (unit.version(change.before), unit.version(change.after))
            before, now = (Document(each or b"") for each in sides)
            here = frozenset(Document(staged).lines)
            written = (
                now.lines[c.new_start : c.new_end] for c in find_changes(before.lines, now.lines)
            )
            return any(lines and here.issuperset(lines) for lines in written)
    return False


def _find_changed_lines(derived: bytes, staged: bytes) -> Iterator[str]:
    """Find the lines of what is staged that differ from what the edits make, the first few."""
    found = find_changes(Document(derived).lines, Document(staged).lines)
    for change in found[:5]:
        first, last = change.new_start + 1, change.new_end
        yield f"{first}-{last}" if first < last else f"{first}" if first == last else f"{last}+"
    if len(found) > 5:
        yield "..."


def _why(error: HkgitError) -> str:
    return f"{error.where}: {error.what}. Commit what it depends on first, then this."
