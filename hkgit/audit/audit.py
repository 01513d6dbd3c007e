"""audit.py: a whole range for a reviewer or an auditor: what is derived, what is only said."""

from __future__ import annotations

from collections.abc import Iterator

from hkgit.audit.numbers import Numbers, numbers_json, numbers_of
from hkgit.audit.reports.plain import report_json
from hkgit.evidence.refusal_log import find_claimed_conflicts
from hkgit.evidence.verdict import Verdict
from hkgit.gate.policy.model import Policy
from hkgit.gate.ruling import NO_EVIDENCE, Report, Ruling
from hkgit.text.strict_json import JsonObject
from hkgit.values import dataclass

REPLAYED, RECOMPUTED, PARTLY = "replayed", "recomputed", "partly replayed"
ATTESTED, VOUCHED = "attested", "vouched"
UNPROVED, REFUSED = "by hand", "rejected"

MEANINGS = {
    RECOMPUTED: "replayed, and the spec, read and located again, says the same",
    REPLAYED: "every byte follows from the parent and the recorded evidence",
    PARTLY: "its entries replay; the rest was changed by hand, as the policy allows",
    ATTESTED: "a key that the policy trusts signed that the same change was judged",
    VOUCHED: "an agent's, without evidence; a person whom the policy grants it vouches for it",
    UNPROVED: "no evidence: the policy lets its author change this by hand, or governs them not",
    NO_EVIDENCE: "an agent's, without evidence; the policy lets it pass all the same",
    REFUSED: "the policy does not let it pass",
}
"""What the commits of a range come to, the best proved first."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A range as named, the rulings under the policy, the numbers."""

    name: str
    old: str
    new: str
    report: Report
    numbers: Numbers

    @classmethod
    def of(cls, name: str, ends: tuple[str, str], report: Report) -> Audit:
        """Audit a range; `ends` are the ids of its two sides."""
        numbers = numbers_of(report.rulings, report.policy)
        return cls(name, *ends, report, numbers)

    @property
    def policy(self) -> Policy:
        return self.report.policy

    def sort_rulings(self) -> dict[str, list[Ruling]]:
        """Sort the rulings by what they come to, in the order of `MEANINGS`."""
        sorted_: dict[str, list[Ruling]] = {name: [] for name in MEANINGS}
        for ruling in self.report.rulings:
            sorted_[_class(ruling)].append(ruling)
        return sorted_

    def find_break_glass(self) -> list[Ruling]:
        """List the rulings that only a record of break-glass lets pass."""
        return [ruling for ruling in self.report.rulings if ruling.rule == "break-glass"]

    def list_conflicts_met(self) -> Iterator[tuple[Ruling, JsonObject]]:
        """Yield the conflicts that entries claim to have met."""
        for ruling in self.report.rulings:
            for _, entry in ruling.judged.entries:
                yield from ((ruling, met) for met in find_claimed_conflicts(entry.claims))

    def list_verify_outcomes(self) -> Iterator[tuple[Ruling, JsonObject]]:
        """Yield the outcomes of `--verify` that entries claim."""
        for ruling in self.report.rulings:
            for _, entry in ruling.judged.entries:
                outcome = entry.claims.get("verify")
                if isinstance(outcome, dict):
                    yield ruling, outcome


_CLASSES = {
    Verdict.STRICT: RECOMPUTED,
    Verdict.MIXED: PARTLY,
    Verdict.ATTESTED: ATTESTED,
    Verdict.VOUCHED: VOUCHED,
    Verdict.MANUAL: UNPROVED,
    Verdict.UNGOVERNED: UNPROVED,
    Verdict.FAIL: REFUSED,
}


def _class(ruling: Ruling) -> str:
    if not ruling.passes:
        return REFUSED
    if ruling.made_by == NO_EVIDENCE and ruling.judged.verdict is not Verdict.VOUCHED:
        return NO_EVIDENCE
    return _CLASSES.get(ruling.judged.verdict, REPLAYED)


def audit_json(audit: Audit) -> JsonObject:
    """Write an audit as one JSON object."""
    return {
        "range": audit.name,
        "old": audit.old,
        "new": audit.new,
        **report_json(audit.report),
        "classes": {
            name: [ruling.judged.candidate.id for ruling in rulings]
            for name, rulings in audit.sort_rulings().items()
        },
        "break_glass": [ruling.judged.candidate.id for ruling in audit.find_break_glass()],
        "claimed": {
            "agents": dict(audit.numbers.agents),
            "verify": [
                {"commit": ruling.judged.candidate.id, **outcome}
                for ruling, outcome in audit.list_verify_outcomes()
            ],
            "conflicts": [
                {"commit": ruling.judged.candidate.id, **met}
                for ruling, met in audit.list_conflicts_met()
            ],
        },
        "numbers": numbers_json(audit.numbers),
    }
