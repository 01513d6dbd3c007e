"""squash.py: the edits of a commit as its ledger may tell them: no text that did not stay.

An agent writes a line and takes it back in its next call, or a person takes it out before the
commit. Nobody sees that line in the commit, so the ledger must not keep it. A version of a file is
clean where all of its lines are in the file before the commit or after it. One edit from a clean
version to the next is recorded as it is; several are squashed into their net change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hkgit.applying.net import NetChange, Words, words_of_files, words_written
from hkgit.applying.outcome import EditOutcome
from hkgit.applying.series import PlannedSpec
from hkgit.edits import Overlay, Snapshot
from hkgit.errors import HkgitError
from hkgit.matching.places import Settings
from hkgit.sessions.commit.building import Built, CommitBuilder, read_contents
from hkgit.sessions.commit.pending import PendingEdit, group_connected
from hkgit.values import dataclass, field

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
        threshold = min(unit.journaled.threshold for unit in run.units)
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
