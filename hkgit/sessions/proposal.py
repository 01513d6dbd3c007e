"""An entry that is proposed for a commit, and the edits that it accounts for."""

from __future__ import annotations

from hkgit.evidence.claims import complete_entry, make_claims, make_squash_claim
from hkgit.evidence.entry import Entry, entry_id, entry_path
from hkgit.evidence.refusal_log import RefusalLog, digest_text, make_refusal_claims
from hkgit.sessions.call_journal import PendingEdit, SessionJournal, UnitKey
from hkgit.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.sessions.selection import Built


@dataclass(frozen=True)
class ProposedEntry:
    """A ledger entry with its name, and the journalled edits that it accounts for."""

    entry: Entry
    name: str
    units: tuple[PendingEdit, ...]

    @property
    def path(self) -> str:
        """Where it is in the commit's tree."""
        return entry_path(self.name)

    def list_edits(self, journal: SessionJournal) -> frozenset[UnitKey]:
        """List its edits that one session has journalled."""
        own = (unit for unit in self.units if unit.journal is journal)
        return frozenset((unit.call.id, unit.spec, unit.number) for unit in own)


@dataclass(frozen=True)
class Proposal:
    """The entries that a commit gets, in order, and sentences on what no entry accounts for.

    `built` is how edits were put on the files of its parent, where they had to be.
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
