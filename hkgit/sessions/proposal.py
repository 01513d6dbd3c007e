"""The entries that a commit is to have.

Most often a call has made of a file what is staged: then its entry goes in as it is. What else is
staged is worked out again from the edits (`squash`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hkgit.applying.evidence import LATE, is_blind
from hkgit.edits import Snapshot
from hkgit.errors import InvalidInput
from hkgit.evidence.claims import complete_entry, make_claims, make_squash_claim, mark
from hkgit.evidence.entry import Entry, RecordedFile, entry_id, entry_path
from hkgit.evidence.refusal_log import RefusalLog, digest_text, make_refusal_claims
from hkgit.git.objects import EMPTY_TREE
from hkgit.git.repository import Repository
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, UnitKey
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.selection import Built


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

    def list_edits(self, journal: SessionJournal) -> frozenset[UnitKey]:
        """List its edits that one session has journalled."""
        own = (unit for unit in self.units if unit.journal is journal)
        return frozenset((unit.call.id, unit.spec, unit.number) for unit in own)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The entries that a commit gets, in order, and sentences on what no entry accounts for.

    `built` is how the edits were put on the files of its parent, where they had to be.
    """

    entries: tuple[ProposedEntry, ...]
    uncovered: tuple[str, ...]
    built: Built | None = None


def propose_entry(
    entry: Entry,
    units: tuple[PendingEdit, ...],
    base: str | None,
    log: RefusalLog,
    *,
    is_net: bool = False,
) -> ProposedEntry:
    """Propose an entry of some edits. Raises InvalidInput where it is too large."""
    last = units[-1].call
    agents = dict.fromkeys(unit.call.agent for unit in units)
    refused = log.find_open(last.agent, {digest_text(unit.edit.edit) for unit in units})
    claims = make_claims(
        last.agent,
        last.time // 1000,
        refusals=make_refusal_claims(refused),
        origin=next((unit.call.origin for unit in units if unit.call.origin), ""),
        squashed=make_squash_claim(len(units), agents) if is_net else None,
    )
    whole = complete_entry(entry, base, claims)
    return ProposedEntry(whole, entry_id(whole.to_bytes()), units)


def propose_recorded(
    repository: Repository, waiting: Sequence[PendingEdit], head: str | None, tree: str
) -> Proposal | None:
    """Propose the entries of calls as they were made; None where they are not what is staged."""
    before = repository.snapshot(EMPTY_TREE if head is None else head)
    changed = {change.path for change in repository.changes(before.tree_id, tree)}
    units = [unit for unit in waiting if unit.paths & changed]
    found = _find_final(units, before, repository.snapshot(tree))
    if found is None:
        return None
    log = RefusalLog.of(repository.common_dir)
    try:
        return Proposal(tuple(propose_entry(own[0].entry, own, head, log) for own in found), ())
    except InvalidInput:  # one is too large, which `squash` says
        return None


def _find_final(
    units: Sequence[PendingEdit], before: Snapshot, after: Snapshot
) -> list[tuple[PendingEdit, ...]] | None:
    """Group edits by their entries where these lead as they are from the one to the other."""
    found = [tuple(group) for _, group in groupby(units, key=lambda unit: unit.key)]
    paths = [path for own in found for file in own[0].entry.files for path in _name(file)]
    is_once = len(paths) == len({*paths})
    is_final = is_once and all(
        len(own) == len(own[0].entry.edits)
        and _says_what_stays(own[0].entry)
        and all(_leads(file, before, after) for file in own[0].entry.files)
        for own in found
    )
    return found if is_final else None


def _name(file: RecordedFile) -> set[str]:
    return {path for path in (file.path, file.new_path) if path is not None}


def _says_what_stays(entry: Entry) -> bool:
    """Whether each edit was read before, stands where it says, and none wrote over another."""
    by = [hunk.edits for file in entry.files for hunk in file.hunks]
    return (
        all(len(each) == 1 for each in by)
        and {number for each in by for number in each} == {edit.id for edit in entry.edits}
        and not any(edit.relocated or is_blind(edit.evidence) for edit in entry.edits)
        and not any(read.kind == LATE for read in entry.reads)
    )


def _leads(file: RecordedFile, before: Snapshot, after: Snapshot) -> bool:
    """Whether a file was found as the one has it and left as the other has it.

    Of line ends that git may store otherwise nothing is said here.
    """
    is_moved = file.path != file.new_path
    if file.path is not None and mark(before.get(file.path)) != file.before:
        return False
    if is_moved and file.path is not None and after.get(file.path) is not None:
        return False
    if file.new_path is None:
        return True
    if is_moved and before.get(file.new_path) is not None:
        return False
    result = after.get(file.new_path)
    return result is not None and mark(result) == file.after and b"\r\n" not in result.data
