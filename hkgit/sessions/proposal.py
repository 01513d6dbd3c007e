"""The entries that a commit is to have.

Most often a call has made of its files what is staged: then its entry goes in as it is. What else
is staged is worked out again from the edits (`squash`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from hkgit.applying.evidence import LATE, is_blind
from hkgit.edits import File, Snapshot
from hkgit.errors import InvalidInput
from hkgit.evidence.claims import complete_entry, make_claims, make_squash_claim, mark
from hkgit.evidence.entry import Entry, entry_id, entry_path
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

    `built` is how edits were put on the files of its parent, where they had to be.
    """

    entries: tuple[ProposedEntry, ...]
    uncovered: tuple[str, ...]
    built: Built | None = None


def propose(
    repository: Repository,
    waiting: Sequence[PendingEdit],
    head: str | None,
    tree: str,
    *,
    is_built: bool = False,
) -> Proposal:
    """Make the entries, from edits that wait, for what differs between a commit and a tree.

    With `is_built` all of them are put on the commit's files.
    """
    before = repository.snapshot(EMPTY_TREE if head is None else head)
    after = repository.snapshot(tree)
    changed = {change.path for change in repository.changes(before.tree_id, tree)}
    log = RefusalLog.of(repository.common_dir)
    entries: list[ProposedEntry] = []
    others: list[tuple[list[str], list[PendingEdit]]] = []
    for paths, group in group_connected([unit for unit in waiting if unit.paths & changed]):
        found = None if is_built else _find_final(paths, group, before, after)
        try:
            entries += [propose_entry(own[0].entry, own, head, log) for own in found or ()]
        except InvalidInput:  # one is too large, which `squash` says
            found = None
        if found is None:
            others.append((paths, group))
    if not others and not is_built:
        return Proposal(tuple(entries), ())
    # Few commits need the ladder.
    from hkgit.sessions.squash import Squash

    squash = Squash.of(repository, (before, after), head, log, entries)
    for paths, group in others:
        squash.add(paths, group)
    return squash.propose(sorted(path for path in changed if before.entry(path) is None))


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


def group_connected(units: Sequence[PendingEdit]) -> Iterator[tuple[list[str], list[PendingEdit]]]:
    """Group files that specs connect, each group with its edits; most groups are one file."""
    groups: list[set[str]] = []
    for _, own in groupby(units, key=lambda unit: unit.key):
        paths = {path for unit in own for path in unit.paths}
        met = [group for group in groups if group & paths]
        groups = [*(group for group in groups if group not in met), paths.union(*met)]
    for paths in groups:
        yield sorted(paths), [unit for unit in units if unit.paths & paths]


def _find_final(
    paths: Sequence[str], units: Sequence[PendingEdit], before: Snapshot, after: Snapshot
) -> list[tuple[PendingEdit, ...]] | None:
    """Group edits by their entries where these lead as they are from the one to the other.

    None where they do not, and where they tell of text that is in neither.
    """
    found = [tuple(group) for _, group in groupby(units, key=lambda unit: unit.key)]
    here = {path: mark(before.get(path)) for path in paths}
    wanted = [after.get(path) for path in paths]
    between: list[bytes | None] = []
    for own in found:
        entry = own[0].entry
        if len(own) != len(entry.edits) or not _says_what_stays(entry):
            return None
        if any(here.get(path, state) != state for path, state in entry.needs):
            return None
        here.update(entry.leaves)
        between += (own[0].version(file.after) for file in entry.files)
    # Of line ends that git may store otherwise nothing is said here.
    is_plain = not any(file is not None and b"\r\n" in file.data for file in wanted)
    if not is_plain or [here[path] for path in paths] != [*map(mark, wanted)]:
        return None
    if len(found) > 1:
        from hkgit.applying.net import words_of_files  # most commits have one call of a file

        landed = words_of_files([*map(before.get, paths), *wanted])
        if not words_of_files(None if each is None else File(each) for each in between) <= landed:
            return None
    return found


def _says_what_stays(entry: Entry) -> bool:
    """Whether each edit was read before, stands where it says, and none wrote over another."""
    by = [hunk.edits for file in entry.files for hunk in file.hunks]
    return (
        all(len(each) == 1 for each in by)
        and {number for each in by for number in each} == {edit.id for edit in entry.edits}
        and not any(edit.relocated or is_blind(edit.evidence) for edit in entry.edits)
        and not any(read.kind == LATE for read in entry.reads)
    )
