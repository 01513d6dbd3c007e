"""proposing.py: make ledger entries for what is staged from the journals of a checkout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hkgit.applying.evidence import is_blind
from hkgit.edits import File, Snapshot
from hkgit.errors import HkgitError, InvalidInput
from hkgit.evidence.ledger.entry import Entry, entry_id
from hkgit.evidence.ledger.readings import claim_readings
from hkgit.evidence.ledger.recording import make_claims, record
from hkgit.evidence.refusals import RefusalLog, make_refusal_claims
from hkgit.git.conversion import Content, Conversion
from hkgit.git.objects.ids import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.matching.places import Settings
from hkgit.sessions.commit.building import Built, CommitBuilder, choose_units, read_contents
from hkgit.sessions.commit.pending import PendingEdit, list_waiting
from hkgit.sessions.commit.placing import PlacedSpec
from hkgit.sessions.commit.settling import CONFLICTS
from hkgit.sessions.storage.journal import SessionJournal
from hkgit.sessions.storage.records import Proposed
from hkgit.text.diff import find_changes
from hkgit.text.document import Document
from hkgit.values import dataclass

if TYPE_CHECKING:
    from hkgit.gate.conflicts.resolution import ConflictsMet


@dataclass(frozen=True, slots=True)
class ProposedEntry:
    """A ledger entry, and the journalled edits that it records."""

    entry: Entry
    journal: SessionJournal
    proposed: Proposed


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
    known = RefusedBefore(_open_conflicts(repository), RefusalLog.of(repository.common_dir))
    entries, refused = _entries(built, head, known)
    added = [path for path in sorted(changed) if before.entry(path) is None]
    moved = _find_moved(lost, added, after)
    uncovered = (*refused, *moved, *_blind(built), *_find_uncovered(built, after))
    return Proposal(tuple(entries), uncovered, built)


@dataclass(frozen=True, slots=True)
class RefusedBefore:
    """What was refused before: the open conflicts, and the clone's record of refusals."""

    met: ConflictsMet | None
    log: RefusalLog


def _open_conflicts(repository: Repository) -> ConflictsMet | None:
    """The open conflicts, which the edits may resolve; None where there are none."""
    if not (repository.common_dir / CONFLICTS).is_dir():
        return None
    # Few commits meet one.
    from hkgit.gate.conflicts.store import ConflictStore
    from hkgit.gate.conflicts.tracking import find_open_conflicts

    is_open = any(ConflictStore.of(repository.common_dir))
    return find_open_conflicts(repository, None) if is_open else None


def _entries(
    built: Built, head: str | None, known: RefusedBefore
) -> tuple[list[ProposedEntry], list[str]]:
    """The entries of placed specs; and why any cannot be written."""
    entries, refused = [], []
    for units, found in built.steps:
        try:
            entries.append(_entry(units, found, head, known))
        except InvalidInput as error:
            refused.append(f"{units[0].name} is not recorded: {error.what}")
    return entries, refused


def _entry(
    units: Sequence[PendingEdit], found: PlacedSpec, head: str | None, known: RefusedBefore
) -> ProposedEntry:
    """The entry of one spec. Raises InvalidInput where it would be too large."""
    first = units[0]
    agent = first.call.agent
    met = known.met
    conflicts = [] if met is None else met.claims(agent, found.plan.outcomes)
    paths = {each.path for each in found.plan.outcomes}
    entry = record(
        found.spec,
        found.plan,
        settings=Settings(first.journaled.threshold),
        base=head,
        spec_digest=found.spec.digest,
        reads=found.reads,
        claims=make_claims(
            agent,
            first.call.time // 1000,
            conflicts=conflicts,
            refusals=make_refusal_claims(known.log.find_open(agent, paths)),
            origin=first.call.origin,
            readings=claim_readings(first.shown),
        ),
    )
    numbers = tuple(unit.number for unit in units)
    name = entry_id(entry.to_bytes())
    return ProposedEntry(entry, first.journal, Proposed(name, first.call.id, first.spec, numbers))


def _blind(built: Built) -> Iterator[str]:
    """The blind edits, each with the command that reads its lines after the fact."""
    for units, found in built.steps:
        for unit, outcome in zip(units, found.plan.outcomes, strict=True):
            if is_blind(outcome.evidence.kind):
                session, call, _ = unit.key
                path, touched = (
                    unit.journaled.paths[unit.number - 1],
                    unit.journaled.touched[unit.number - 1],
                )
                from hkgit.sessions.drafting import render_mending_read

                command = render_mending_read(path, touched, session, call)
                yield f"{unit.name} is blind; mend it: {command}"


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
