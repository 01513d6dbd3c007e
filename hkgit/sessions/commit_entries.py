"""The entries that a commit is to have.

An entry that leads from the commit's parent towards what is staged goes in as it is. Others become
a diff of the parent's files: those of which a part is staged, or that found what no commit has.

An agent writes a line and takes it back in its next call, or a person takes it out before the
commit. Nobody sees that line in the commit, so the ledger must not keep it. A version of a file is
clean where all of its lines are in the file before the commit or after it. One entry from a clean
version to the next stays as it is; several become their net change.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from hkgit.applying.evidence import LATE, is_blind
from hkgit.edits import File, Overlay, Read, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.additions import list_ledger_files
from hkgit.evidence.claims import complete_entry, make_claims, make_entry
from hkgit.evidence.entry import Entry, entry_id
from hkgit.evidence.kept_text import says_only
from hkgit.evidence.refusal_log import RefusalLog
from hkgit.git.attributes import Conversion
from hkgit.git.repository import Repository
from hkgit.sessions.answers import render_mending_read
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, UnitKey, group_connected
from hkgit.sessions.placement import Built, CommitBuilder, PlacedEdits, choose_edits
from hkgit.sessions.waiting_edits import find_effective
from hkgit.text.diff import find_changes
from hkgit.text.document import Document, Words, words_of_files
from hkgit.values import dataclass, field, replace


@dataclass(frozen=True)
class ProposedEntry:
    """A ledger entry with its name, and the journalled edits that it accounts for."""

    entry: Entry
    name: str
    units: tuple[PendingEdit, ...]

    def list_edits(self, journal: SessionJournal) -> frozenset[UnitKey]:
        """List its edits that one session has journalled."""
        own = (unit for unit in self.units if unit.journal.folder == journal.folder)
        return frozenset(unit.id for unit in own)


@dataclass(frozen=True)
class Proposal:
    """The entries that a commit gets, in order, and sentences on what no entry accounts for.

    `built` is how edits were put on the files of its parent.
    """

    entries: tuple[ProposedEntry, ...]
    uncovered: tuple[str, ...]
    built: Built = field(default_factory=Built)

    def list_files(self, tree: Snapshot) -> dict[str, File]:
        """List the files that they add to a tree."""
        return list_ledger_files(((each.name, each.entry) for each in self.entries), tree)


def propose(
    repository: Repository, waiting: Sequence[PendingEdit], head: str | None, tree: str
) -> Proposal:
    """Make the entries, from edits that wait, for what differs between a commit and a tree."""
    before = repository.snapshot(head)
    after = repository.snapshot(tree)
    changed = {change.path for change in repository.changes(before.tree_id, tree)}
    builder = CommitBuilder(before, Conversion(repository, before).stores_lf)
    making = _Making(builder, after, head, RefusalLog.of(repository.common_dir))
    units = [unit for unit in waiting if unit.paths & changed]
    groups = group_connected([[unit] for unit in units])
    chosen = {unit for paths, group in groups for unit in making.choose(paths, group)}
    making.built = making.builder.build([unit for unit in units if unit in chosen])
    specs = [[*own] for _, own in groupby(units, key=lambda unit: unit.key)]
    for paths, group in group_connected(specs):
        making.add(paths, {*group})
    return making.propose(sorted(path for path in changed if before.entry(path) is None))


def propose_entry(
    entry: Entry,
    units: tuple[PendingEdit, ...],
    base: str | None,
    log: RefusalLog,
    *,
    is_net: bool,
) -> ProposedEntry:
    """Propose an entry of some edits. Raises InvalidInput where it is too large."""
    last = units[-1].call
    agents = dict.fromkeys(unit.call.agent for unit in units)
    claims = make_claims(
        last.agent,
        last.time // 1000,
        refusals=log.make_claims(last.agent, (unit.edit.edit for unit in units)),
        origin=next((unit.call.origin for unit in units if unit.call.origin), ""),
        squashed=(len(units), agents) if is_net else None,
    )
    whole = complete_entry(entry, base, claims)
    return ProposedEntry(whole, entry_id(whole.to_bytes()), units)


@dataclass
class _Making:
    """Makes the entries of a commit, for one group of connected files after the other.

    `built` are the edits that were chosen, on the files of its parent. `notes` are sentences on
    what stays out of them, or has to stay in.
    """

    builder: CommitBuilder
    after: Snapshot
    head: str | None
    log: RefusalLog
    built: Built = field(default_factory=Built)
    entries: list[ProposedEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    settled: list[PendingEdit] = field(default_factory=list)
    lost: list[PendingEdit] = field(default_factory=list)
    effective: set[PendingEdit] = field(default_factory=set)

    def add(self, paths: Sequence[str], units: Collection[PendingEdit]) -> None:
        """Take in those edits of some files, which specs connect, that were chosen."""
        steps = [step for step in self.built.steps if step.units[0] in units]
        landed = self._words(self.builder.before, paths) | self._words(self.after, paths)
        # The steps since files were clean, by these files; what is `done` is clean.
        runs: list[tuple[set[str], list[int]]] = []
        now = done = Overlay(self.builder.before)
        for at, step in enumerate(steps):
            now = Overlay(now.below, {**now.files, **step.files})
            here = {path for unit in step.units for path in unit.paths}
            met = [run for run in runs if run[0] & here]
            runs = [run for run in runs if not run[0] & here]
            here = here.union(*(paths for paths, _ in met))
            numbers = sorted([at, *(number for _, run in met for number in run)])
            if self._words(now, here) <= landed:
                self._record([steps[each] for each in numbers], done, landed)
                done = Overlay(now.below, {**done.files, **{each: now.get(each) for each in here}})
            else:
                runs.append((here, numbers))
        for _, numbers in runs:
            self._record([steps[each] for each in numbers], done, landed)

    def choose(self, paths: Sequence[str], units: Sequence[PendingEdit]) -> Sequence[PendingEdit]:
        """Choose the edits of connected files that are in what is staged."""
        staged = [*map(self.after.get, paths)]

        def make(some: Sequence[PendingEdit]) -> Sequence[File | None]:
            return [*map(self.builder.build(some).files.get, paths)]

        built = self.builder.build(units)
        made = [*map(built.files.get, paths)]
        if made == staged and not built.refused:
            return units
        if not any(staged) and any(made):
            self.lost += units  # the edits of a deleted file go with it
            return ()
        effective = find_effective(self.after, units, self.builder.before)
        self.effective |= {*effective}
        return choose_edits(units, make, staged, effective)

    def _words(self, files: Snapshot, paths: Iterable[str]) -> Words:
        return words_of_files(map(files.get, paths))

    def _record(self, run: Sequence[PlacedEdits], start: Snapshot, landed: Words) -> None:
        """Record the edits from one clean version to the next.

        One entry that says only what stays goes in as it is; so do those of which no diff tells
        the net change.
        """
        units, entry = tuple(unit for step in run for unit in step.units), run[0].units[0].entry
        is_clear = len(run) == 1 and says_only(entry, landed)
        if is_clear and run[0].is_whole and not any(read.kind == LATE for read in entry.reads):
            self._propose(entry, units, is_net=False)
            return
        try:
            whole = restate(run, start, landed)
        except HkgitError as error:
            named = units[0].name + (f", to {units[-1].name}" if len(units) > 1 else "")
            self.notes.append(
                f"{named}: the ledger keeps text that they wrote and that is not in this"
                f" commit ({error.where}: {error.what})"
            )
            for step in run:
                if step.is_whole:
                    self._propose(step.units[0].entry, step.units, is_net=False)
            return
        if whole is None:
            self.settled += units
        else:
            self._propose(whole, units, is_net=not is_clear)

    def _propose(self, entry: Entry, units: tuple[PendingEdit, ...], *, is_net: bool) -> None:
        """Propose the entry of some edits, and name those of them that are blind."""
        try:
            self.entries.append(propose_entry(entry, units, self.head, self.log, is_net=is_net))
        except InvalidInput as error:
            self.notes.append(f"{units[0].name} is not recorded: {error.what}")
        self.notes += list_blind(entry, units)

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
                lines = {*Document.of(unit.version(state)).lines}
                for place in added if lines and path in unit.paths else ():
                    here = {*Document.of(self.after.get(place)).lines}
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
        units = {*refused, *(unit for step in self.built.steps for unit in step.units)}
        for path in sorted({path for unit in units for path in unit.paths}):
            derived, staged = self.built.files.get(path), self.after.get(path)
            if derived == staged:
                continue
            for unit, error in refused.items() if staged is not None else ():
                if path in unit.paths and unit in self.effective:
                    yield f"{unit.name} is not covered: {error.where}: {error.what}. {error.fix}"
            if derived is None or staged is None:
                yield f"{path}: no session's edit made or removed it"
            else:
                lines = ", ".join(_name_changed_lines(derived.data, staged.data))
                what = f"lines {lines}" if lines else f"its mode {staged.mode:o}"
                yield f"{path}: no session's edits explain {what}"


def restate(
    run: Sequence[PlacedEdits],
    start: Snapshot,
    landed: Words | None = None,
    more: Sequence[Read] = (),
) -> Entry | None:
    """Tell the net change of some steps as an entry; None for no change. Raises InvalidInput.

    With `landed` it writes no other words, and with `more` that was read as well.
    """
    # Few commits need the ladder.
    from hkgit.applying.net import NetChange

    net = NetChange(start)
    for step in run:
        net.add(step.changes, step.reads)
    if landed is not None:
        net.drop(landed)
    threshold = min(step.units[0].entry.threshold for step in run)
    whole = net.restate(threshold, more)
    return None if whole is None else make_entry(whole, threshold)


def list_blind(entry: Entry, units: Sequence[PendingEdit]) -> Iterator[str]:
    """Describe the edits of an entry that nothing ties to what was read, with the fix."""
    blind = {edit.path for edit in entry.edits if is_blind(edit.evidence)}
    for unit in units:
        if unit.edit.path in blind and unit.is_unread:
            session, call, _ = unit.key
            command = render_mending_read(unit.edit.path, unit.edit.base_lines, session, call)
            yield f"{unit.name} is blind; fix it: {command}, then edit again"


def _name_changed_lines(derived: bytes, staged: bytes) -> Iterator[str]:
    """Name the lines of what is staged that differ from what the edits make, the first few."""
    found = find_changes(Document(derived).lines, Document(staged).lines)
    for change in found[:5]:
        first, last = change.new_start + 1, change.new_end
        yield f"{first}-{last}" if first < last else f"{first}" if first == last else f"{last}+"
    if len(found) > 5:
        yield "..."
