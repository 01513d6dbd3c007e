"""The entries of edits that are not committed just as they were made.

An agent writes a line and takes it back in its next call, or a person takes it out before the
commit. Nobody sees that line in the commit, so the ledger must not keep it. A version of a file is
clean where all of its lines are in the file before the commit or after it. One edit from a clean
version to the next is recorded as it is; several are squashed into their net change.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from hkgit.applying.evidence import is_blind
from hkgit.applying.net import NetChange, words_written
from hkgit.applying.planner import PlannedSpec
from hkgit.edits import File, Overlay, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.claims import make_entry
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.git.attributes import Content, Conversion
from hkgit.git.objects import TreeSnapshot
from hkgit.git.repository import Repository
from hkgit.matching.place import Settings
from hkgit.sessions.call_journal import PendingEdit, group_connected
from hkgit.sessions.call_plan import render_mending_read
from hkgit.sessions.proposal import Proposal, ProposedEntry, propose_entry
from hkgit.sessions.selection import Built, CommitBuilder, Step, choose_edits, read_contents
from hkgit.sessions.waiting_edits import find_effective
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.text.line_words import Words, words_of_files
from hkgit.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


@dataclass
class Squash:
    """Works out the entries of a commit, for one group of connected files after the other.

    `entries` are those that it gets; `notes` are sentences on what stays out of them, or has to
    stay in.
    """

    builder: CommitBuilder
    after: Snapshot
    head: str | None
    log: RefusalLog
    built: Built
    entries: list[ProposedEntry]
    notes: list[str] = field(default_factory=list)
    settled: list[PendingEdit] = field(default_factory=list)
    lost: list[PendingEdit] = field(default_factory=list)
    effective: set[PendingEdit] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        repository: Repository,
        sides: tuple[TreeSnapshot, TreeSnapshot],
        head: str | None,
        log: RefusalLog,
        entries: list[ProposedEntry],
    ) -> Self:
        """Begin with the entries that a commit gets in any case."""
        before, after = sides
        conversion = Conversion(repository, before)

        def stores_lf(path: str, data: bytes, old: bytes | None) -> bool:
            return conversion.stores_lf(path, Content(data, old))

        return cls(
            builder=CommitBuilder(before, stores_lf),
            after=after,
            head=head,
            log=log,
            built=Built(Overlay(before)),
            entries=entries,
        )

    def add(self, units: Sequence[PendingEdit]) -> None:
        """Take in the edits of some files that specs connect."""
        chosen = {
            each
            for paths, own in group_connected([[u] for u in units])
            for each in self._choose(paths, own)
        }
        built = self.builder.build([unit for unit in units if unit in chosen])
        self.built.merge(built)
        paths = {path for unit in units for path in unit.paths}
        landed = self._words(self.builder.before, paths) | self._words(self.after, paths)
        # The steps since files were clean, by these files; what is `done` is clean.
        runs: list[tuple[set[str], list[int]]] = []
        now = done = Overlay(self.builder.before)
        for at, (own, planned) in enumerate(built.steps):
            now = Overlay(now.below, {**now.files, **planned.files})
            here = {path for unit in own for path in unit.paths}
            met = [run for run in runs if run[0] & here]
            runs = [run for run in runs if not run[0] & here]
            here = here.union(*(paths for paths, _ in met))
            numbers = sorted([at, *(number for _, run in met for number in run)])
            if self._words(now, here) <= landed:
                self._record([built.steps[each] for each in numbers], done, landed)
                done = Overlay(now.below, {**done.files, **{each: now.get(each) for each in here}})
            else:
                runs.append((here, numbers))
        for _, numbers in runs:
            self._record([built.steps[each] for each in numbers], done, landed, is_clean=False)

    def _choose(self, paths: Sequence[str], units: Sequence[PendingEdit]) -> Sequence[PendingEdit]:
        """Choose the edits of connected files that are in what is staged."""
        staged = read_contents(self.after, paths)

        def make(some: Sequence[PendingEdit]) -> Sequence[File | None]:
            return read_contents(self.builder.build(some).files, paths)

        if not any(staged) and any(make(units)):
            self.lost += units  # the edits of a deleted file go with it
            return ()
        effective = find_effective(self.after, units, self.builder.before)
        self.effective |= {*effective}
        return choose_edits(units, make, staged, effective)

    def _words(self, files: Snapshot, paths: Iterable[str]) -> Words:
        return words_of_files(map(files.get, paths))

    def _record(
        self, run: Sequence[Step], start: Snapshot, landed: Words, *, is_clean: bool = True
    ) -> None:
        """Record the edits from one clean version to the next: their net change on `start`.

        One that says only what stays is recorded as it is; so are those of which no diff tells the
        net change.
        """
        units = tuple(unit for own, _ in run for unit in own)
        [(_, last)] = run[-1:]
        if is_clean and len(run) == 1 and words_written(last.spec, last.plan.outcomes) <= landed:
            self._propose(units, last, run, is_net=False)
            return
        net = NetChange()
        for _, planned in run:
            net.add(planned.plan)
        net.drop(landed)
        try:
            whole = net.restate(start, _settings(units))
        except HkgitError as error:
            named = units[0].name + (f", to {units[-1].name}" if len(units) > 1 else "")
            self.notes.append(
                f"{named}: the ledger keeps text that they wrote and that is not in this"
                f" commit ({error.where}: {error.what})"
            )
            for step in run:
                self._propose(*step, [step], is_net=False)
            return
        if whole is None:
            self.settled += units
        else:
            self._propose(units, whole, run, is_net=True)

    def _propose(
        self,
        units: tuple[PendingEdit, ...],
        planned: PlannedSpec,
        steps: Sequence[Step],
        *,
        is_net: bool,
    ) -> None:
        """Propose the entry of some edits, and name those of them that are blind."""
        entry = make_entry(planned.spec, planned.plan, _settings(units), planned.reads)
        try:
            self.entries.append(propose_entry(entry, units, self.head, self.log, is_net=is_net))
        except InvalidInput as error:
            self.notes.append(f"{units[0].name} is not recorded: {error.what}")
        blind = {
            each.path for each in planned.plan.outcomes if is_blind(each.evidence.kind)
        }  # of a net change the edits are named, as their authors know them
        for own, found in steps:
            # A unit that was restated on the parent's lines may have become several edits.
            for unit, outcome in zip(own, found.plan.outcomes, strict=False):
                if outcome.path in blind and is_blind(outcome.evidence.kind):
                    self.notes.append(describe_blind(unit))

    def propose(self, added: Sequence[str]) -> Proposal:
        """Propose the entries; `added` are the paths that are new in the commit."""
        if self.entries and self.settled:  # what cancels out is done with this commit as well
            last = self.entries[-1]
            self.entries[-1] = replace(last, units=(*last.units, *self.settled))
        notes = (*self.notes, *self._find_moved(added), *self._find_uncovered())
        return Proposal(tuple(self.entries), notes, self.built)

    def _find_moved(self, added: Sequence[str]) -> Iterator[str]:
        """Find the edits whose file was renamed by hand, which no entry can follow."""
        for unit in self.lost:
            for path, state in unit.entry.leaves:
                lines = {*Document(unit.version(state) or b"").lines}
                for place in added if lines and path in unit.paths else ():
                    file = self.after.get(place)
                    here = {*Document(b"" if file is None else file.data).lines}
                    if 2 * len(lines & here) >= len(lines):
                        back = f"git mv {shlex.quote(place)} {shlex.quote(path)}"
                        yield (
                            f"{unit.name} is not covered: {path} is staged as {place}; commit it by"
                            f" its old name first: {back}"
                        )
                        break

    def _find_uncovered(self) -> Iterator[str]:
        """Changes that no edit accounts for, in files that edits touch."""
        refused = self.built.refused
        units = {*refused, *(unit for own, _ in self.built.steps for unit in own)}
        for path in sorted({path for unit in units for path in unit.paths}):
            derived, staged = self.built.files.get(path), self.after.get(path)
            if derived == staged:
                continue
            for unit in refused if staged is not None else ():
                if path not in unit.paths or unit not in self.effective:
                    continue
                yield (
                    f"{unit.name} is not covered: {refused[unit].where}: {refused[unit].what}."
                    " Commit what it depends on first, then this."
                )
            if derived is None or staged is None:
                yield f"{path}: no session's edit made or removed it"
            else:
                lines = ", ".join(_name_changed_lines(derived.data, staged.data))
                what = f"lines {lines}" if lines else f"its mode {staged.mode:o}"
                yield f"{path}: no session's edits explain {what}"


def _settings(units: Iterable[PendingEdit]) -> Settings:
    return Settings(min(unit.entry.threshold for unit in units))


def describe_blind(unit: PendingEdit) -> str:
    """Describe an edit that nothing ties to what was read, with the read that fixes it."""
    session, call, _ = unit.key
    command = render_mending_read(unit.edit.path, unit.edit.base_lines, session, call)
    return f"{unit.name} is blind; fix it: {command}, then edit again"


def _name_changed_lines(derived: bytes, staged: bytes) -> Iterator[str]:
    """Name the lines of what is staged that differ from what the edits make, the first few."""
    found = find_changes(Document(derived).lines, Document(staged).lines)
    for change in found[:5]:
        first, last = change.new_start + 1, change.new_end
        yield f"{first}-{last}" if first < last else f"{first}" if first == last else f"{last}+"
    if len(found) > 5:
        yield "..."
