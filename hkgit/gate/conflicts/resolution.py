"""resolution.py: tie an edit that lands to the conflicts that it resolves, as its entry claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hkgit.applying.outcome import EditOutcome
from hkgit.gate.conflicts.records import ConflictRecord
from hkgit.gate.conflicts.store import ConflictStore
from hkgit.gate.conflicts.tries import is_same_place
from hkgit.git.repository import Repository
from hkgit.text.json_nodes import JsonObject
from hkgit.values import dataclass

REAPPLIED, CONSULTED = "reapplied", "consulted"
"""How a conflict was resolved: read again and applied, or after a person had decided."""


@dataclass(frozen=True, slots=True)
class ConflictsMet:
    """The open conflicts of a repository, and by id which CONSULTs are answered."""

    repository: Repository
    tip: str
    open: tuple[ConflictRecord, ...]
    answered: Mapping[str, bool]

    def claims(self, agent: str, outcomes: Sequence[EditOutcome]) -> list[JsonObject]:
        """Write the conflicts that an agent's edits resolve as claims of their entry."""
        return [self._claim(conflict) for conflict in self._find_resolved(agent, outcomes)]

    def settle(self, agent: str, outcomes: Sequence[EditOutcome]) -> None:
        """Forget the conflicts that edits which have landed resolve."""
        store = ConflictStore.of(self.repository.common_dir)
        for conflict in self._find_resolved(agent, outcomes):
            store.drop(conflict)

    def _find_resolved(
        self, agent: str, outcomes: Sequence[EditOutcome]
    ) -> Iterator[ConflictRecord]:
        for conflict in self.open:
            if any(self._is_of(conflict, agent, outcome) for outcome in outcomes):
                yield conflict

    def _is_of(self, conflict: ConflictRecord, agent: str, outcome: EditOutcome) -> bool:
        return any(
            is_same_place(self.repository, conflict, agent, outcome.path, lines, self.tip)
            for lines in outcome.base_lines
        )

    def _claim(self, conflict: ConflictRecord) -> JsonObject:
        is_consulted = self.answered.get(conflict.id, False)
        return {
            "id": conflict.id,
            "path": conflict.path,
            "expected": conflict.expected.range_hash,
            "found": conflict.found.range_hash,
            "changed_by": [cause.commit for cause in conflict.causes],
            "tries": len(conflict.tries),
            "resolution": CONSULTED if is_consulted else REAPPLIED,
        }
