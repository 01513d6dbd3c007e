"""proposing.py: make ledger entries for what is staged from the journals of a checkout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hkgit.applying.evidence import is_blind
from hkgit.applying.series import PlannedSpec
from hkgit.edits import File, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.ledger.entry import Entry, entry_id
from hkgit.evidence.ledger.names import entry_path
from hkgit.evidence.ledger.recording import make_claims, make_squash_claim, record
from hkgit.evidence.refusals import RefusalLog, make_refusal_claims
from hkgit.git.conversion import Content, Conversion
from hkgit.git.objects.ids import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.matching.places import Settings
from hkgit.sessions.commit.building import Built, CommitBuilder, choose_units, read_contents
from hkgit.sessions.commit.pending import PendingEdit, list_waiting
from hkgit.sessions.commit.squash import CommittedStep, squash_steps
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import Proposed
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class ProposedEntry:
    """A ledger entry with its name, and the journalled edits that it accounts for."""

    entry: Entry
    name: str
    units: tuple[PendingEdit, ...]

    @property
    def path(self) -> str:
        """Where it stands in the commit's tree."""
        return entry_path(self.name)

    def list_edits(self, journal: SessionJournal) -> Iterator[Proposed]:
        """List its edits that one session has journalled."""
        own = (unit for unit in self.units if unit.journal is journal)
        for (call, spec), units in groupby(own, key=lambda unit: (unit.call.id, unit.spec)):
            yield Proposed(self.name, call, spec, tuple(unit.number for unit in units))


@dataclass(frozen=True, slots=True)
class Proposal:
    """The entries that a commit gets, in order, and sentences on what no entry accounts for.

    `built` is how the edits were put on the files of its parent, where they were.
    """

    entries: tuple[ProposedEntry, ...]
    uncovered: tuple[str, ...]
    built: Built | None = None


def propose(repository: Repository, journals: Sequence[SessionJournal], tree: str) -> Proposal:
    """Make the entries for what sessions changed between HEAD and a tree."""
    return propose_onto(repository, list_waiting(journals), repository.head().commit, tree)


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
    last = step.units[-1].call
    paths = {each.path for each in found.plan.outcomes}
    agents = dict.fromkeys(unit.call.agent for unit in step.units)
    entry = record(
        found.spec,
        found.plan,
        settings=Settings(min(unit.journaled.threshold for unit in step.units)),
        base=head,
        spec_digest=found.spec.digest,
        reads=found.reads,
        claims=make_claims(
            last.agent,
            last.time // 1000,
            refusals=make_refusal_claims(log.find_open(last.agent, paths)),
            origin=next((unit.call.origin for unit in step.units if unit.call.origin), ""),
            squashed=make_squash_claim(len(step.units), agents) if step.is_net else None,
        ),
    )
    return ProposedEntry(entry, entry_id(entry.to_bytes()), step.units)


def _blind(built: Built, steps: Sequence[CommittedStep]) -> Iterator[str]:
    """The blind edits, each with the command that reads its lines after the fact."""
    told = {unit for step in steps if _has_blind_edit(step.planned) for unit in step.units}
    for units, found in built.steps:
        # A unit that was restated on the parent's lines may have become several edits.
        for unit, outcome in zip(units, found.plan.outcomes, strict=False):
            if unit in told and is_blind(outcome.evidence.kind):
                session, call, _ = unit.key
                path, touched = (
                    unit.journaled.paths[unit.number - 1],
                    unit.journaled.touched[unit.number - 1],
                )
                from hkgit.sessions.drafting import render_mending_read

                command = render_mending_read(path, touched, session, call)
                yield f"{unit.name} is blind; mend it: {command}, then edit again"


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
    versions = [each.after for each in unit.journaled.changes if each.new_path == path]
    kept = [unit.journal.blobs.get(each.sha256) or b"" for each in versions if each is not None]
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
            yield f"{path}: no session's edits account for {what}"
        else:
            yield f"{path}: no session's edit made or removed it"


def _is_in(unit: PendingEdit, path: str, staged: bytes) -> bool:
    """Whether something that a spec wrote in a file is in its staged version."""
    kept = unit.journal.blobs.get
    for change in unit.journaled.changes:
        if change.new_path == path and change.after is not None:
            old = b"" if change.before is None else kept(change.before.sha256) or b""
            before, now = Document(old), Document(kept(change.after.sha256) or b"")
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
    return f"{error.where}: {error.what}. Commit what it leans on first, then this."
